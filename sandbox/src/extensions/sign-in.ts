/**
 * Signing in, an extension: the contract shows the login page, and neither where its form goes nor where tokens come from.
 * Errors are those of OAuth 2.0: `{error, error_description}`.
 */
import { createHmac } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { because, formOf } from "../http";
import { giveTokens, parameter, refuse, type TokenEndpoint } from "../oauth/endpoint";
import { accessTokenLife } from "../world/tokens/tokens";
import { pageHeaders } from "../pages/document";
import { loginPage, type LoginRequest } from "../pages/login";
import type { Extension } from "../server";
import { demo } from "../world/parties/parties";
import type { Grant } from "../world/tokens/sign-in";
import type { World } from "../world/world";

export const signIn: Extension = (app, stage, { tokens }) => {
  app.post("/login", (request, reply) => logIn(stage.world, formOf(request), reply));
  if (tokens) app.post(tokens.path, (request, reply) => exchange(stage.world, request, reply));
};

/** The login form: to the application with a code, or once more. */
function logIn(world: World, form: URLSearchParams, reply: FastifyReply): FastifyReply {
  const field = (name: string) => parameter(form, name);
  // A form of somebody's own may leave out the address, of which one is registered.
  const redirectUri = field("redirect_uri") || world.settings.redirectUri;
  const asked = { client_id: field("client_id"), redirect_uri: redirectUri, state: field("state") };
  if (asked.client_id !== demo.authClientId || asked.redirect_uri !== world.settings.redirectUri)
    return refuse(reply, 400, "invalid_request", "The application or its redirect URI is unknown.");
  const email = field("email").trim().toLowerCase();
  const contact = [...world.contacts.values()].find((each) => each.email.toLowerCase() === email);
  if (!contact?.active || field("password") !== demo.password)
    return refuseLogin(world, reply, asked, field("email"));
  const grant = { contactId: contact.contactId, clientIds: contact.clientIds };
  const { redirect_uri } = asked;
  const back = new URL(redirect_uri);
  back.searchParams.set("code", world.tokens.issueCode(grant, { redirect_uri }, world.now));
  back.searchParams.set("state", asked.state);
  return reply.redirect(back.href, 302);
}

function refuseLogin({ home }: World, reply: FastifyReply, asked: LoginRequest, email: string): FastifyReply {
  const message = "E-mail or password is wrong.";
  return because(reply, message)
    .code(401)
    .headers(pageHeaders)
    .send(loginPage(asked, home, { message, email }));
}

const basic = `Basic ${Buffer.from(`${demo.authClientId}:${demo.authClientSecret}`).toString("base64")}`;

const endpoint = ({ tokens, now }: World): TokenEndpoint<Grant> => ({
  tokens,
  bindingIn: (form) => ({ redirect_uri: parameter(form, "redirect_uri") }),
  mayRefresh: () => true,
  about: (grant) => ({ id_token: idToken(grant, now) }),
});

/** There is one application, which says who it is by HTTP Basic. */
function exchange(world: World, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (request.headers.authorization !== basic) {
    reply.header("www-authenticate", 'Basic realm="fxdesk sandbox"');
    return refuse(reply, 401, "invalid_client", "The application's ID or secret is wrong.");
  }
  return giveTokens(endpoint(world), formOf(request), world.now, reply);
}

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
