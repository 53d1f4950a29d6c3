/** Dashboard at /: the sandbox's state, and its controls as forms. Works without JavaScript. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FastifyReply, FastifyRequest } from "fastify";
import { controls } from "../control/controls";
import { runControl, methodOf } from "../control/control-plane";
import { HttpError } from "../http/http-error";
import type { RoutePlugin } from "../server/server";
import type { SandboxSession } from "../session/sandbox-session";
import { docsPath } from "./docs";
import { createPageTemplate, type Html, html } from "../pages/page";
import { parseSubmission, valuesFromSubmission } from "./form";
import { accountsPanel, paymentsPanel, tradesPanel } from "./money-panels";
import { approvalsPanel, pendingDecisionsPanel } from "./decision-panels";
import {
  clockPanel,
  faultsPanel,
  marketPanel,
  outboxPanel,
  requestsPanel,
  resetPanel,
  savedStatePanel,
} from "./simulation-panels";
import type { Panel } from "./panel";

const style = `
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem 1rem; padding: 1.1rem 1.5rem .2rem;
  max-width: 82rem; margin: auto; }
header p { margin: 0; color: var(--soft); }
nav { display: flex; flex-wrap: wrap; gap: .2rem .9rem; flex-basis: 100%; font-size: .88rem; }
nav a { padding: .2rem 0; }
main { display: grid; grid-template-columns: minmax(0, 2.2fr) minmax(0, 1fr); gap: 1rem; align-items: start;
  padding: .8rem 1.5rem 5rem; max-width: 82rem; margin: auto; }
main > div { display: grid; gap: 1rem; min-width: 0; }
.top { grid-column: 1 / -1; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 1rem 1.15rem; min-width: 0; }
h2 { font-size: 1rem; margin: 0 0 .6rem; }
h3 { font-size: .93rem; margin: 0 0 .25rem; }
h3 small { display: block; font-weight: 400; overflow-wrap: anywhere; }
small, .none, .more { color: var(--soft); font-size: .85rem; }
.more { margin: .5rem 0 0; }
/* Shadow at the edge of content that can be scrolled. */
.scroll { overflow-x: auto; background:
  linear-gradient(to right, var(--card) 40%, transparent) 0 0 / 2rem 100% no-repeat local,
  linear-gradient(to left, var(--card) 40%, transparent) 100% 0 / 2rem 100% no-repeat local,
  linear-gradient(to right, var(--line), transparent) 0 0 / .6rem 100% no-repeat scroll,
  linear-gradient(to left, var(--line), transparent) 100% 0 / .6rem 100% no-repeat scroll; }
table { border-collapse: collapse; width: 100%; font-size: .93rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .38rem .8rem .38rem 0; border-top: 1px solid var(--line); white-space: nowrap;
  vertical-align: top; }
th:last-child, td:last-child { padding-right: 0; }
thead th, thead td { border-top: 0; color: var(--soft); font-weight: 500; font-size: .82rem; padding-top: 0; }
tbody th { font-weight: 600; }
tbody small { display: block; font-weight: 400; font-size: .9em; line-height: 1.25; }
tbody th small { white-space: normal; }
th.number, td.number { text-align: right; }
.zero, .query { color: var(--soft); }
td.url { white-space: normal; overflow-wrap: anywhere; width: 100%; }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(18rem, 100%), 1fr)); gap: .6rem; }
.sides > div { min-width: 0; }
pre { margin: .2rem 0 .5rem; padding: .5rem .6rem; max-height: 22rem; overflow: auto; border: 1px solid var(--line);
  border-radius: 8px; font-size: .82rem; line-height: 1.4; white-space: pre-wrap; overflow-wrap: anywhere; }
.chip { display: inline-block; padding: 0 .55rem; border-radius: 99px; font-size: .82rem; font-weight: 550; white-space: nowrap; }
.good { color: var(--good); background: var(--goodback); }
.busy { color: var(--busy); background: var(--busyback); }
.chip.bad, .notice.bad { color: var(--bad); background: var(--badback); }
.calm { color: var(--calm); background: var(--calmback); }
.clock { font-size: 1.08rem; font-weight: 600; font-variant-numeric: tabular-nums; }
ul { margin: 0 0 .5rem; padding-left: 1.1rem; }
time { white-space: nowrap; }
details { border-top: 1px solid var(--line); padding: .5rem 0; }
summary { cursor: pointer; font-weight: 550; }
details p { color: var(--soft); margin: .35rem 0 0; }
article { border-top: 1px solid var(--line); padding: .65rem 0 .3rem; }
article:first-child { border-top: 0; padding-top: 0; }
.row { display: flex; flex-wrap: wrap; gap: .4rem; }
.row.end { justify-content: end; flex-wrap: nowrap; }
form.inputs { display: flex; flex-wrap: wrap; gap: .55rem .6rem; align-items: end; border-top: 1px solid var(--line);
  margin-top: .8rem; padding-top: .8rem; }
details form.inputs, article form.inputs { border-top: 0; margin-top: 0; padding-top: .4rem; }
td form { display: inline-block; margin-left: .4rem; }
td .row form { margin: 0; }
td button { min-height: 1.9rem; padding: .1rem .55rem; font-weight: 500; }
label { flex: 1 1 6.5rem; min-width: 0; }
label:has(select) { flex-basis: 9rem; }
.decisions { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(21rem, 100%), 1fr)); gap: .8rem; }
.decisions article { border: 1px solid var(--line); border-radius: 9px; padding: .7rem .85rem; display: flex;
  flex-direction: column; }
