/** The pages: sign in, what there is to decide on, and one release with its terms. */
import { findDecisionProblem } from "../../core/releases/release-service";
import { describeRequirements, approvalRequirements } from "../../core/releases/policy-evaluation";
import type { Policy } from "../../core/releases/policy";
import { type Decision, isFinalState, type Release } from "../../core/releases/release";
import { toReleaseReport } from "../../core/releases/report";
import { renderPage } from "./layout";
import { type Html, html } from "./html";
import { factList, formatTime, limitsOf, environmentStyle, stateChip, termsOf, titleOf } from "./terms";

const alert = (message: string | undefined): Html | undefined =>
  message === undefined ? undefined : html`<p role="alert" class="bad">${message}</p>`;

export interface SignIn {
  /** The page that was asked for. */
  readonly path: string;
  readonly name?: string;
  readonly message?: string;
}

export const signInPage = ({ path, name, message }: SignIn): string =>
  renderPage(
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
  renderPage(
    title,
    html`<main>
      <div class="card narrow">
        <h1>${title}</h1>
        <p>${message}</p>
        <p><a href="/">What there is to decide on</a></p>
      </div>
    </main>`,
  );

const pageHeader = (person: string): Html =>
  html`<header>
    <nav aria-label="Pages"><a href="/">Releases</a></nav>
    <form method="post" action="/sign-out">
      <span>Signed in as <b>${person}</b></span
      ><button>Sign out</button>
    </form>
  </header>`;

const listItem = (release: Release): Html => {
  const { id, state, sealed } = release;
  return html`<li class="card">
    <a href="/releases/${id}">${titleOf(release)}</a> ${stateChip(state)}
    <p>${limitsOf(release)}</p>
    <p>
      <span class="chip ${environmentStyle(sealed.environment)}">${sealed.environment}</span>
      <span class="soft"
        >asked by ${sealed.asker ?? "nobody known"}, until ${formatTime(sealed.validUntil)}</span
      >
    </p>
  </li>`;
};

const releaseList = (releases: readonly Release[], emptyText: string): Html =>
  releases.length === 0
    ? html`<p class="soft">${emptyText}</p>`
    : html`<ul>
        ${releases.map(listItem)}
      </ul>`;

export function listPage(person: string, releases: readonly Release[]): string {
  const waiting = releases.filter(({ state }) => state === "waiting");
  const others = releases.filter(({ state }) => state !== "waiting");
  return renderPage(
    "Releases",
    html`${pageHeader(person)}
      <main>
        <h1>Waiting for a yes</h1>
        ${releaseList(waiting, "Nothing waits.")}
        <h2>Before</h2>
        ${releaseList(others, "Nothing yet.")}
      </main>`,
  );
}

export interface ReleaseView {
  readonly person: string;
  readonly release: Release;
  readonly decisions: readonly Decision[];
  readonly policy: Policy;
  /** What is wrong with what was tried last. */
  readonly message?: string;
}

const decisionVerbs = { release: "said yes", refuse: "said no" } as const;

const pastDecisions = (decisions: readonly Decision[]): Html | undefined =>
  decisions.length === 0
    ? undefined
    : html`<section>
        <h2>Said</h2>
        <ul>
          ${decisions.map(
            ({ person, decision, at, note }) =>
              html`<li>
                <b>${person}</b> ${decisionVerbs[decision]},
                ${formatTime(at)}${note === undefined ? undefined : `: ${note}`}
              </li>`,
          )}
        </ul>
      </section>`;

const secretField = html`<label
  ><span>Your secret</span><input name="secret" type="password" autocomplete="current-password" required
/></label>`;

const buttonClasses = { release: "yes", refuse: "no" } as const;

const decisionForm = (
  { release }: ReleaseView,
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
      <button class="${buttonClasses[decision]}">${title}</button>
    </form>
  </section>`;

/** The forms by which the person may decide, or why they may not. */
function decisionForms(view: ReleaseView): Html | undefined {
  const { release, person, policy } = view;
  const { state } = release;
  if (isFinalState(state)) return undefined;
  const reason = (decision: Decision["decision"]) =>
    findDecisionProblem(release, state, { person, decision, policy });
  const [notReleased, notRefused] = [reason("release"), reason("refuse")];
  const yes = "Exactly these terms, once. With the last yes that is needed, it may leave.";
  return html`${
      state === "waiting" && notReleased !== undefined
        ? html`<p role="status" class="busy">${notReleased}</p>`
        : undefined
    }
    <div class="decide">
      ${notReleased === undefined ? decisionForm(view, "release", "Release", yes) : undefined}${
        notRefused === undefined ? decisionForm(view, "refuse", "Refuse", "It will not leave.") : undefined
      }
    </div>`;
}

export function releasePage(view: ReleaseView): string {
  const { person, release, decisions, policy, message } = view;
  const { sealed, state, hash } = release;
  const { environment, client, asker, validUntil, operation, surface, correlation } = sealed;
  const {
    description,
    asked_at: _,
    trade_id,
    quotes,
    remark,
    deviations,
    journal_entry,
  } = toReleaseReport(release);
  const needs = approvalRequirements(policy, sealed);
  const title = titleOf(release);
  return renderPage(
    title,
    html`<aside aria-label="Environment" class="environment ${environmentStyle(environment)}">
        ${environment}
      </aside>
      ${pageHeader(person)}
      <main>
        ${alert(message)}
        <p>${stateChip(state)} ${description}</p>
        <h1>${title}</h1>
        <p class="large">${limitsOf(release)}</p>
        <p class="large">Until ${formatTime(validUntil)}</p>
        <section>
          <h2>Terms, to the letter</h2>
          ${termsOf(release)}
        </section>
        ${remark === undefined ? undefined : html`<p>${remark}</p>`}
        ${deviations && deviations.length > 0 ? alert(deviations.join(" ")) : undefined}${decisionForms(view)}
        ${pastDecisions(decisions)}
        <section>
          <h2>Around it</h2>
          ${factList([
            ["operation", operation],
            ["client", client],
            ["asked by", asker],
            ["asked through", surface],
            ["asked", formatTime(release.requestedAt)],
            ["needs", needs.length > 0 ? describeRequirements(needs) : undefined],
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
