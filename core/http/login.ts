/** OAuth 2.0 login: authorization code grant (RFC 6749, section 4.1) with PKCE (RFC 7636). */
import { createHash, randomBytes } from "node:crypto";
import { basicCredentials, requestTokens, type TokenEndpoint } from "./token-endpoint";
import type { Secrets } from "./secrets";
import { TokenFailure, type Tokens } from "./token-source";

/** Parameters of a login. */
export interface LoginRequest {
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
interface PendingAuthorization {
  /** Address of the login page with all parameters. */
  readonly address: string;
  /** OAuth state: random, and returned by the redirect. */
  readonly state: string;
  /** Exchanges the parameters of the redirect for tokens, once: a code is valid once. Throws a TokenFailure. */
  redeem(parameters: URLSearchParams): Promise<TokenGrant>;
}

const randomText = (): string => randomBytes(32).toString("base64url");

export function startAuthorization(
  endpoint: TokenEndpoint,
  { loginPage, redirectUri, pkce }: LoginRequest,
): PendingAuthorization {
  const { application, secrets } = endpoint;
  const [state, verifier] = [randomText(), randomText()];
  for (const secret of [state, verifier, basicCredentials(application)]) secrets.add(secret);

  const { clientId, scope } = application;
  const address = new URL(loginPage);
  const authorizationParameters = {
    scope,
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    state,
    ...(pkce && {
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
    }),
  };
  for (const [name, value] of Object.entries(authorizationParameters)) address.searchParams.set(name, value);

  async function redeem(parameters: URLSearchParams): Promise<TokenGrant> {
    for (const code of parameters.getAll("code")) secrets.add(code);
    const code = codeFrom(parameters, state, secrets);
    const form = {
      grant_type: "authorization_code",
      code,
      redirect_uri: redirectUri,
      ...(pkce && { code_verifier: verifier }),
    };
    const request = { form, credentialName: "the code", maxAttempts: 1 };
    const { tokens, body } = await requestTokens(endpoint, request);
    if (!/^bearer$/i.test(String(body.token_type)))
      throw new TokenFailure("The token endpoint returned no bearer token.", false);
    return { tokens, clientIds: clientIdsIn(body.id_token) };
  }

  return { address: address.href, state, redeem };
}

/** Returns the code of a redirect. The contract documents no issuer to compare `iss` with. */
function codeFrom(parameters: URLSearchParams, state: string, secrets: Secrets): string {
  const [error, code] = [parameters.get("error"), parameters.getAll("code")];
  if (parameters.getAll("state").join() !== state)
    throw new TokenFailure("The redirect belongs to another login.", false);
  if (error) throw new TokenFailure(`The login was refused (${secrets.redact(error).slice(0, 100)}).`, true);
  if (code.length !== 1 || !code[0]) throw new TokenFailure("The redirect contains no code.", false);
  return code[0];
}

/**
 * Returns the client IDs in the payload of the ID token. It comes directly from the endpoint, and the contract documents no
 * signing key.
 */
function clientIdsIn(idToken: unknown): string[] {
  try {
    const payload = Buffer.from(String(idToken).split(".")[1]!, "base64url").toString("utf8");
    const { clients } = JSON.parse(payload) as { clients: readonly { client_id?: unknown }[] };
    return clients.flatMap(({ client_id: id }) => (typeof id === "string" && id !== "" ? [id] : []));
  } catch {
    return [];
  }
}
