/** The page at /: what the sandbox holds, and its controls as forms. Works without JavaScript. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { controls } from "../../control/controls";
import { act, methodOf } from "../../control/in-process";
import { Refusal } from "../../refusal";
import type { Extension } from "../../server";
import type { Stage } from "../../stage";
import { docsPath } from "../docs";
import { pagesWith } from "../document";
import { type Html, html } from "../html";
import { script, style } from "./assets";
import { sentIn, valuesFrom } from "./form";
import { panels } from "./panels";
import type { Panel } from "./parts";

const dashboards = pagesWith(style, { script });

/** A part that the script reads again. */
const live = (id: string, content: Html | undefined): Html | undefined =>
  content && html`<div id="${id}" data-live>${content}</div>`;

const drawn = (stage: Stage, { id, title, show, forms }: Panel): Html =>
  html`<section id="${id}" aria-labelledby="${id}-title">
    <h2 id="${id}-title">${title}</h2>
    ${live(`${id}-shown`, show?.(stage))}${live(`${id}-forms`, forms?.(stage))}
  </section>`;

const placed = (stage: Stage, place: Panel["place"]): Html =>
  html`<div class="${place}">
    ${panels.filter((panel) => panel.place === place).map((panel) => drawn(stage, panel))}
  </div>`;

const links = html`<nav aria-label="On this page">
  ${panels.map(({ id, title }) => html`<a href="#${id}">${title}</a> `)}
</nav>`;

const elsewhere = html`<p><a href="${docsPath}">Operations, and a form that tries each</a></p>`;

interface Notice {
  readonly look: "good" | "bad";
  readonly message: string;
}

const banner = ({ look, message }: Notice): Html =>
  html`<p class="notice ${look}" role="${look === "bad" ? "alert" : "status"}">${message}</p>`;

const shown = (stage: Stage, notice: Notice | undefined): string =>
  dashboards.written(
    "fxdesk sandbox",
    html`<header>
        <h1>fxdesk sandbox</h1>
        <p>${stage.world.clients.get(stage.world.home.clientId)!.name} · no real bank, no real money</p>
        ${elsewhere} ${links}
      </header>
      <div id="notice" tabindex="-1">${notice && banner(notice)}</div>
      <main>${placed(stage, "top")} ${placed(stage, "main")} ${placed(stage, "side")}</main>`,
  );

const send = (reply: FastifyReply, stage: Stage, status: number, notice?: Notice): FastifyReply =>
  reply.code(status).headers(dashboards.headers).send(shown(stage, notice));

const controlNamed = (method: unknown) => controls.find((control) => methodOf(control) === method);

/** Does what a form asks for, and shows the page again. */
async function submit(stage: Stage, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const sent = await sentIn(request);
  const control = controlNamed(sent.get("control"));
  if (!control) return send(reply, stage, 404, { look: "bad", message: "There is no such control." });
  try {
    await act(stage, control, await valuesFrom(control, sent));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const message = [`${control.title}:`, error.message, error.details].filter(Boolean).join(" ");
    return send(reply, stage, error.status, { look: "bad", message });
  }
  return reply.redirect(`/?done=${methodOf(control)}`, 303);
}

interface Shown {
  Querystring: { done?: string };
}

export const dashboard: Extension = (app, stage) => {
  app.get<Shown>("/", (request, reply) => {
    const done = controlNamed(request.query.done ?? null);
    return send(reply, stage, 200, done && { look: "good", message: `${done.title}: done.` });
  });
  app.post("/", (request, reply) => submit(stage, request, reply));
};
