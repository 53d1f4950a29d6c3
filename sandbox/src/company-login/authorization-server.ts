/**
 * An authorization server (OAuth 2.1) to try the company login of the MCP server. It is no part of the simulated service, has no
 * passwords, and lets anyone who reaches the sandbox log in as any person.
 */
import { generateKeyPairSync, randomUUID, sign } from "node:crypto";
import type { FastifyReply } from "fastify";
import { parseForm } from "../http/http";
import { challengeOf, formParameter, returnUrl, sendOAuthError } from "../http/token-endpoint";
import { cardPage, html, pageHeaders } from "../pages/page";
import type { RoutePlugin } from "../server/server";
import { TtlMap } from "../world/tokens/tokens";

const path = "/company-login";
const scopes = ["read", "change", "money"] as const;
const codeSeconds = 60;
const tokenSeconds = 3_600;
const keyId = "sandbox";

/** A login that a code stands for, and the parameters that must be repeated to redeem it. */
interface CompanyGrant {
  readonly person: string;
  readonly scope: string;
  /** Address of the MCP endpoint. */
  readonly resource: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly challenge: string;
}

const isLoopback = ({ hostname }: URL): boolean => ["127.0.0.1", "[::1]", "localhost"].includes(hostname);

/** True for the redirect URIs of desktop programs and web pages. */
const isRedirectUri = (uri: unknown): uri is string =>
  typeof uri === "string" &&
  /^[a-z][a-z0-9+.-]*:\/\//i.test(uri) &&
  URL.canParse(uri) &&
  (new URL(uri).protocol !== "http:" || isLoopback(new URL(uri)));

/** Client IDs hold the redirect URIs, so that those of a host stay valid when the sandbox starts again. */
const clientIdOf = (uris: readonly string[]): string =>
  Buffer.from(JSON.stringify(uris)).toString("base64url");

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function redirectUrisOf(clientId: string): string[] {
  const uris = parseJson(Buffer.from(clientId, "base64url").toString("utf8"));
  return Array.isArray(uris) ? uris.filter(isRedirectUri) : [];
}

/** Programs on this machine may use another port than the registered one (RFC 8252, 7.3). */
function withoutPort(uri: string): string {
  const url = new URL(uri);
  if (isLoopback(url)) url.port = "";
  return url.href;
}

const isRegistered = (clientId: string, redirectUri: string): boolean =>
  isRedirectUri(redirectUri) &&
  redirectUrisOf(clientId).some((uri) => withoutPort(uri) === withoutPort(redirectUri));

/** Returns why a request is invalid, as parameters of the redirect. */
function requestError(query: URLSearchParams): Record<string, string> | undefined {
  const invalid = (error: string, description: string) => ({ error, error_description: description });
  if (query.get("response_type") !== "code")
    return invalid("unsupported_response_type", "response_type must be code.");
  if (query.get("code_challenge_method") !== "S256" || !/^[\w-]{43}$/.test(query.get("code_challenge") ?? ""))
    return invalid("invalid_request", "A code_challenge with the method S256 is required.");
  if (!URL.canParse(query.get("resource") ?? ""))
    return invalid("invalid_target", "resource must be the address of the MCP endpoint.");
  return undefined;
}

/** Returns the requested scopes; all if none is requested. */
function requestedScopes(query: URLSearchParams): readonly string[] {
  const requested = (query.get("scope") ?? "").split(" ");
  const known = scopes.filter((each) => requested.includes(each));
  return known.length > 0 ? known : scopes;
}

const loginPage = (query: URLSearchParams, action: string): string =>
  cardPage(
    "Log in to try company login",
    html`<p>
        This stands for the login page of a company. It asks for no password: choose any person of your people
        file.
      </p>
      <p>
        Server: <b>${query.get("resource")!}</b>. The answer goes to <b>${query.get("redirect_uri")!}</b>.
      </p>
      <form method="post" action="${action}">
        <label><span>Person</span><input name="person" required autofocus /></label>
        <fieldset>
          <legend>Permissions</legend>
          ${requestedScopes(query).map(
            (scope) =>
              html`<label><input type="checkbox" name="scope" value="${scope}" checked /> ${scope}</label>`,
          )}
        </fieldset>
        <div class="row">
          <button name="decision" value="login">Log in</button>
          <button class="bad" name="decision" value="refuse" formnovalidate>Refuse</button>
        </div>
      </form>`,
  );

const toBase64UrlJson = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");

