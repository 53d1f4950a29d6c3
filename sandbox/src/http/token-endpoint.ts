/** The token endpoint of OAuth 2.0 (RFC 6749, sections 5 and 6), PKCE and the redirect with a result. Errors are `{error, error_description}`. */
import { createHash } from "node:crypto";
import type { FastifyReply } from "fastify";
import { withLoggedError } from "./http";
import { accessTokenSeconds, type Binding, type Tokens } from "../world/tokens/tokens";

/** Differences between the token endpoints. */
export interface TokenEndpoint<G extends object> {
  readonly tokens: Tokens<G>;
  /** Reads the parameters that the authorisation code is bound to. */
  readonly readBinding: (form: URLSearchParams) => Binding;
  /** True if the client may refresh the grant. */
  readonly mayRefresh: (grant: G, form: URLSearchParams) => boolean;
  /** Additional fields of the token response. */
  readonly extraFields: (grant: G) => Readonly<Record<string, string>>;
}

/** Returns an optional parameter, or an empty string. */
export const formParameter = (form: URLSearchParams, name: string): string => form.get(name) ?? "";

export const sendOAuthError = (
  reply: FastifyReply,
  status: number,
  error: string,
  description: string,
): FastifyReply =>
  withLoggedError(reply, description).code(status).send({ error, error_description: description });

/** Parameter that carries the code or the refresh token, by grant type. */
const grantParameters = new Map([
  ["authorization_code", "code"],
  ["refresh_token", "refresh_token"],
]);

export const supportedGrantTypes: readonly string[] = [...grantParameters.keys()];

/** Returns the grant of a code or refresh token, or undefined if it is invalid. */
function redeem<G extends object>(
  { tokens, readBinding, mayRefresh }: TokenEndpoint<G>,
  parameter: string,
  form: URLSearchParams,
  now: Date,
): G | undefined {
  const value = formParameter(form, parameter);
  if (parameter === "code") return tokens.redeemCode(value, readBinding(form), now);
  const grant = tokens.redeemRefreshToken(value, now);
  return grant && mayRefresh(grant, form) ? grant : undefined;
}

/** Issues tokens for an authorisation code or a refresh token. */
export function issueTokens<G extends object>(
  endpoint: TokenEndpoint<G>,
  form: URLSearchParams,
  now: Date,
  reply: FastifyReply,
): FastifyReply {
  const reject = (error: string, message: string) => sendOAuthError(reply, 400, error, message);
  const grantTypeName = formParameter(form, "grant_type");
  if (!grantTypeName) return reject("invalid_request", "grant_type is required.");
  const parameter = grantParameters.get(grantTypeName);
  if (parameter === undefined)
    return reject("unsupported_grant_type", `grant_type must be ${supportedGrantTypes.join(" or ")}.`);
  if (!formParameter(form, parameter)) return reject("invalid_request", `${parameter} is required.`);
  const grant = redeem(endpoint, parameter, form, now);
  if (!grant)
    return reject(
      "invalid_grant",
      "The code or refresh token is unknown, used, expired or issued to another client.",
    );
  const { accessToken, refreshToken } = endpoint.tokens.issue(grant, now);
  return reply.header("cache-control", "no-store").send({
    access_token: accessToken,
    token_type: "Bearer",
    expires_in: accessTokenSeconds,
    refresh_token: refreshToken,
    ...endpoint.extraFields(grant),
  });
}

/** Returns the PKCE challenge of a verifier, by the method S256. */
export const challengeOf = (verifier: string): string =>
  createHash("sha256").update(verifier).digest("base64url");

/** Returns the redirect URL with the result for the client. */
export function returnUrl(query: URLSearchParams, parameters: Readonly<Record<string, string>>): string {
  const address = new URL(query.get("redirect_uri")!);
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
  if (query.has("state")) address.searchParams.set("state", query.get("state")!);
  return address.href;
}
