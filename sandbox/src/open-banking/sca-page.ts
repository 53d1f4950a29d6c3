/** The pages on which a person approves or refuses what was asked. */
import type { FastifyReply } from "fastify";
import type { Extension } from "../server";
import { type Authorisation, conclude, scaStatusOf } from "./authorisation";

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => escapes[character]!);

const page = (title: string, content: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; margin: 0; background: #f2f4f7; color: #1d2939; }
  main { max-width: 34rem; margin: 8vh auto; padding: 2rem; background: #fff; border-radius: 12px;
    box-shadow: 0 1px 3px #1018281a; }
  h1 { margin: 0 0 1rem; font-size: 1.35rem; }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: .4rem 1.2rem; }
  dt { color: #667085; }
  dd { margin: 0; overflow-wrap: anywhere; }
  button { font: inherit; padding: .6rem 1.4rem; border: 1px solid #d0d5dd; border-radius: 8px;
    background: #fff; cursor: pointer; }
  button.approve { background: #175cd3; border-color: #175cd3; color: #fff; }
  small { color: #667085; }
</style>
</head>
<body><main>
<h1>${escaped(title)}</h1>
${content}
<p><small>Sandbox: no real bank, no real money.</small></p>
</main></body>
</html>
`;

function question({ authorisationId, decision }: Authorisation): string {
  const terms = decision.terms.map(([name, value]) => `<dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>`);
  return page(
    decision.title,
    `<dl>${terms.join("")}</dl>
<form method="post" action="/sca/${authorisationId}">
<button class="approve" name="decision" value="approve">Approve</button>
<button name="decision" value="refuse">Refuse</button>
</form>`,
  );
}

const outcomes: Readonly<Record<string, string>> = {
  finalised: "Approved. You can close this page.",
  failed: "Refused or out of time. You can close this page.",
};

const answered = (authorisation: Authorisation) =>
  page(authorisation.decision.title, `<p>${outcomes[scaStatusOf(authorisation)]}</p>`);

const isAnswered = (authorisation: Authorisation) => scaStatusOf(authorisation) in outcomes;

const send = (reply: FastifyReply, status: number, html: string) =>
  reply
    .code(status)
    .header("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'")
    .type("text/html; charset=utf-8")
    .send(html);

interface Route {
  Params: { authorisationId: string };
}

const path = "/sca/:authorisationId";
const unknown = page("Nothing to authorise", "<p>There is no such authorisation.</p>");

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