.decisions dl { font-size: .93rem; }
.decisions article form { margin-top: auto; }
#clock { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1.2rem; }
#clock h2, #clock p { margin: 0; }
#clock-forms { display: flex; flex-wrap: wrap; align-items: end; gap: .5rem 1rem; flex: 1; justify-content: end; }
#clock form.inputs { border: 0; margin: 0; padding: 0; flex-wrap: nowrap; }
#clock label span { position: absolute; clip-path: inset(50%); }
#notice { position: fixed; bottom: .8rem; left: 50%; translate: -50%; width: min(60rem, calc(100% - 1.6rem)); z-index: 1; }
.notice { margin: 0; padding: .55rem 1rem; border: 1px solid; border-radius: 9px; box-shadow: 0 4px 16px rgb(0 0 0 / 20%); }
.notice.good { animation: hide 0s 10s forwards; }
@keyframes hide { to { visibility: hidden; } }
@media (max-width: 60rem) { main { grid-template-columns: minmax(0, 1fr); } #clock-forms { justify-content: start; } }
@media (max-width: 30rem) { .minor { display: none; } table { font-size: .82rem; }
  th, td { padding-right: .6rem; } tbody th, tbody small { white-space: normal; }
  td > form { display: block; margin: .3rem 0 0; }
  .chip { padding: 0 .4rem; font-size: .76rem; white-space: normal; border-radius: 8px; max-width: 7.2rem; }
  header, main { padding-left: .8rem; padding-right: .8rem; } }
`;

/** Script that refreshes the page, embedded in it. */
const script = readFileSync(join(__dirname, "../../resources/dashboard.js"), "utf8");

/** In display order. */
const panels: readonly Panel[] = [
  clockPanel,
  pendingDecisionsPanel,
  accountsPanel,
  tradesPanel,
  paymentsPanel,
  requestsPanel,
  marketPanel,
  outboxPanel,
  faultsPanel,
  approvalsPanel,
  savedStatePanel,
  resetPanel,
];

const dashboardTemplate = createPageTemplate(style, { script });

/** Part of the page that the script refreshes. */
const livePart = (id: string, content: Html | undefined): Html | undefined =>
  content && html`<div id="${id}" data-live>${content}</div>`;

const renderPanel = (session: SandboxSession, { id, title, show, forms }: Panel): Html =>
  html`<section id="${id}" aria-labelledby="${id}-title">
    <h2 id="${id}-title">${title}</h2>
    ${livePart(`${id}-shown`, show?.(session))}${livePart(`${id}-forms`, forms?.(session))}
  </section>`;

const renderArea = (session: SandboxSession, area: Panel["area"]): Html =>
  html`<div class="${area}">
    ${panels.filter((panel) => panel.area === area).map((panel) => renderPanel(session, panel))}
  </div>`;

const panelLinks = html`<nav aria-label="On this page">
  ${panels.map(({ id, title }) => html`<a href="#${id}">${title}</a> `)}
</nav>`;

const docsLink = html`<p><a href="${docsPath}">Operations: try each one in a form</a></p>`;

interface Notice {
  readonly cssClass: "good" | "bad";
  readonly message: string;
}

const banner = ({ cssClass, message }: Notice): Html =>
  html`<p class="notice ${cssClass}" role="${cssClass === "bad" ? "alert" : "status"}">${message}</p>`;

const renderDashboard = (session: SandboxSession, notice: Notice | undefined): string =>
  dashboardTemplate.render(
    "fxdesk sandbox",
    html`<header>
        <h1>fxdesk sandbox</h1>
        <p>${session.world.clients.get(session.world.home.clientId)!.name} · no real bank, no real money</p>
        ${docsLink} ${panelLinks}
      </header>
      <div id="notice" tabindex="-1">${notice && banner(notice)}</div>
      <main>
        ${renderArea(session, "top")} ${renderArea(session, "main")} ${renderArea(session, "side")}
      </main>`,
  );

const sendDashboard = (
  reply: FastifyReply,
  session: SandboxSession,
  status: number,
  notice?: Notice,
): FastifyReply =>
  reply.code(status).headers(dashboardTemplate.headers).send(renderDashboard(session, notice));

const findControl = (method: unknown) => controls.find((control) => methodOf(control) === method);

/** Runs the control of a form and shows the page again. */
async function submitForm(
  session: SandboxSession,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const submission = await parseSubmission(request);
  const control = findControl(submission.get("control"));
  if (!control)
    return sendDashboard(reply, session, 404, { cssClass: "bad", message: "The control is unknown." });
  try {
    await runControl(session, control, await valuesFromSubmission(control, submission));
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    const message = [`${control.title}:`, error.message, error.details].filter(Boolean).join(" ");
    return sendDashboard(reply, session, error.status, { cssClass: "bad", message });
  }
  return reply.redirect(`/?done=${methodOf(control)}`, 303);
}

interface DashboardRoute {
  Querystring: { done?: string };
}

export const dashboard: RoutePlugin = (app, session) => {
  app.get<DashboardRoute>("/", (request, reply) => {
    const done = findControl(request.query.done ?? null);
    return sendDashboard(reply, session, 200, done && { cssClass: "good", message: `${done.title}: done.` });
  });
  app.post("/", (request, reply) => submitForm(session, request, reply));
};
