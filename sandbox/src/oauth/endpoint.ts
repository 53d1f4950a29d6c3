/** The token endpoint of OAuth 2.0 (RFC 6749, sections 5 and 6). Errors are `{error, error_description}`. */
import type { FastifyReply } from "fastify";
import { because } from "../http";
import { accessTokenLife, type Binding, type Tokens } from "../world/tokens/tokens";

/** What differs between one token endpoint and another. */
export interface TokenEndpoint<G extends object> {
  readonly tokens: Tokens<G>;
  /** What a form shows of what its code is bound to. */
  readonly bindingIn: (form: URLSearchParams) => Binding;
  /** Whether who sends a form may refresh a grant. */
  readonly mayRefresh: (grant: G, form: URLSearchParams) => boolean;
  /** What the response says beside the tokens. */
  readonly about: (grant: G) => Readonly<Record<string, string>>;
}

/** A parameter that may be given; empty where it is not. */
export const parameter = (form: URLSearchParams, name: string): string => form.get(name) ?? "";

export const refuse = (
  reply: FastifyReply,
  status: number,
  error: string,
  description: string,
): FastifyReply => because(reply, description).code(status).send({ error, error_description: description });

type Redeem = <G extends object>(
  endpoint: TokenEndpoint<G>,
  form: URLSearchParams,
  now: Date,
) => G | undefined;

interface GrantType {
  /** The parameter that carries what tokens are given for. */
  readonly takes: string;
  readonly redeem: Redeem;
}

const grantTypes: ReadonlyMap<string, GrantType> = new Map<string, GrantType>([
  [
    "authorization_code",
    {
      takes: "code",
      redeem: ({ tokens, bindingIn }, form, now) =>
        tokens.redeemCode(parameter(form, "code"), bindingIn(form), now),
    },
  ],
  [
    "refresh_token",
    {
      takes: "refresh_token",
      redeem: ({ tokens, mayRefresh }, form, now) => {
        const grant = tokens.redeemRefreshToken(parameter(form, "refresh_token"), now);
        return grant && mayRefresh(grant, form) ? grant : undefined;
      },
    },
  ],
]);

export const supportedGrantTypes: readonly string[] = [...grantTypes.keys()];

/** Gives tokens for what a form carries: a code or a refresh token. */
export function giveTokens<G extends object>(
  endpoint: TokenEndpoint<G>,
  form: URLSearchParams,
  now: Date,
  reply: FastifyReply,
): FastifyReply {
  const no = (error: string, message: string) => refuse(reply, 400, error, message);
  const asked = parameter(form, "grant_type");
  if (!asked) return no("invalid_request", "grant_type is required.");
  const grantType = grantTypes.get(asked);
  if (!grantType)
    return no("unsupported_grant_type", `grant_type must be ${supportedGrantTypes.join(" or ")}.`);
  const { takes, redeem } = grantType;
  if (!parameter(form, takes)) return no("invalid_request", `${takes} is required.`);
  const grant = redeem(endpoint, form, now);
  if (!grant)
    return no("invalid_grant", "The code or refresh token is unknown, used, expired or meant for another.");
  const { accessToken, refreshToken } = endpoint.tokens.issue(grant, now);
  return reply.header("cache-control", "no-store").send({
    access_token: accessToken,
    token_type: "Bearer",
    expires_in: accessTokenLife,
    refresh_token: refreshToken,
    ...endpoint.about(grant),
  });
}
