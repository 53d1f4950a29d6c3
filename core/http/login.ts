/** OAuth 2.0 login: authorization code grant (RFC 6749, section 4.1) with PKCE (RFC 7636). */
import { Deadline } from "./deadline";
import type { Transport } from "./transport";
import {
  type OAuthApplication,
  assertGranted,
  basicAuthorization,
  readTokenResponse,
  expiryOf,
  sendForm,
  unreachableError,
} from "./token-endpoint";
import type { Secrets } from "./secrets";
import { TokenFailure, type Tokens } from "./token-source";

/** Parameters of a login. */
export interface LoginRequest {
  readonly application: OAuthApplication;
  /** Address of the page on which the person logs in. */
  readonly loginPage: string;
  /** Redirect address exactly as registered. */
  readonly redirectUri: string;
  readonly pkce: boolean;
}

/** Result of a login. */
export interface TokenGrant {
  readonly tokens: Tokens;
  /** Client IDs the person may act for; empty if the service does not report them. */
  readonly clientIds: readonly string[];
}

/** A login in progress. */
export interface PendingAuthorization {
  /** Address of the login page with all parameters. */
  readonly address: string;
  /** OAuth state: random, and returned by the redirect. */
  readonly state: string;
  /** Exchanges the parameters of the redirect for tokens. Throws a TokenFailure. */
  redeem(parameters: URLSearchParams): Promise<TokenGrant>;
}

/** Loads the OAuth library on first use. */
const loadOAuth = () => import("./oauth.js");

export async function startAuthorization(
  { application, loginPage, redirectUri, pkce }: LoginRequest,
  transport: Transport,
  secrets: Secrets,
): Promise<PendingAuthorization> {
  const oauth = await loadOAuth();
  const state = oauth.generateRandomState();
  const verifier = oauth.generateRandomCodeVerifier();
  const basic = basicAuthorization(application);
  for (const secret of [state, verifier, basic.slice("Basic ".length)]) secrets.add(secret);

  const { clientId, scope, origin, path } = application;
  const address = new URL(loginPage);
  const authorizationParameters = {
    scope,
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    state,
    ...(pkce && {
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    }),
  };
  for (const [name, value] of Object.entries(authorizationParameters)) address.searchParams.set(name, value);

  // The contract documents no issuer to compare `iss` with.
  const server = { issuer: origin, token_endpoint: origin + path };
  const client = { client_id: clientId };
  const authenticateClient = (_server: unknown, _client: unknown, _form: URLSearchParams, headers: Headers) =>
    headers.set("authorization", basic);

  async function redeem(parameters: URLSearchParams): Promise<TokenGrant> {
    const returned = new URLSearchParams(parameters);
    returned.delete("iss");
    secrets.add(returned.get("code") ?? undefined);
    let lifetime: unknown;
    let idToken: unknown;
    const startedAt = Date.now();
    const send = async (_url: string, { body: form }: { readonly body: URLSearchParams }) => {
      const body = await exchangeCode(form);
      ({ expires_in: lifetime, id_token: idToken } = body);
      // The contract documents no signing key. The ID token comes directly from the endpoint and is only informational.
      const { expires_in: _lifetime, id_token: _identity, ...others } = body;
      return Response.json(others);
    };
    try {
      const code = oauth.validateAuthResponse(server, client, returned, state);
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        authenticateClient,
        code,
        redirectUri,
        pkce ? verifier : oauth.nopkce,
        { [oauth.customFetch]: send, [oauth.allowInsecureRequests]: true },
      );
      const tokenResponse = await oauth.processAuthorizationCodeResponse(server, client, response);
      secrets.add(tokenResponse.access_token);
      secrets.add(tokenResponse.refresh_token);
      return {
        tokens: {
          accessToken: tokenResponse.access_token,
          refreshToken: tokenResponse.refresh_token,
          expiresAt: expiryOf(lifetime, startedAt),
        },
        clientIds: clientIdsIn(idToken),
      };
    } catch (error) {
      if (error instanceof TokenFailure) throw error;
      if (error instanceof oauth.AuthorizationResponseError)
        throw new TokenFailure(`The login was refused (${secrets.redact(error.error).slice(0, 100)}).`, true);
      const cause = secrets.redactError(error);
      throw new TokenFailure(`The login response does not conform to OAuth 2.0 (${cause.message}).`, false, {
        cause,
      });
    }
  }

  /** Exchanges the code, without retries: a code is valid once. */
  async function exchangeCode(form: URLSearchParams): Promise<Record<string, unknown>> {
    const deadline = new Deadline(application.timeoutMs);
    deadline.startTimeLimit(application.timeoutMs);
    const received = await sendForm(transport, application, form, deadline)
      .catch((error: unknown) => {
        throw unreachableError(error, secrets);
      })
      .finally(() => deadline.release());
    const body = await readTokenResponse(received, secrets);
    assertGranted(received, body, "the code");
    return body;
  }

  return { address: address.href, state, redeem };
}

/** Returns the client IDs in the payload of the ID token. */
function clientIdsIn(idToken: unknown): string[] {
  try {
    const payload = Buffer.from(String(idToken).split(".")[1]!, "base64url").toString("utf8");
    const { clients } = JSON.parse(payload) as { clients: readonly { client_id?: unknown }[] };
    return clients.flatMap(({ client_id: id }) => (typeof id === "string" && id !== "" ? [id] : []));
  } catch {
    return [];
  }
}
