/** Login page and token endpoint. The contract shows the page (endpoint 25), but neither the target of its form nor the token endpoint. Errors are those of OAuth 2.0. */
import { demo } from "../world/parties/parties";
import { cardPage, hiddenInput, html, pageHeaders } from "../pages/page";
import type { BehavioursOf } from "../calls/behaviour";
import { DomainError } from "../world/common/domain-error";
import { createHmac } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { withLoggedError, parseForm } from "../http/http";
import { issueTokens, formParameter, sendOAuthError, type TokenEndpoint } from "../http/token-endpoint";
import { accessTokenSeconds, type Grant } from "../world/tokens/tokens";
import type { RoutePlugin } from "../server/server";
import type { World } from "../world/model/world";

/** Parameters of the application's request, passed through the form. */
interface LoginRequest {
  readonly client_id: string;
  readonly redirect_uri: string;
  readonly state: string;
}

/** Error of the previous attempt. */
interface FailedLogin {
  readonly message: string;
  readonly email: string;
}

function loginPage(
  { client_id, redirect_uri, state }: LoginRequest,
  demoUser: { readonly email: string },
  failed?: FailedLogin,
): string {
  const [emailFocus, passwordFocus] = failed ? [undefined, html`autofocus`] : [html`autofocus`, undefined];
  return cardPage(
    "Log in",
    html`<p>The application <b>${client_id}</b> requests access to your accounts.</p>
      <p>The demo user is ${demoUser.email} with the password ${demo.password}.</p>
      ${failed && html`<p role="alert">${failed.message}</p>`}
      <form method="post" action="login">
        ${hiddenInput("client_id", client_id)}${hiddenInput("redirect_uri", redirect_uri)}${hiddenInput("state", state)}
        <label
          ><span>E-mail</span
          ><input
            name="email"
            type="email"
            value="${failed?.email}"
            autocomplete="username"
            required
            ${emailFocus}
        /></label>
        <label
          ><span>Password</span
          ><input name="password" type="password" autocomplete="current-password" required ${passwordFocus}
        /></label>
        <button>Log in</button>
      </form>`,
  );
}

export const login: BehavioursOf<"login"> = {
  "login.getPage": ({ values, world }) => {
    if (values.client_id !== demo.authClientId)
      throw new DomainError(
        "application-unknown",
        "The application is unknown.",
        `client_id ${values.client_id}`,
      );
    if (values.redirect_uri !== world.settings.redirectUri)
      throw new DomainError(
        "redirect-uri-mismatch",
        "The redirect URI is not the registered one.",
        `redirect_uri must be ${world.settings.redirectUri}, not ${values.redirect_uri}.`,
      );
    return { status: 200, headers: pageHeaders, body: loginPage(values, world.home) };
  },
};

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