/** Registers the routes. Times are real, not those of the simulated world, because another server checks the tokens. */
export const companyLogin: RoutePlugin = (app) => {
  const codes = new TtlMap<CompanyGrant>(codeSeconds);
  let keys: ReturnType<typeof createKeys> | undefined;
  const createKeys = () => generateKeyPairSync("ec", { namedCurve: "P-256" });
  const issuerOf = (host: string | undefined) => `http://${host}${path}`;

  function createToken(issuer: string, { person, scope, resource, clientId }: CompanyGrant): string {
    const issuedAt = Math.floor(Date.now() / 1_000);
    const claims = {
      iss: issuer,
      sub: person,
      aud: resource,
      scope,
      client_id: clientId,
      iat: issuedAt,
      exp: issuedAt + tokenSeconds,
      jti: randomUUID(),
    };
    const header = { alg: "ES256", typ: "at+jwt", kid: keyId };
    const content = `${toBase64UrlJson(header)}.${toBase64UrlJson(claims)}`;
    const { privateKey } = (keys ??= createKeys());
    const signature = sign("sha256", Buffer.from(content), { key: privateKey, dsaEncoding: "ieee-p1363" });
    return `${content}.${signature.toString("base64url")}`;
  }

  app.get(`/.well-known/oauth-authorization-server${path}`, ({ headers }) => {
    const issuer = issuerOf(headers.host);
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      registration_endpoint: `${issuer}/register`,
      jwks_uri: `${issuer}/keys`,
      scopes_supported: scopes,
      response_types_supported: ["code"],
      grant_types_supported: ["authorization_code"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none"],
      authorization_response_iss_parameter_supported: true,
    };
  });

  app.get(`${path}/keys`, () => {
    const { publicKey } = (keys ??= createKeys());
    return { keys: [{ ...publicKey.export({ format: "jwk" }), alg: "ES256", use: "sig", kid: keyId }] };
  });

  app.post(`${path}/register`, ({ body }, reply) => {
    const request = parseJson(String(body)) as { readonly redirect_uris?: unknown } | null | undefined;
    const uris = request?.redirect_uris;
    if (!Array.isArray(uris) || uris.length === 0 || !uris.every(isRedirectUri))
      return sendOAuthError(
        reply,
        400,
        "invalid_redirect_uri",
        "redirect_uris must be https addresses, addresses of this machine or of programs.",
      );
    const response = { ...request, client_id: clientIdOf(uris), token_endpoint_auth_method: "none" };
    return reply.code(201).send(response);
  });

  /** Answers a valid request; others are refused on a page, or by redirect once the redirect URI is known to be right. */
  const authorize = (
    url: string,
    reply: FastifyReply,
    answer: (query: URLSearchParams) => FastifyReply,
  ): FastifyReply => {
    const query = new URL(url, "http://localhost").searchParams;
    if (!isRegistered(query.get("client_id") ?? "", query.get("redirect_uri") ?? "")) {
      const text = html`<p>client_id must be registered, with this redirect_uri.</p>`;
      return reply.code(400).headers(pageHeaders).send(cardPage("Unknown program", text));
    }
    const error = requestError(query);
    return error ? reply.redirect(returnUrl(query, error), 302) : answer(query);
  };

  app.get(`${path}/authorize`, ({ url }, reply) =>
    authorize(url, reply, (query) => reply.headers(pageHeaders).send(loginPage(query, url))),
  );

  app.post(`${path}/authorize`, (request, reply) =>
    authorize(request.url, reply, (query) => {
      const iss = issuerOf(request.headers.host);
      const form = parseForm(request);
      const person = formParameter(form, "person").trim();
      if (formParameter(form, "decision") !== "login" || person === "")
        return reply.redirect(returnUrl(query, { error: "access_denied", iss }), 303);
      const code = randomUUID();
      const grant: CompanyGrant = {
        person,
        scope: requestedScopes(query)
          .filter((scope) => form.getAll("scope").includes(scope))
          .join(" "),
        resource: query.get("resource")!,
        clientId: query.get("client_id")!,
        redirectUri: query.get("redirect_uri")!,
        challenge: query.get("code_challenge")!,
      };
      codes.set(code, grant, new Date());
      return reply.redirect(returnUrl(query, { code, iss }), 303);
    }),
  );

  app.post(`${path}/token`, (request, reply) => {
    const form = parseForm(request);
    const field = (name: string) => formParameter(form, name);
    if (field("grant_type") !== "authorization_code")
      return sendOAuthError(reply, 400, "unsupported_grant_type", "grant_type must be authorization_code.");
    const grant = codes.get(field("code"), new Date());
    codes.delete(field("code"));
    const isBound =
      grant?.clientId === field("client_id") &&
      grant.redirectUri === field("redirect_uri") &&
      grant.challenge === challengeOf(field("code_verifier")) &&
      [grant.resource, ""].includes(field("resource"));
    if (!isBound)
      return sendOAuthError(
        reply,
        400,
        "invalid_grant",
        "The code is unknown, used, expired or of another login.",
      );
    return reply.header("cache-control", "no-store").send({
      access_token: createToken(issuerOf(request.headers.host), grant),
      token_type: "Bearer",
      expires_in: tokenSeconds,
      scope: grant.scope,
    });
  });
};
