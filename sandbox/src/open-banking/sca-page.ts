/** The pages on which a person approves or refuses what was asked. */
import type { FastifyReply } from "fastify";
import { because, formOf, isForeign } from "../http";
import { page, pageHeaders } from "../pages/document";
import { hidden, html, list } from "../pages/html";
import type { Extension } from "../server";
import type { Authorisation } from "../world/open-banking/decision";
import { conclude, scaStatusOf } from "../world/open-banking/decisions";
import type { World } from "../world/world";

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

function question({ decision }: Authorisation, action: string, alert?: string): string {
  return page(
    decision.title,
    html`${list(decision.terms)} ${alert === undefined ? undefined : html`<p role="alert">${alert}</p>`}
      <form method="post" action="${action}">
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

const outcomePage = (world: World, authorisation: Authorisation) =>
  page(authorisation.decision.title, html`<p>${outcomes[scaStatusOf(world, authorisation)]}</p>`);

const isDecided = (world: World, authorisation: Authorisation) =>
  scaStatusOf(world, authorisation) in outcomes;

export const sendPage = (reply: FastifyReply, status: number, text: string) =>
  reply.code(status).headers(pageHeaders).send(text);

/** What of the choices a form has chosen; undefined where there is none, or the form knows of none. */
const chosenIn = (form: URLSearchParams, { decision: { choices } }: Authorisation) =>
  choices && form.has("account")
    ? choices.map(([id]) => id).filter((id) => form.getAll("account").includes(id))
    : undefined;

/** Shows the question, or what became of it. `action` is where the answer goes. */
export function ask(
  world: World,
  reply: FastifyReply,
  authorisation: Authorisation,
  action: string,
): FastifyReply {
  if (isDecided(world, authorisation)) return sendPage(reply, 200, outcomePage(world, authorisation));
  authorisation.scaStatus = "started";
  return sendPage(reply, 200, question(authorisation, action));
}

/** Takes the answer from the form. `next` is where the person goes then, if anywhere. */
export function receiveDecision(
  world: World,
  form: URLSearchParams,
  reply: FastifyReply,
  authorisation: Authorisation,
  action: string,
  next: (approved: boolean) => string | undefined,
): FastifyReply {
  if (isDecided(world, authorisation))
    return sendPage(because(reply, "It is answered already."), 409, outcomePage(world, authorisation));
  const decision = form.get("decision");
  if (decision !== "approve" && decision !== "refuse")
    return sendPage(because(reply, "decision is required."), 400, question(authorisation, action));
  const approved = decision === "approve";
  const chosen = chosenIn(form, authorisation);
  if (approved && chosen?.length === 0) {
    const message = "Choose at least one account.";
    return sendPage(because(reply, message), 400, question(authorisation, action, message));
  }
  conclude(world, authorisation, approved, chosen);
  const address = next(approved);
  return address ? reply.redirect(address, 303) : sendPage(reply, 200, outcomePage(world, authorisation));
}

interface Route {
  Params: { authorisationId: string };
}

const path = "/sca/:authorisationId";
const noSuch = "There is no such authorisation.";
const unknownAuthorisation = page("Nothing to authorise", html`<p>${noSuch}</p>`);

const foreign = page("Not to be decided here", html`<p>Another web page may not decide in your place.</p>`);

/** The answer to a form that a page of another origin sends. */
export const sendForeign = (reply: FastifyReply): FastifyReply =>
  sendPage(because(reply, "The form comes from another web page."), 403, foreign);

export const sendUnknown = (reply: FastifyReply): FastifyReply =>
  sendPage(because(reply, noSuch), 404, unknownAuthorisation);

export const scaPage: Extension = (app, stage) => {
  const find = (id: string) => stage.world.openBanking.authorisations.get(id);

  app.get<Route>(path, ({ params, url }, reply) => {
    const authorisation = find(params.authorisationId);
    return authorisation ? ask(stage.world, reply, authorisation, url) : sendUnknown(reply);
  });

  app.post<Route>(path, (request, reply) => {
    if (isForeign(request)) return sendForeign(reply);
    const authorisation = find(request.params.authorisationId);
    if (!authorisation) return sendUnknown(reply);
    const { approved, refused } = authorisation.returnTo;
    return receiveDecision(stage.world, formOf(request), reply, authorisation, request.url, (isApproved) =>
      isApproved ? approved : refused,
    );
  });
};
