/** Parts that several pages have: header, error, and fields of secrets. */
import { type Html, html } from "./layout";
import type { FactorFields } from "./second-factors";

export const alert = (message: string | undefined): Html | undefined =>
  message === undefined ? undefined : html`<p role="alert" class="bad">${message}</p>`;

export const pageHeader = (person: string): Html =>
  html`<header>
    <nav aria-label="Pages"><a href="/">Releases</a><a href="/passkeys">Passkeys</a></nav>
    <form method="post" action="/sign-out">
      <span>Signed in as <b>${person}</b></span
      ><button>Sign out</button>
    </form>
  </header>`;

export const secretField = html`<label
  ><span>Your secret</span><input name="secret" type="password" autocomplete="current-password" required
/></label>`;

const codeField = (isOptional: boolean): Html =>
  html`<label
    ><span>${isOptional ? "Code, or empty to use your passkey" : "Code of your authenticator app"}</span
    ><input
      name="code"
      inputmode="numeric"
      autocomplete="one-time-code"
      maxlength="10"
      ${isOptional ? undefined : html`required`}
  /></label>`;

/** Renders the fields of second factors. The script of the page fills in the hidden ones. */
export const factorFieldsOf = ({ code, challenge }: FactorFields): Html =>
  html`${code && codeField(code === "optional")}${
    challenge === undefined
      ? undefined
      : html`<input type="hidden" name="challenge" value="${challenge}" /><input
            type="hidden"
            name="passkey"
          />
          <p role="alert" class="bad" hidden></p>`
  }`;
