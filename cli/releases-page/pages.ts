/** The pages: sign in, what there is to decide on, and one release with its terms. */
import { notTheirs } from "../../core/releases/desk";
import { needsInWords, needsOf } from "../../core/releases/needs";
import type { Policy } from "../../core/releases/policy";
import { type Decision, isOver, type Release } from "../../core/releases/release";
import { reportOf } from "../../core/releases/report";
import { page } from "./frame";
import { type Html, html } from "./html";
import { facts, inWords, limitsOf, lookOfEnvironment, stateChip, termsOf, titleOf } from "./terms";

const alert = (message: string | undefined): Html | undefined =>
  message === undefined ? undefined : html`<p role="alert" class="bad">${message}</p>`;

export interface SignIn {
  /** The page that was asked for. */
  readonly path: string;
  readonly name?: string;
  readonly message?: string;
}

export const signInPage = ({ path, name, message }: SignIn): string =>
  page(
    "Sign in",
    html`<main>
      <div class="card narrow">
        <h1>Sign in</h1>
        <p>Orders and calls that wait for a person's yes.</p>
        ${alert(message)}
        <form method="post" action="/sign-in">
          <input type="hidden" name="path" value="${path}" />
          <label
            ><span>Name</span
            ><input name="name" value="${name}" autocomplete="username" maxlength="64" required
          /></label>
          <label
            ><span>Secret</span><input name="secret" type="password" autocomplete="current-password" required
          /></label>
          <button class="yes">Sign in</button>
        </form>
      </div>
    </main>`,
  );

/** What somebody is told instead of what they asked for. */
export const messagePage = (title: string, message: string): string =>
  page(
    title,
    html`<main>
      <div class="card narrow">
        <h1>${title}</h1>
        <p>${message}</p>
        <p><a href="/">What there is to decide on</a></p>
      </div>
    </main>`,
  );

const signedIn = (person: string): Html =>
  html`<header>
    <nav aria-label="Pages"><a href="/">Releases</a></nav>
    <form method="post" action="/sign-out">
      <span>Signed in as <b>${person}</b></span
      ><button>Sign out</button>
    </form>
  </header>`;

const listed = (release: Release): Html => {
  const { id, state, sealed } = release;
  return html`<li class="card">
    <a href="/releases/${id}">${titleOf(release)}</a> ${stateChip(state)}
    <p>${limitsOf(release)}</p>
    <p>
      <span class="chip ${lookOfEnvironment(sealed.environment)}">${sealed.environment}</span>
      <span class="soft"
        >asked by ${sealed.asker ?? "nobody known"}, until ${inWords(sealed.validUntil)}</span
      >
    </p>
  </li>`;
};

const list = (releases: readonly Release[], none: string): Html =>
  releases.length === 0
    ? html`<p class="soft">${none}</p>`
    : html`<ul>
        ${releases.map(listed)}
      </ul>`;

export function listPage(person: string, releases: readonly Release[]): string {
  const waiting = releases.filter(({ state }) => state === "waiting");
  const others = releases.filter(({ state }) => state !== "waiting");
  return page(
    "Releases",
    html`${signedIn(person)}
      <main>
        <h1>Waiting for a yes</h1>
        ${list(waiting, "Nothing waits.")}
        <h2>Before</h2>
        ${list(others, "Nothing yet.")}
      </main>`,
  );
}

export interface Shown {
  readonly person: string;
  readonly release: Release;
  readonly decisions: readonly Decision[];
  readonly policy: Policy;
  /** What is wrong with what was tried last. */
  readonly message?: string;
}

const verbs = { release: "said yes", refuse: "said no" } as const;

const said = (decisions: readonly Decision[]): Html | undefined =>
  decisions.length === 0
    ? undefined
    : html`<section>
        <h2>Said</h2>
        <ul>
          ${decisions.map(
            ({ person, decision, at, note }) =>
              html`<li>
                <b>${person}</b> ${verbs[decision]},
                ${inWords(at)}${note === undefined ? undefined : `: ${note}`}
              </li>`,
          )}
        </ul>
      </section>`;

const secretField = html`<label
  ><span>Your secret</span><input name="secret" type="password" autocomplete="current-password" required
/></label>`;

const looksOf = { release: "yes", refuse: "no" } as const;

const decisionForm = (
  { release }: Shown,
  decision: Decision["decision"],
  title: string,
  description: string,
): Html =>
  html`<section>
    <form method="post" action="/releases/${release.id}" aria-label="${title}">
      <input type="hidden" name="decision" value="${decision}" />
      <input type="hidden" name="seal" value="${release.hash}" />
      <h2>${title}</h2>
      <p>${description}</p>
      <label><span>Note (optional)</span><input name="note" maxlength="500" autocomplete="off" /></label>
      ${secretField}
      <button class="${looksOf[decision]}">${title}</button>
    </form>
  </section>`;

/** The forms by which the person may decide, or why they may not. */
function decide(shown: Shown): Html | undefined {
  const { release, person, policy } = shown;
  const { state } = release;
  if (isOver(state)) return undefined;
  const reason = (decision: Decision["decision"]) => notTheirs(release, state, { person, decision, policy });
  const [notReleased, notRefused] = [reason("release"), reason("refuse")];
  const yes = "Exactly these terms, once. With the last yes that is needed, it may leave.";
  return html`${
      state === "waiting" && notReleased !== undefined
        ? html`<p role="status" class="busy">${notReleased}</p>`
        : undefined
    }
    <div class="decide">
      ${notReleased === undefined ? decisionForm(shown, "release", "Release", yes) : undefined}${
        notRefused === undefined ? decisionForm(shown, "refuse", "Refuse", "It will not leave.") : undefined
      }
    </div>`;
}

export function releasePage(shown: Shown): string {
  const { person, release, decisions, policy, message } = shown;
  const { sealed, state, hash } = release;
  const { environment, client, asker, validUntil, operation, surface, correlation } = sealed;
  const { description, asked_at: _, trade_id, quotes, remark, deviations, journal_entry } = reportOf(release);
  const needs = needsOf(policy, sealed);
  const title = titleOf(release);
  return page(
    title,
    html`<aside aria-label="Environment" class="environment ${lookOfEnvironment(environment)}">
        ${environment}
      </aside>
      ${signedIn(person)}
      <main>
        ${alert(message)}
        <p>${stateChip(state)} ${description}</p>
        <h1>${title}</h1>
        <p class="large">${limitsOf(release)}</p>
        <p class="large">Until ${inWords(validUntil)}</p>
        <section>
          <h2>Terms, to the letter</h2>
          ${termsOf(release)}
        </section>
        ${remark === undefined ? undefined : html`<p>${remark}</p>`}
        ${deviations && deviations.length > 0 ? alert(deviations.join(" ")) : undefined}${decide(shown)}
        ${said(decisions)}
        <section>
          <h2>Around it</h2>
          ${facts([
            ["operation", operation],
            ["client", client],
            ["asked by", asker],
            ["asked through", surface],
            ["asked", inWords(release.askedAt)],
            ["needs", needs.length > 0 ? needsInWords(needs) : undefined],
            ["correlation", correlation],
            ["trade", trade_id],
            ["quotes", quotes],
            ["journal entry", journal_entry],
            ["release", release.id],
            ["seal", hash],
          ])}
        </section>
      </main>`,
  );
}
