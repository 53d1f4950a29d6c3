/**
 * Signing in, an extension: the contract shows the login page, and neither where its form goes nor where tokens come from.
 * Errors are those of OAuth 2.0: `{error, error_description}`.
 */
import { createHmac } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { pageHeaders } from "../pages/document";
import { loginPage } from "../pages/login";
import type { Extension } from "../server";
import { demo } from "../world/parties";
import { accessTokenLife, type Grant } from "../world/tokens";
import type { World } from "../world/world";

const formOf = ({ body }: FastifyRequest): URLSearchParams =>
  new URLSearchParams(Buffer.isBuffer(body) ? body.toString("utf8") : "");

export const signIn: Extension = (app, stage) => {
  app.post("/login", (request, reply) => logIn(stage.world, formOf(request), reply));
  app.post("/token", (request, reply) => giveTokens(stage.world, request, reply));
};

/** The login form: to the application with a code, or once more. */
function logIn(world: World, form: URLSearchParams, reply: FastifyReply): FastifyReply {
  const field = (name: string) => form.get(name) ?? "";
  const asked = { client_id: field("client_id"), redirect_uri: field("redirect_uri"), state: field("state") };
  if (asked.client_id !== demo.authClientId || asked.redirect_uri !== world.settings.redirectUri)
    return refuse(reply, 400, "invalid_request", "The application or its redirect URI is unknown.");
  const contact = [...world.contacts.values()].find(({ email }) => email === field("email"));
  if (!contact?.active || field("password") !== demo.password)
    return reply.code(401).headers(pageHeaders).send(loginPage(asked, "E-mail or password is wrong."));
  const grant = { contactId: contact.contactId, clientIds: [contact.clientId] };
  const back = new URL(asked.redirect_uri);
  back.searchParams.set("code", world.tokens.issueCode(grant, asked.redirect_uri, world.now));
  back.searchParams.set("state", asked.state);
  return reply.redirect(back.href, 302);
}

const basic = `Basic ${Buffer.from(`${demo.authClientId}:${demo.authClientSecret}`).toString("base64")}`;

function giveTokens(world: World, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (request.headers.authorization !== basic)
    return refuse(reply, 401, "invalid_client", "The application's ID or secret is wrong.");
  const form = formOf(request);
  const grantType = form.get("grant_type") ?? "";
  const redeem = grants.get(grantType);
  if (!redeem)
    return refuse(reply, 400, "unsupported_grant_type", `grant_type ${grantType} is not supported.`);
  const grant = redeem(world, form);
  if (!grant)
    return refuse(reply, 400, "invalid_grant", "The code or refresh token is unknown, used or expired.");
  const { accessToken, refreshToken } = world.tokens.issue(grant, world.now);
  return reply.header("cache-control", "no-store").send({
    access_token: accessToken,
    token_type: "Bearer",
    refresh_token: refreshToken,
    expires_in: accessTokenLife,
    id_token: idToken(grant, world.now),
  });
}

const grants = new Map<string, (world: World, form: URLSearchParams) => Grant | undefined>([
  [
    "authorization_code",
    ({ tokens, now }, form) => tokens.redeemCode(form.get("code") ?? "", form.get("redirect_uri") ?? "", now),
  ],
  [
    "refresh_token",
    ({ tokens, now }, form) => tokens.redeemRefreshToken(form.get("refresh_token") ?? "", now),
  ],
]);

const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");

/** Says who logged in, and for which clients; signed with the application's secret. */
function idToken({ contactId, clientIds }: Grant, now: Date): string {
  const issuedAt = Math.floor(now.getTime() / 1_000);
  const claims = {
    iss: "urn:fxdesk:sandbox",
    sub: contactId,
    aud: demo.authClientId,
    iat: issuedAt,
    exp: issuedAt + accessTokenLife,
    clients: clientIds.map((clientId) => ({ client_id: clientId })),
  };
  const content = `${encoded({ alg: "HS256", typ: "JWT" })}.${encoded(claims)}`;
  return `${content}.${createHmac("sha256", demo.authClientSecret).update(content).digest("base64url")}`;
}

const refuse = (reply: FastifyReply, status: number, error: string, description: string): FastifyReply =>
  reply.code(status).send({ error, error_description: description });
