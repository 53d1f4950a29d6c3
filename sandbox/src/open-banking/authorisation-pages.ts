/** Pages on which a person approves or refuses a consent or payment, by plain redirect or by OAuth 2.0. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { withLoggedError, parseForm, isCrossOrigin } from "../http/http";
import { cardPage, pageHeaders, hiddenInput, html, definitionList } from "../pages/page";
import type { RoutePlugin } from "../server/server";
import type { Authorisation } from "../world/model/decision";
import { concludeAuthorisation, scaStatusOf } from "../world/open-banking/authorisations";
import type { World } from "../world/model/world";
import {
  challengeOf,
  issueTokens,
  formParameter,
  returnUrl,
  sendOAuthError,
  supportedGrantTypes,
  type TokenEndpoint,
} from "../http/token-endpoint";
import { isUsable } from "../world/open-banking/consents";
import type { TokenGrant } from "../world/model/open-banking";

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

const sendPage = (reply: FastifyReply, status: number, text: string) =>
  reply.code(status).headers(pageHeaders).send(text);

const sendErrorPage = (reply: FastifyReply, status: number, message: string, text: string) =>
  sendPage(withLoggedError(reply, message), status, text);

/** Returns the selected accounts, or undefined if there was no choice. */
const selectedChoices = (form: URLSearchParams, { decision: { choices } }: Authorisation) =>
  choices && form.has("account")
    ? choices.map(([id]) => id).filter((id) => form.getAll("account").includes(id))
    : undefined;

