/** The pages: sign-in, list of requests, one request with its terms, and messages. */
import { findDecisionProblem } from "../../core/releases/decide";
import { describeRequirements, approvalRequirements, needsCode } from "../../core/releases/policy-evaluation";
import type { Policy } from "../../core/releases/policy";
import type { Decision, Release } from "../../core/releases/release";
import { isUnsentState } from "../../core/releases/states";
import { toReleaseReport } from "../../core/releases/report";
import { type Html, html, renderPage, untrusted } from "./layout";
import { factList, formatTime, limitsOf, environmentStyle, stateChip, termsOf, titleOf } from "./terms";

const alert = (message: string | undefined): Html | undefined =>
  message === undefined ? undefined : html`<p role="alert" class="bad">${message}</p>`;

interface SignIn {
  /** Path to show after signing in. */
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
        <p>Sign in to review and release orders and payments.</p>
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

/** Renders a message, for example an error, instead of the requested page. */
export const messagePage = (title: string, message: string): string =>
  renderPage(
    title,
    html`<main>
      <div class="card narrow">
        <h1>${title}</h1>
        <p>${message}</p>
        <p><a href="/">Show all requests</a></p>
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
        >Requested by ${untrusted(sealed.requester ?? "an unknown person")}, valid until
        ${formatTime(sealed.validUntil)}</span
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
        <h1>Requests waiting for release</h1>
        ${releaseList(waiting, "No requests are waiting. Reload the page to check again.")}
        <h2>Earlier requests</h2>
        ${releaseList(others, "No earlier requests.")}
      </main>`,
  );
}

interface ReleaseView {
  readonly person: string;
  readonly release: Release;
  readonly decisions: readonly Decision[];
  readonly policy: Policy;
  /** Error of the last decision. */
  readonly message?: string;
}

const decisionVerbs = { release: "released", refuse: "refused" } as const;

const pastDecisions = (decisions: readonly Decision[]): Html | undefined =>
  decisions.length === 0
    ? undefined
    : html`<section>
        <h2>Decisions</h2>
        <ul>
          ${decisions.map(
            ({ person, decision, at, note }) =>
              html`<li>
                <b>${untrusted(person)}</b> ${decisionVerbs[decision]} on
                ${formatTime(at)}${note === undefined ? undefined : html`: ${untrusted(note)}`}
              </li>`,
          )}
        </ul>
      </section>`;

const secretField = html`<label
  ><span>Your secret</span><input name="secret" type="password" autocomplete="current-password" required
/></label>`;

const buttonClasses = { release: "yes", refuse: "no" } as const;

const codeField = html`<label
  ><span>Code of your authenticator app</span
  ><input name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="10" required
/></label>`;

const decisionForm = (
  { release, policy }: ReleaseView,
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
      ${secretField}${decision === "release" && needsCode(policy, release.sealed) ? codeField : undefined}
      <button class="${buttonClasses[decision]}">${title}</button>
    </form>
  </section>`;

/** Renders the decision forms, or the reason why the person may not release. */
function decisionForms(view: ReleaseView): Html | undefined {
  const { release, person, policy } = view;
  const { state } = release;
  if (!isUnsentState(state)) return undefined;
  const reason = (decision: Decision["decision"]) =>
    findDecisionProblem(release, state, { person, decision, policy });
  const [notReleased, notRefused] = [reason("release"), reason("refuse")];
  const releaseDescription =
    "You release exactly these terms, for one use. After the last required approval, the request may be sent.";
  return html`${
      state === "waiting" && notReleased !== undefined
        ? html`<p role="status" class="busy">${notReleased}</p>`
        : undefined
    }
    <div class="decide">
      ${notReleased === undefined ? decisionForm(view, "release", "Release", releaseDescription) : undefined}${
        notRefused === undefined
          ? decisionForm(view, "refuse", "Refuse", "The request will not be sent.")
          : undefined
      }
    </div>`;
}

export function releasePage(view: ReleaseView): string {
  const { person, release, decisions, policy, message } = view;
  const { sealed, state, hash } = release;
  const { environment, client, requester, validUntil, operation, surface, correlation } = sealed;
  const {
    description,
    requested_at: _,
    trade_id,
    quotes,
    remark,
    deviations,
    journal_entry,
  } = toReleaseReport(release);
  const requirements = approvalRequirements(policy, sealed);
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
        <p class="large">Valid until ${formatTime(validUntil)}</p>
        <section>
          <h2>Terms</h2>
          ${termsOf(release)}
        </section>
        ${remark === undefined ? undefined : html`<p>${remark}</p>`}
        ${deviations && deviations.length > 0 ? alert(deviations.join(" ")) : undefined}${decisionForms(view)}
        ${pastDecisions(decisions)}
        <section>
          <h2>Details</h2>
          ${factList([
            ["operation", operation],
            ["client", client],
            ["requested by", requester],
            ["requested through", surface],
            ["requested at", formatTime(release.requestedAt)],
            ["required approvals", requirements.length > 0 ? describeRequirements(requirements) : undefined],
            ["correlation data", correlation],
            ["trade ID", trade_id],
            ["quotes requested", quotes],
            ["journal entry", journal_entry],
            ["request ID", release.id],
            ["seal", hash],
          ])}
        </section>
      </main>`,
  );
}
