/** The page on which people see and add their passkeys. */
import type { Passkey } from "../../core/people/people-file";
import { html, type RenderedPage, renderPage } from "./layout";
import { alert, factorFieldsOf, pageHeader, secretField } from "./parts";
import type { FactorFields } from "./second-factors";
import { formatTime } from "./terms";

interface PasskeysView {
  readonly person: string;
  readonly passkeys: readonly Passkey[];
  /** Fields of a new passkey, or why the person cannot add one. */
  readonly form: (FactorFields & { readonly creation: string }) | string;
  readonly message?: string | undefined;
}

/** Renders the passkeys of a person, and the form for a new one. */
export function passkeysPage({ person, passkeys, form, message }: PasskeysView): RenderedPage {
  const list = html`<ul>
    ${passkeys.map(({ host, created }) => html`<li>For <b>${host}</b>, added on ${formatTime(Date.parse(created))}</li>`)}
  </ul>`;
  return renderPage(
    "Passkeys",
    html`${pageHeader(person)}
      <main>
        ${alert(message)}
        <h1>Your passkeys</h1>
        <p>
          A passkey is a key on your device or security key. A policy can require it for each release, besides
          your secret.
        </p>
        <section>
          <h2>Passkeys</h2>
          ${passkeys.length > 0 ? list : html`<p class="soft">You have no passkeys yet.</p>`}
        </section>
        ${
          typeof form === "string"
            ? html`<p role="status" class="busy">${form}</p>`
            : html`<section class="card">
                <form
                  method="post"
                  action="/passkeys"
                  aria-label="Add a passkey"
                  data-creation="${form.creation}"
                  ${form.request === undefined ? undefined : html`data-request="${form.request}"`}
                >
                  <h2>Add a passkey</h2>
                  <p>
                    ${form.request === undefined ? undefined : "Your browser first asks for a passkey that you have. "}Your
                    browser asks you to create it, with your fingerprint, face or PIN.
                  </p>
                  <input type="hidden" name="new_passkey" />
                  ${secretField}${factorFieldsOf(form)}
                  <button class="yes">Add a passkey</button>
                </form>
              </section>`
        }
      </main>`,
    { hasScript: typeof form === "object" },
  );
}
