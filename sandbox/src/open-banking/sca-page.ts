/** The pages on which a person approves or refuses what was asked. */
import type { FastifyReply } from "fastify";
import { page, pageHeaders } from "../pages/document";
import { hidden, html, list } from "../pages/html";
import type { Extension } from "../server";
import { type Authorisation, conclude, scaStatusOf } from "./authorisation";

/** A form tells that there was a choice also where nothing is chosen: by a field without a value. */
const choice = (choices: NonNullable<Authorisation["decision"]["choices"]>) =>
  html`<fieldset>
    <legend>Accounts</legend>
    ${hidden("account", "")}
    ${choices.map(
      ([id, name]) =>
        html`<div>
          <label><input type="checkbox" name="account" value="${id}" checked /> ${name}</label>
        </div>`,
    )}
  </fieldset>`;

function question({ authorisationId, decision }: Authorisation, alert?: string): string {
  return page(
    decision.title,
    html`${list(decision.terms)} ${alert === undefined ? undefined : html`<p role="alert">${alert}</p>`}
      <form method="post" action="/sca/${authorisationId}">
        ${decision.choices && choice(decision.choices)}
        <div class="row">
          <button name="decision" value="approve">Approve</button>
          <button class="bad" name="decision" value="refuse">Refuse</button>
        </div>
      </form>`,
  );
}

const outcomes: Readonly<Record<string, string>> = {
  finalised: "Approved. You can close this page.",
  failed: "Refused or out of time. You can close this page.",
};

const answered = (authorisation: Authorisation) =>
  page(authorisation.decision.title, html`<p>${outcomes[scaStatusOf(authorisation)]}</p>`);

const isAnswered = (authorisation: Authorisation) => scaStatusOf(authorisation) in outcomes;

const send = (reply: FastifyReply, status: number, text: string) =>
  reply.code(status).headers(pageHeaders).send(text);

/** What of the choices a form has chosen; undefined where there is none, or the form knows of none. */
const chosenIn = (form: URLSearchParams, { decision: { choices } }: Authorisation) =>
  choices && form.has("account")
    ? choices.map(([id]) => id).filter((id) => form.getAll("account").includes(id))
    : undefined;

interface Route {
  Params: { authorisationId: string };
}

const path = "/sca/:authorisationId";
const unknown = page("Nothing to authorise", html`<p>There is no such authorisation.</p>`);

export const scaPage: Extension = (app, stage) => {
  app.get<Route>(path, async (request, reply) => {
    const authorisation = stage.world.openBanking.authorisations.get(request.params.authorisationId);
    if (!authorisation) return send(reply, 404, unknown);
    if (isAnswered(authorisation)) return send(reply, 200, answered(authorisation));
    authorisation.scaStatus = "started";
    return send(reply, 200, question(authorisation));
  });

  app.post<Route>(path, async (request, reply) => {
    const authorisation = stage.world.openBanking.authorisations.get(request.params.authorisationId);
    if (!authorisation) return send(reply, 404, unknown);
    if (isAnswered(authorisation)) return send(reply, 409, answered(authorisation));
    const form = new URLSearchParams(String(request.body));
    const decision = form.get("decision");
    if (decision !== "approve" && decision !== "refuse") return send(reply, 400, question(authorisation));
    const approved = decision === "approve";
    const chosen = chosenIn(form, authorisation);
    if (approved && chosen?.length === 0)
      return send(reply, 400, question(authorisation, "Choose at least one account."));
    conclude(authorisation, approved, chosen);
    const next = authorisation.returnTo[approved ? "approved" : "refused"];
    return next ? reply.redirect(next, 303) : send(reply, 200, answered(authorisation));
  });
};
