/** Dashboard at /: the sandbox's state, and its controls as forms. Works without JavaScript. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { controls } from "../control/controls";
import { runControl, methodOf } from "../control/control-plane";
import { HttpError } from "../http/http-error";
import type { RoutePlugin } from "../server/server";
import type { SandboxSession } from "../session/sandbox-session";
import { docsPath } from "./docs";
import { createPageTemplate, type Html, html } from "../pages/page";
import { script, style } from "./assets";
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
