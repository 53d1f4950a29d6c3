/**
 * Authorisation by OAuth 2.0, in the place of a plain redirect: the link of an authorisation leads to the server's
 * metadata (RFC 8414), from there the person to the page, and the caller with a code (PKCE, RFC 7636) to its token.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import { page } from "../pages/document";
import { html } from "../pages/html";
import type { Extension } from "../server";
import { accessTokenLife } from "../world/tokens";
import type { World } from "../world/world";
import type { Authorisation } from "./authorisation";
import { ask, sendPage, takeAnswer, unknownAuthorisation } from "./sca-page";
import type { TokenGrant } from "./tokens";

const authorizePath = "/public/berlingroup/authorize";
const tokenPath = "/v1/token";

const metadata = (base: string, { authorisationId }: Authorisation) => ({
  issuer: base,
  authorization_endpoint: `${base}${authorizePath}/${authorisationId}`,
  token_endpoint: base + tokenPath,
  scopes_supported: ["account", "payment"],
  response_types_supported: ["code"],
  grant_types_supported: ["authorization_code", "refresh_token"],
  token_endpoint_auth_methods_supported: ["none"],
  code_challenge_methods_supported: ["S256"],
});

/** Of what an authorisation is, and whose that is. */
function subjectOf(
  { openBanking }: World,
  { decision }: Authorisation,
): Pick<TokenGrant, "scope" | "clientIds"> {
  for (const { consentId, client, ...consent } of openBanking.consents.values())
    if (consent.decision === decision) return { scope: `AIS:${consentId}`, clientIds: [client.clientId] };
  for (const { paymentId, client, initiation, cancellation } of openBanking.payments.values())
    if (initiation === decision || cancellation === decision)
      return { scope: `PIS:${paymentId}`, clientIds: [client.clientId] };
  throw new Error("An authorisation is of a consent or of a payment.");
}

type Check = readonly [
  error: string,
  says: string,
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
  const terms = {
    ...subjectOf(world, authorisation),
    applicationId: query.get("client_id")!,
    redirectUri: query.get("redirect_uri")!,
    challenge: query.get("code_challenge")!,
  };
  return back(query, { code: world.openBanking.tokens.issueCode(terms, world.now) });
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

const formOf = ({ body }: FastifyRequest) => new URLSearchParams(String(body ?? ""));

const refuse = (reply: FastifyReply, error: string, description: string): FastifyReply =>
  reply.code(400).send({ error, error_description: description });

const redeemers = new Map<string, (world: World, form: URLSearchParams) => TokenGrant | undefined>([
  [
    "authorization_code",
    ({ openBanking, now }, form) => {
      const field = (name: string) => form.get(name) ?? "";
      const [redirectUri, verifier] = [field("redirect_uri"), field("code_verifier")];
      const proof = { applicationId: field("client_id"), redirectUri, verifier };
      return openBanking.tokens.redeemCode(field("code"), proof, now);
    },
  ],
  [
    "refresh_token",
    ({ openBanking, now }, form) =>
      openBanking.tokens.redeemRefreshToken(
        form.get("refresh_token") ?? "",
        form.get("client_id") ?? "",
        now,
      ),
  ],
]);

function giveTokens(world: World, form: URLSearchParams, reply: FastifyReply): FastifyReply {
  const grantType = form.get("grant_type") ?? "";
  const redeem = redeemers.get(grantType);
  if (!redeem) return refuse(reply, "unsupported_grant_type", `grant_type ${grantType} is not supported.`);
  const grant = redeem(world, form);
  if (!grant)
    return refuse(reply, "invalid_grant", "The code or refresh token is not good, or was meant for another.");
  const { accessToken, refreshToken } = world.openBanking.tokens.issue(grant, world.now);
  return reply.header("cache-control", "no-store").send({
    access_token: accessToken,
    token_type: "Bearer",
    expires_in: accessTokenLife,
    refresh_token: refreshToken,
    scope: grant.scope,
  });
}

export const oauth: Extension = (app, stage) => {
  const find = (id: string | undefined) => stage.world.openBanking.authorisations.get(id ?? "");

  /** What may be done with a request to authorise, when it is as it must be. */
  const authorize = (handle: Handler) => (request: FastifyRequest<Route>, reply: FastifyReply) => {
    const authorisation = find(request.params.authorisationId);
    if (!authorisation) return sendPage(reply, 404, unknownAuthorisation);
    const query = new URLSearchParams(request.url.split("?")[1]);
    const redirectUri = query.get("redirect_uri");
    if (redirectUri === null || redirectUri !== authorisation.returnTo.approved)
      return sendPage(reply, 400, wrongAddress);
    const { scope } = subjectOf(stage.world, authorisation);
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
      return reply
        .code(404)
        .send({ error: "invalid_request", error_description: "There is no such authorisation." });
    },
  );
  app.get<Route>(
    `${authorizePath}/:authorisationId`,
    authorize((authorisation, _query, { url }, reply) => ask(reply, authorisation, url)),
  );
  app.post<Route>(
    `${authorizePath}/:authorisationId`,
    authorize((authorisation, query, request, reply) =>
      takeAnswer(formOf(request), reply, authorisation, request.url, (approved) =>
        nextAfter(stage.world, authorisation, query, approved),
      ),
    ),
  );
  app.post(tokenPath, (request, reply) => giveTokens(stage.world, formOf(request), reply));
};
