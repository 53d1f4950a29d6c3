/** A person logs in at the service: OAuth 2.0, authorization code (RFC 6749, section 4.1), with PKCE (RFC 7636). */
import { Deadline } from "../transport/deadline";
import type { Transport } from "../transport/transport";
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

/** What a login asks for. */
export interface LoginRequest {
  readonly application: OAuthApplication;
  /** Address of the page on which the person logs in. */
  readonly loginPage: string;
  /** Where the person returns to, exactly as it is registered. */
  readonly redirectUri: string;
  readonly pkce: boolean;
}

/** What a login gave. */
export interface TokenGrant {
  readonly tokens: Tokens;
  /** The clients for which the person may act, where the service says it. */
  readonly clientIds: readonly string[];
}

/** A login from its beginning to its end. */
export interface PendingAuthorization {
  /** What the person opens. */
  readonly address: string;
  /** Comes back with the person: nobody else knows it. */
  readonly state: string;
  /** Exchanges what came back with the person for tokens. Throws a TokenFailure that says why there are none. */
  redeem(parameters: URLSearchParams): Promise<TokenGrant>;
}

/** The library is not loaded before somebody logs in. */
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

  // The contract shows no issuer: one that is named cannot be compared with anything.
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
      // Nothing says who signs the identity, and with what. It comes from the endpoint itself, and is only read.
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
      throw new TokenFailure(`The service's login is not OAuth 2.0 (${cause.message}).`, false, { cause });
    }
  }

  /** A code is good once: it is sent once. */
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

/** The clients that an identity names: the payload of a JSON Web Token. */
function clientIdsIn(idToken: unknown): string[] {
  try {
    const payload = Buffer.from(String(idToken).split(".")[1]!, "base64url").toString("utf8");
    const { clients } = JSON.parse(payload) as { clients: readonly { client_id?: unknown }[] };
    return clients.flatMap(({ client_id: id }) => (typeof id === "string" && id !== "" ? [id] : []));
  } catch {
    return [];
  }
}
