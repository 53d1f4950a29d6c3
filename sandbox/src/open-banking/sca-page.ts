/** Pages on which a person approves or refuses a consent or payment. */
import type { FastifyReply } from "fastify";
import { withLoggedError, parseForm, isCrossOrigin } from "../http/http";
import { cardPage, pageHeaders } from "../pages/page-template";
import { hiddenInput, html, definitionList } from "../pages/html";
import type { RoutePlugin } from "../server/server";
import type { Authorisation } from "../world/model/decision";
import { concludeAuthorisation, scaStatusOf } from "../world/open-banking/authorisations";
import type { World } from "../world/model/world";

/** Checkboxes of the accounts. The hidden empty value marks the form as having choices even if none is checked. */
const accountChoices = (choices: NonNullable<Authorisation["decision"]["choices"]>) =>
  html`<fieldset>
    <legend>Accounts</legend>
    ${hiddenInput("account", "")}
    ${choices.map(
      ([id, name]) =>
        html`<div>
          <label><input type="checkbox" name="account" value="${id}" checked /> ${name}</label>
        </div>`,
    )}
  </fieldset>`;

function questionPage({ decision }: Authorisation, action: string, alert?: string): string {
  return cardPage(
    decision.title,
    html`${definitionList(decision.terms)}
      ${alert === undefined ? undefined : html`<p role="alert">${alert}</p>`}
      <form method="post" action="${action}">
        ${decision.choices && accountChoices(decision.choices)}
        <div class="row">
          <button name="decision" value="approve">Approve</button>
          <button class="bad" name="decision" value="refuse">Refuse</button>
        </div>
      </form>`,
  );
}

const outcomes: Readonly<Record<string, string>> = {
  finalised: "Approved. You can close this page.",
  failed: "Refused or expired. You can close this page.",
};

const outcomePage = (world: World, authorisation: Authorisation) =>
  cardPage(authorisation.decision.title, html`<p>${outcomes[scaStatusOf(world, authorisation)]}</p>`);

const isDecided = (world: World, authorisation: Authorisation) =>
  scaStatusOf(world, authorisation) in outcomes;

export const sendPage = (reply: FastifyReply, status: number, text: string) =>
  reply.code(status).headers(pageHeaders).send(text);

/** Returns the selected accounts, or undefined if there was no choice. */
const selectedChoices = (form: URLSearchParams, { decision: { choices } }: Authorisation) =>
  choices && form.has("account")
    ? choices.map(([id]) => id).filter((id) => form.getAll("account").includes(id))
    : undefined;

/** Shows the approval form, or the outcome if it was decided. `action` is the URL that receives the form. */
export function sendQuestion(
  world: World,
  reply: FastifyReply,
  authorisation: Authorisation,
  action: string,
): FastifyReply {
  if (isDecided(world, authorisation)) return sendPage(reply, 200, outcomePage(world, authorisation));
  authorisation.scaStatus = "started";
  return sendPage(reply, 200, questionPage(authorisation, action));
}

/** Records the decision from the form. `nextUrl` returns the page to redirect to, if any. */
export function receiveDecision(
  world: World,
  form: URLSearchParams,
  reply: FastifyReply,
  authorisation: Authorisation,
  action: string,
  nextUrl: (approved: boolean) => string | undefined,
): FastifyReply {
  if (isDecided(world, authorisation))
    return sendPage(
      withLoggedError(reply, "The authorisation was already decided."),
      409,
      outcomePage(world, authorisation),
    );
  const decision = form.get("decision");
  if (decision !== "approve" && decision !== "refuse")
    return sendPage(
      withLoggedError(reply, "decision is required."),
      400,
      questionPage(authorisation, action),
    );
  const approved = decision === "approve";
  const selected = selectedChoices(form, authorisation);
  if (approved && selected?.length === 0) {
    const message = "Choose at least one account.";
    return sendPage(withLoggedError(reply, message), 400, questionPage(authorisation, action, message));
  }
  concludeAuthorisation(world, authorisation, approved, selected);
  const address = nextUrl(approved);
  return address ? reply.redirect(address, 303) : sendPage(reply, 200, outcomePage(world, authorisation));
}

interface Route {
  Params: { authorisationId: string };
}

const pagePath = "/sca/:authorisationId";
const notFoundMessage = "The authorisation is unknown.";
const unknownAuthorisation = cardPage("Authorisation not found", html`<p>${notFoundMessage}</p>`);

const crossOriginPage = cardPage(
  "Decision not accepted",
  html`<p>The form was sent by another web page. Nothing was decided.</p>`,
);

/** Refuses a form that was sent by a page of another origin. */
export const sendCrossOriginError = (reply: FastifyReply): FastifyReply =>
  sendPage(withLoggedError(reply, "The form was sent by another web page."), 403, crossOriginPage);

export const sendNotFound = (reply: FastifyReply): FastifyReply =>
  sendPage(withLoggedError(reply, notFoundMessage), 404, unknownAuthorisation);

export const scaPage: RoutePlugin = (app, session) => {
  const findAuthorisation = (id: string) => session.world.openBanking.authorisations.get(id);

  app.get<Route>(pagePath, ({ params, url }, reply) => {
    const authorisation = findAuthorisation(params.authorisationId);
    return authorisation ? sendQuestion(session.world, reply, authorisation, url) : sendNotFound(reply);
  });

  app.post<Route>(pagePath, (request, reply) => {
    if (isCrossOrigin(request)) return sendCrossOriginError(reply);
    const authorisation = findAuthorisation(request.params.authorisationId);
    if (!authorisation) return sendNotFound(reply);
    const { approved, refused } = authorisation.returnTo;
    return receiveDecision(
      session.world,
      parseForm(request),
      reply,
      authorisation,
      request.url,
      (isApproved) => (isApproved ? approved : refused),
    );
  });
};
