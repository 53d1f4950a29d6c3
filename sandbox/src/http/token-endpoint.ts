/** The token endpoint of OAuth 2.0 (RFC 6749, sections 5 and 6). Errors are `{error, error_description}`. */
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

type RedeemGrant = <G extends object>(
  endpoint: TokenEndpoint<G>,
  form: URLSearchParams,
  now: Date,
) => G | undefined;

interface GrantType {
  /** Parameter that carries the code or the refresh token. */
  readonly parameterName: string;
  readonly redeem: RedeemGrant;
}

const grantTypes: ReadonlyMap<string, GrantType> = new Map<string, GrantType>([
  [
    "authorization_code",
    {
      parameterName: "code",
      redeem: ({ tokens, readBinding }, form, now) =>
        tokens.redeemCode(formParameter(form, "code"), readBinding(form), now),
    },
  ],
  [
    "refresh_token",
    {
      parameterName: "refresh_token",
      redeem: ({ tokens, mayRefresh }, form, now) => {
        const grant = tokens.redeemRefreshToken(formParameter(form, "refresh_token"), now);
        return grant && mayRefresh(grant, form) ? grant : undefined;
      },
    },
  ],
]);

export const supportedGrantTypes: readonly string[] = [...grantTypes.keys()];

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
  const grantType = grantTypes.get(grantTypeName);
  if (!grantType)
    return reject("unsupported_grant_type", `grant_type must be ${supportedGrantTypes.join(" or ")}.`);
  const { parameterName, redeem } = grantType;
  if (!formParameter(form, parameterName)) return reject("invalid_request", `${parameterName} is required.`);
  const grant = redeem(endpoint, form, now);
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
