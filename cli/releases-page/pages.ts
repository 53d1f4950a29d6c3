/** The pages: sign-in, list of requests, one request with its terms, and messages. */
import { findDecisionProblem } from "../../core/releases/decide";
import { describeRequirements, approvalRequirements } from "../../core/releases/policy-evaluation";
import type { Policy } from "../../core/releases/policy";
import type { Decision, Release } from "../../core/releases/release";
import { isUnsentState } from "../../core/releases/states";
import { describeTerms, summarizeTerms, titleOfTerms } from "../../core/releases/describe-terms";
import { toReleaseReport } from "../../core/releases/report";
import type { Declaration } from "../../core/spec/operation";
import { type Html, html, type RenderedPage, renderPage, untrusted } from "./layout";
import { alert, factorFieldsOf, pageHeader, secretField } from "./parts";
import type { FactorFields } from "./second-factors";
import { factList, formatTime, environmentStyle, requestHtml, stateChip, termsHtml } from "./terms";

interface SignIn {
  /** Path to show after signing in. */
  readonly path: string;
  readonly name?: string;
  readonly message?: string;
}

export const signInPage = ({ path, name, message }: SignIn): RenderedPage =>
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
export const messagePage = (title: string, message: string): RenderedPage =>
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

type Operations = readonly Declaration[];

const listItem = ({ id, state, sealed }: Release, operations: Operations): Html => {
  return html`<li class="card">
    <a href="/releases/${id}">${titleOfTerms(sealed, operations)}</a> ${stateChip(state)}
    <p>${summarizeTerms(sealed)}</p>
    <p>
      <span class="chip ${environmentStyle(sealed.environment)}">${sealed.environment}</span>
      <span class="soft"
        >Requested by ${untrusted(sealed.requester ?? "an unknown person")}, valid until
        ${formatTime(sealed.validUntil)}</span
      >
    </p>
  </li>`;
};

const releaseList = (releases: readonly Release[], operations: Operations, emptyText: string): Html =>
  releases.length === 0
    ? html`<p class="soft">${emptyText}</p>`
    : html`<ul>
        ${releases.map((release) => listItem(release, operations))}
      </ul>`;

export function listPage(person: string, releases: readonly Release[], operations: Operations): RenderedPage {
  const waiting = releases.filter(({ state }) => state === "waiting");
  const others = releases.filter(({ state }) => state !== "waiting");
  return renderPage(
    "Releases",
    html`${pageHeader(person)}
      <main>
        <h1>Requests waiting for release</h1>
        ${releaseList(waiting, operations, "No requests are waiting. Reload the page to check again.")}
        <h2>Earlier requests</h2>
        ${releaseList(others, operations, "No earlier requests.")}
      </main>`,
  );
}

interface ReleaseView {
  readonly person: string;
  readonly release: Release;
  readonly decisions: readonly Decision[];
  readonly policy: Policy;
  readonly operations: Operations;
  /** Text that the shown rows of long lists contain. */
  readonly search: string;
  /** Fields of the second factors that a release needs, or what the person has to set up first. */
  readonly factors: FactorFields | string;
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

const buttonClasses = { release: "yes", refuse: "no" } as const;

interface DecisionFormText {
  readonly title: string;
  readonly description: string;
  readonly button?: string;
}

const decisionForm = (
  { release }: ReleaseView,
  decision: Decision["decision"],
  { title, description, button = title }: DecisionFormText,
  factors: FactorFields = {},
): Html =>
  html`<section>
    <form
      method="post"
      action="/releases/${release.id}"
      aria-label="${title}"
      ${factors.request === undefined ? undefined : html`data-request="${factors.request}"`}
    >
      <input type="hidden" name="decision" value="${decision}" />
      <input type="hidden" name="seal" value="${release.hash}" />
      <h2>${title}</h2>
      <p>${description}</p>
      <label><span>Note (optional)</span><input name="note" maxlength="500" autocomplete="off" /></label>
      ${secretField}${factorFieldsOf(factors)}
      <button class="${buttonClasses[decision]}">${button}</button>
    </form>
  </section>`;

const releaseForm = (view: ReleaseView, factors: FactorFields): Html =>
  decisionForm(
    view,
    "release",
    {
      title: "Release",
      description:
        "You release exactly these terms, for one use. After the last required approval, the request may be sent.",
      ...(factors.request !== undefined && factors.code === undefined && { button: "Release with passkey" }),
    },
    factors,
  );

const refuseForm = (view: ReleaseView): Html =>
  decisionForm(view, "refuse", { title: "Refuse", description: "The request will not be sent." });

/** Renders the decision forms, or the reason why the person may not release. */
function decisionForms(view: ReleaseView): Html | undefined {
  const { release, person, policy, factors, search } = view;
  const { state, id } = release;
  if (!isUnsentState(state)) return undefined;
  if (search !== "")
    return html`<p role="status" class="busy">
      To decide, <a href="/releases/${id}">show all rows</a>: a decision concerns all of them.
    </p>`;
  const reason = (decision: Decision["decision"]) =>
    findDecisionProblem(release, state, { person, decision, policy });
  // Text if the person may not release, or not yet.
  const fieldsOrReason = reason("release") ?? factors;
  return html`${
      state === "waiting" && typeof fieldsOrReason === "string"
        ? html`<p role="status" class="busy">${fieldsOrReason}</p>`
        : undefined
    }
    <div class="decide">
      ${typeof fieldsOrReason === "string" ? undefined : releaseForm(view, fieldsOrReason)}${
        reason("refuse") === undefined ? refuseForm(view) : undefined
      }
    </div>`;
}

export function releasePage(view: ReleaseView): RenderedPage {
  const { person, release, decisions, policy, operations, search, factors, message } = view;
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
  const terms = describeTerms(sealed, operations);
  const { title, summary } = terms;
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
        <p class="large">${summary}</p>
        <p class="large">Valid until ${formatTime(validUntil)}</p>
        <section>
          <h2>Terms</h2>
          ${termsHtml(terms, search)} ${sealed.kind === "call" ? requestHtml(sealed.terms) : undefined}
        </section>
        ${remark === undefined ? undefined : html`<p>${remark}</p>`}
        ${deviations && deviations.length > 0 ? alert(deviations.join(" ")) : undefined}${decisionForms(view)}
        ${pastDecisions(decisions)}
        <section>
          <h2>Details</h2>
          ${factList([
            ["operation", operation],
            ["client", client === "" ? undefined : client],
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
    { hasScript: typeof factors === "object" && factors.request !== undefined },
  );
}