/** Shows the approval form, or the outcome if it was decided. `action` is the URL that receives the form. */
function sendQuestion(
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
function receiveDecision(
  world: World,
  form: URLSearchParams,
  reply: FastifyReply,
  authorisation: Authorisation,
  action: string,
  nextUrl: (approved: boolean) => string | undefined,
): FastifyReply {
  if (isDecided(world, authorisation))
    return sendErrorPage(
      reply,
      409,
      "The authorisation was already decided.",
      outcomePage(world, authorisation),
    );
  const decision = form.get("decision");
  if (decision !== "approve" && decision !== "refuse")
    return sendErrorPage(reply, 400, "decision is required.", questionPage(authorisation, action));
  const approved = decision === "approve";
  const selected = selectedChoices(form, authorisation);
  if (approved && selected?.length === 0) {
    const message = "Choose at least one account.";
    return sendErrorPage(reply, 400, message, questionPage(authorisation, action, message));
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
const sendCrossOriginError = (reply: FastifyReply): FastifyReply =>
  sendErrorPage(reply, 403, "The form was sent by another web page.", crossOriginPage);

const sendNotFound = (reply: FastifyReply): FastifyReply =>
  sendErrorPage(reply, 404, notFoundMessage, unknownAuthorisation);

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

const authorizePath = "/public/berlingroup/authorize";
const tokenPath = "/v1/token";

const metadata = (base: string, { authorisationId }: Authorisation) => ({
  issuer: base,
  authorization_endpoint: `${base}${authorizePath}/${authorisationId}`,
  token_endpoint: base + tokenPath,
  scopes_supported: ["account", "payment"],
  response_types_supported: ["code"],
  grant_types_supported: supportedGrantTypes,
  token_endpoint_auth_methods_supported: ["none"],
  code_challenge_methods_supported: ["S256"],
});

/** Patterns of the parameters of an authorisation request, with the errors of RFC 6749. */
const parameterChecks = [
  ["client_id", /./, "invalid_request", "client_id is required."],
  ["state", /./, "invalid_request", "state is required."],
  ["response_type", /^code$/, "unsupported_response_type", "response_type must be code."],
  ["code_challenge", /^[\w-]{43}$/, "invalid_request", "code_challenge must be 43 characters of base64url."],
  ["code_challenge_method", /^S256$/, "invalid_request", "code_challenge_method must be S256."],
] as const;

/** Returns the error of an invalid authorisation request. */
function requestError(query: URLSearchParams, scope: string) {
  const failedCheck = parameterChecks.find(([name, pattern]) => !pattern.test(query.get(name) ?? ""));
  if (failedCheck) return { error: failedCheck[2], error_description: failedCheck[3] };
  if (query.get("scope") === scope) return undefined;
  return {
    error: "invalid_scope",
    error_description: "scope must match the consent or payment to authorise.",
  };
}

function urlAfterDecision(
  world: World,
  authorisation: Authorisation,
  query: URLSearchParams,
  approved: boolean,
): string {
  if (!approved) return returnUrl(query, { error: "access_denied" });
  const [client_id, redirect_uri] = [query.get("client_id")!, query.get("redirect_uri")!];
  const grant = { ...authorisation.decision.subject, applicationId: client_id };
  const binding = { client_id, redirect_uri, code_challenge: query.get("code_challenge")! };
  return returnUrl(query, { code: world.openBanking.tokens.issueCode(grant, binding, world.now) });
}

const wrongRedirectPage = cardPage(
  "Redirect URI does not match",
  html`<p>redirect_uri must be the URI from the request that started the authorisation.</p>`,
);

type Handler = (
  authorisation: Authorisation,
  query: URLSearchParams,
  request: FastifyRequest<Route>,
  reply: FastifyReply,
) => FastifyReply;

/**
 * Clients have no secret: PKCE binds the code, and client_id binds the refresh token. Grants of ended consents cannot
 * be refreshed.
 */
const tokenEndpoint = (world: World): TokenEndpoint<TokenGrant> => ({
  tokens: world.openBanking.tokens,
  readBinding: (form) => ({
    client_id: formParameter(form, "client_id"),
    redirect_uri: formParameter(form, "redirect_uri"),
    code_challenge: challengeOf(formParameter(form, "code_verifier")),
  }),
  mayRefresh: (grant, form) =>
    isUsable(world, grant) && grant.applicationId === formParameter(form, "client_id"),
  extraFields: ({ scope }) => ({ scope }),
});

export const oauth: RoutePlugin = (app, session) => {
  const findAuthorisation = (id: string | undefined) =>
    session.world.openBanking.authorisations.get(id ?? "");

  /** Calls the handler if the authorisation request is valid. */
  const authorize = (handle: Handler) => (request: FastifyRequest<Route>, reply: FastifyReply) => {
    const authorisation = findAuthorisation(request.params.authorisationId);
    if (!authorisation) return sendNotFound(reply);
    const query = new URL(request.url, "http://localhost").searchParams;
    const redirectUri = query.get("redirect_uri");
    if (redirectUri === null || redirectUri !== authorisation.returnTo.approved)
      return sendPage(reply, 400, wrongRedirectPage);
    const error = requestError(query, authorisation.decision.subject.scope);
    if (error) return reply.redirect(returnUrl(query, error), 302);
    return handle(authorisation, query, request, reply);
  };

  app.get<{ Querystring: { authorizationId?: string } }>(
    "/.well-known/openid-configuration",
    ({ headers, query }, reply) => {
      const authorisation = findAuthorisation(query.authorizationId);
      if (authorisation) return reply.send(metadata(`http://${headers.host}`, authorisation));
      return sendOAuthError(reply, 404, "invalid_request", "The authorisation is unknown.");
    },
  );
  app.get<Route>(
    `${authorizePath}/:authorisationId`,
    authorize((authorisation, _query, { url }, reply) =>
      sendQuestion(session.world, reply, authorisation, url),
    ),
  );
  app.post<Route>(
    `${authorizePath}/:authorisationId`,
    authorize((authorisation, query, request, reply) =>
      isCrossOrigin(request)
        ? sendCrossOriginError(reply)
        : receiveDecision(session.world, parseForm(request), reply, authorisation, request.url, (approved) =>
            urlAfterDecision(session.world, authorisation, query, approved),
          ),
    ),
  );
  app.post(tokenPath, (request, reply) =>
    issueTokens(tokenEndpoint(session.world), parseForm(request), session.world.now, reply),
  );
};
