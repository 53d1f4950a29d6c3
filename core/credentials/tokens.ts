/** Where the access token of a call comes from. */
import { request } from "undici";

export interface TokenSource {
  /** The token to send now. */
  get(): string | Promise<string>;
  /** The service refused this token; answers whether a next `get` may give another. */
  refused(token: string): boolean;
}

/** What the token endpoint answers, as far as fxdesk keeps it. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

export interface RefreshGrant {
  readonly authUrl: string;
  readonly authClientId: string;
  readonly authClientSecret: string;
  readonly accessToken?: string | undefined;
  readonly refreshToken: string;
  /** Called with each new pair, to keep a rotated refresh token. */
  readonly onTokens?: ((tokens: Tokens) => void | Promise<void>) | undefined;
}

export const fixedToken = (token: string): TokenSource => ({ get: () => token, refused: () => false });

export const askedToken = (ask: () => string | Promise<string>): TokenSource => ({
  get: ask,
  refused: () => true,
});

/** A token this close to its end is replaced before it is used. */
const renewBeforeMs = 60_000;

/** Refreshes the access token before it expires or when it is refused; one refresh at a time, shared by all calls. */
export function refreshedToken(grant: RefreshGrant): TokenSource {
  let current: Tokens | undefined = grant.accessToken
    ? { accessToken: grant.accessToken, refreshToken: grant.refreshToken, expiresAt: Infinity }
    : undefined;
  let refreshing: Promise<Tokens> | undefined;

  const refresh = () =>
    (refreshing ??= requestTokens(grant, current?.refreshToken ?? grant.refreshToken)
      .then(async (tokens) => {
        current = tokens;
        await grant.onTokens?.(tokens);
        return tokens;
      })
      .finally(() => (refreshing = undefined)));

  return {
    get: () =>
      current && current.expiresAt - Date.now() > renewBeforeMs
        ? current.accessToken
        : refresh().then((tokens) => tokens.accessToken),
    refused(token) {
      if (current?.accessToken === token) current = { ...current, expiresAt: 0 };
      return true;
    },
  };
}

/** The refresh failed; `status` and `error` are the token endpoint's own. */
export class TokenError extends Error {
  constructor(
    readonly status: number,
    readonly error: string,
  ) {
    super(`The token endpoint answered ${status}${error && ` (${error})`}.`);
  }
}

async function requestTokens(grant: RefreshGrant, refreshToken: string): Promise<Tokens> {
  const basic = Buffer.from(`${grant.authClientId}:${grant.authClientSecret}`).toString("base64");
  const { statusCode, body } = await request(`${grant.authUrl}/token`, {
    method: "POST",
    headers: { authorization: `Basic ${basic}`, "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({
      grant_type: "refresh_token",
      refresh_token: refreshToken,
      scope: "openid",
    }).toString(),
    headersTimeout: 30_000,
  });
  const answer = (await body.json().catch(() => ({}))) as Record<string, unknown>;
  const { access_token: accessToken, refresh_token: rotated, expires_in: lifetime, error } = answer;
  if (statusCode !== 200 || typeof accessToken !== "string")
    throw new TokenError(statusCode, typeof error === "string" ? error : "");
  return {
    accessToken,
    refreshToken: typeof rotated === "string" ? rotated : refreshToken,
    // The lifetime comes as a number or as digits.
    expiresAt: Date.now() + (Number(lifetime) || 3_600) * 1_000,
  };
}
