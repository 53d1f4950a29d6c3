/**
 * Authorisation by OAuth 2.0, in the place of a plain redirect: the link of an authorisation leads to the server's
 * metadata (RFC 8414), from there the person to the page, and the caller with a code (PKCE, RFC 7636) to its token.
 */
import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { formOf, isForeign } from "../http";
import { giveTokens, parameter, refuse, supportedGrantTypes, type TokenEndpoint } from "../oauth/endpoint";
import { page } from "../pages/document";
import { html } from "../pages/html";
import type { Extension } from "../server";
import type { World } from "../world/world";
import { isOpen } from "../world/open-banking/consents";
import type { Authorisation } from "../world/open-banking/decision";
import { ask, receiveDecision, sendForeign, sendPage, sendUnknown } from "./sca-page";
import type { TokenGrant } from "../world/open-banking/tokens";

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

type Check = readonly [
  error: string,
  message: string,
  isRight: (query: URLSearchParams, scope: string) => boolean,
];

const isGiven = (name: string): Check => [
  "invalid_request",
  `${name} is required.`,
  (query) => Boolean(query.get(name)),
];

/** What a request to authorise must say, with the errors of RFC 6749. */
const checks: readonly Check[] = [
  isGiven("client_id"),
  isGiven("state"),
  [
    "unsupported_response_type",
    "response_type must be code.",
    (query) => query.get("response_type") === "code",
  ],
  [
    "invalid_scope",
    "scope must be that of what is authorised.",
    (query, scope) => query.get("scope") === scope,
  ],
  [
    "invalid_request",
    "code_challenge must have 43 characters of base64url.",
    (query) => /^[\w-]{43}$/.test(query.get("code_challenge") ?? ""),
  ],
  [
    "invalid_request",
    "code_challenge_method must be S256.",
    (query) => query.get("code_challenge_method") === "S256",
  ],
];

/** The address the person returns to, with what the caller is to know. */
function back(query: URLSearchParams, told: Readonly<Record<string, string>>): string {
  const address = new URL(query.get("redirect_uri")!);
  for (const [name, value] of Object.entries(told)) address.searchParams.set(name, value);
  if (query.has("state")) address.searchParams.set("state", query.get("state")!);
  return address.href;
}

function nextAfter(
  world: World,
  authorisation: Authorisation,
  query: URLSearchParams,
  approved: boolean,
): string {
  if (!approved) return back(query, { error: "access_denied" });
  const [client_id, redirect_uri] = [query.get("client_id")!, query.get("redirect_uri")!];
  const grant = { ...authorisation.decision.subject, applicationId: client_id };
  const binding = { client_id, redirect_uri, code_challenge: query.get("code_challenge")! };
  return back(query, { code: world.openBanking.tokens.issueCode(grant, binding, world.now) });
}

const wrongAddress = page(
  "Not to be authorised here",
  html`<p>redirect_uri is not the one that was given when the authorisation began.</p>`,
);

interface Route {
  Params: { authorisationId: string };
}

type Handler = (
  authorisation: Authorisation,
  query: URLSearchParams,
  request: FastifyRequest<Route>,
  reply: FastifyReply,
) => FastifyReply;

const challengeOf = (verifier: string) => createHash("sha256").update(verifier).digest("base64url");

/**
 * An application has no secret: the code is bound to it by PKCE, and the refresh token by its name. Nothing is refreshed of
 * a consent that has ended.
 */
const endpoint = (world: World): TokenEndpoint<TokenGrant> => ({
  tokens: world.openBanking.tokens,
  bindingIn: (form) => ({
    client_id: parameter(form, "client_id"),
    redirect_uri: parameter(form, "redirect_uri"),
    code_challenge: challengeOf(parameter(form, "code_verifier")),
  }),
  mayRefresh: (grant, form) => isOpen(world, grant) && grant.applicationId === parameter(form, "client_id"),
  about: ({ scope }) => ({ scope }),
});

export const oauth: Extension = (app, stage) => {
  const find = (id: string | undefined) => stage.world.openBanking.authorisations.get(id ?? "");

  /** What may be done with a request to authorise, when it is as it must be. */
  const authorize = (handle: Handler) => (request: FastifyRequest<Route>, reply: FastifyReply) => {
    const authorisation = find(request.params.authorisationId);
    if (!authorisation) return sendUnknown(reply);
    const query = new URL(request.url, "http://localhost").searchParams;
    const redirectUri = query.get("redirect_uri");
    if (redirectUri === null || redirectUri !== authorisation.returnTo.approved)
      return sendPage(reply, 400, wrongAddress);
    const { scope } = authorisation.decision.subject;
    const broken = checks.find(([, , isRight]) => !isRight(query, scope));
    if (!broken) return handle(authorisation, query, request, reply);
    const [error, description] = broken;
    return reply.redirect(back(query, { error, error_description: description }), 302);
  };

  app.get<{ Querystring: { authorizationId?: string } }>(
    "/.well-known/openid-configuration",
    ({ headers, query }, reply) => {
      const authorisation = find(query.authorizationId);
      if (authorisation) return reply.send(metadata(`http://${headers.host}`, authorisation));
      return refuse(reply, 404, "invalid_request", "There is no such authorisation.");
    },
  );
  app.get<Route>(
    `${authorizePath}/:authorisationId`,
    authorize((authorisation, _query, { url }, reply) => ask(stage.world, reply, authorisation, url)),
  );
  app.post<Route>(
    `${authorizePath}/:authorisationId`,
    authorize((authorisation, query, request, reply) =>
      isForeign(request)
        ? sendForeign(reply)
        : receiveDecision(stage.world, formOf(request), reply, authorisation, request.url, (approved) =>
            nextAfter(stage.world, authorisation, query, approved),
          ),
    ),
  );
  app.post(tokenPath, (request, reply) =>
    giveTokens(endpoint(stage.world), formOf(request), stage.world.now, reply),
  );
};
