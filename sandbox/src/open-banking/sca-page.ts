/** The pages on which a person approves or refuses what was asked. */
import type { FastifyReply } from "fastify";
import { page, pageHeaders } from "../pages/document";
import { html, list } from "../pages/html";
import type { Extension } from "../server";
import { type Authorisation, conclude, scaStatusOf } from "./authorisation";

function question({ authorisationId, decision }: Authorisation): string {
  return page(
    decision.title,
    html`${list(decision.terms)}
      <form method="post" action="/sca/${authorisationId}">
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
    const decision = new URLSearchParams(String(request.body)).get("decision");
    if (decision !== "approve" && decision !== "refuse") return send(reply, 400, question(authorisation));
    const approved = decision === "approve";
    conclude(authorisation, approved);
    const next = authorisation.returnTo[approved ? "approved" : "refused"];
    return next ? reply.redirect(next, 303) : send(reply, 200, answered(authorisation));
  });
};
