/**
 * Extension for signing in. The contract shows the login page, but neither the target of its form nor the token
 * endpoint. Errors are those of OAuth 2.0: `{error, error_description}`.
 */
import { createHmac } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { withLoggedError, parseForm } from "../http/http";
import { issueTokens, formParameter, sendOAuthError, type TokenEndpoint } from "../http/token-endpoint";
import { accessTokenSeconds, type Grant } from "../world/tokens/tokens";
import { pageHeaders } from "../pages/page-template";
import { loginPage, type LoginRequest } from "../pages/login";
import type { RoutePlugin } from "../server/server";
import { demo } from "../world/parties/parties";
import type { World } from "../world/model/world";

export const signIn: RoutePlugin = (app, session, { tokens }) => {
  app.post("/login", (request, reply) => handleLogin(session.world, parseForm(request), reply));
  if (tokens) app.post(tokens.path, (request, reply) => exchangeToken(session.world, request, reply));
};

/** Redirects to the application with a code, or shows the form again. */
function handleLogin(world: World, form: URLSearchParams, reply: FastifyReply): FastifyReply {
  const field = (name: string) => formParameter(form, name);
  // Custom forms may omit the redirect URI, because only one is registered.
  const redirectUri = field("redirect_uri") || world.settings.redirectUri;
  const loginRequest = { client_id: field("client_id"), redirect_uri: redirectUri, state: field("state") };
  if (
    loginRequest.client_id !== demo.authClientId ||
    loginRequest.redirect_uri !== world.settings.redirectUri
  )
    return sendOAuthError(reply, 400, "invalid_request", "The application or its redirect URI is unknown.");
  const email = field("email").trim().toLowerCase();
  const contact = [...world.contacts.values()].find((each) => each.email.toLowerCase() === email);
  if (!contact?.active || field("password") !== demo.password)
    return rejectLogin(world, reply, loginRequest, field("email"));
  const grant = { contactId: contact.contactId, clientIds: contact.clientIds };
  const { redirect_uri } = loginRequest;
  const returnUrl = new URL(redirect_uri);
  returnUrl.searchParams.set("code", world.tokens.issueCode(grant, { redirect_uri }, world.now));
  returnUrl.searchParams.set("state", loginRequest.state);
  return reply.redirect(returnUrl.href, 302);
}

function rejectLogin(
  { home }: World,
  reply: FastifyReply,
  loginRequest: LoginRequest,
  email: string,
): FastifyReply {
  const message = "The e-mail address or password is wrong.";
  return withLoggedError(reply, message)
    .code(401)
    .headers(pageHeaders)
    .send(loginPage(loginRequest, home, { message, email }));
}

const basicAuthorization = `Basic ${Buffer.from(`${demo.authClientId}:${demo.authClientSecret}`).toString("base64")}`;

const tokenEndpoint = ({ tokens, now }: World): TokenEndpoint<Grant> => ({
  tokens,
  readBinding: (form) => ({ redirect_uri: formParameter(form, "redirect_uri") }),
  mayRefresh: () => true,
  extraFields: (grant) => ({ id_token: idToken(grant, now) }),
});

/** Exchanges a code or refresh token. The only application authenticates with HTTP Basic. */
function exchangeToken(world: World, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (request.headers.authorization !== basicAuthorization) {
    reply.header("www-authenticate", 'Basic realm="fxdesk sandbox"');
    return sendOAuthError(reply, 401, "invalid_client", "The application's ID or secret is wrong.");
  }
  return issueTokens(tokenEndpoint(world), parseForm(request), world.now, reply);
}

const toBase64UrlJson = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");

/** ID token with the contact and its clients, signed with the application's secret. */
function idToken({ contactId, clientIds }: Grant, now: Date): string {
  const issuedAt = Math.floor(now.getTime() / 1_000);
  const claims = {
    iss: "urn:fxdesk:sandbox",
    sub: contactId,
    aud: demo.authClientId,
    iat: issuedAt,
    exp: issuedAt + accessTokenSeconds,
    clients: clientIds.map((clientId) => ({ client_id: clientId })),
  };
  const content = `${toBase64UrlJson({ alg: "HS256", typ: "JWT" })}.${toBase64UrlJson(claims)}`;
  return `${content}.${createHmac("sha256", demo.authClientSecret).update(content).digest("base64url")}`;
}
