/** Sources of access tokens: fixed, supplied by a function, or refreshed. */
import type { Deadline } from "./deadline";
import type { Secrets } from "./secrets";

export interface TokenSource {
  /**
   * Returns the token to send. A money call (`commits`) is not retried after a 401, so a token of unknown age is refreshed
   * first. Throws a TokenFailure, or the error that ended the deadline.
   */
  get(deadline: Deadline, commits: boolean): string | Promise<string>;
  /** Reports a token that the service refused. Returns true if the next `get` may return another. */
  reportRefused(token: string, deadline: Deadline): boolean | Promise<boolean>;
  /** Resolves when no refresh is in progress. Interrupting one may lose the next refresh token. */
  whenIdle(): Promise<void>;
}

/** A token pair from the token endpoint. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  /** Expiry of the access token in milliseconds since 1970; undefined if unknown. */
  readonly expiresAt: number | undefined;
}

/** No access token could be obtained. */
export class TokenFailure extends Error {
  constructor(
    message: string,
    /** True if the credentials were refused; false if the endpoint is unavailable. */
    readonly isRefused: boolean,
    options: { readonly retryAfterMs?: number; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.retryAfterMs = options.retryAfterMs;
  }

  /** Time until the next attempt makes sense. */
  readonly retryAfterMs: number | undefined;
}

const resolved = () => Promise.resolve();

export const fixedTokenSource = (token: string): TokenSource => ({
  get: () => token,
  reportRefused: () => false,
  whenIdle: resolved,
});

/** Returns a source that calls a function for each token. */
export function suppliedTokenSource(supplier: () => string | Promise<string>, secrets: Secrets): TokenSource {
  const callSupplier = async () => {
    let token: unknown;
    try {
      token = await supplier();
    } catch (error) {
      const cause = secrets.redactError(error);
      throw new TokenFailure(`The accessToken function failed (${cause.message}).`, true, { cause });
    }
    if (typeof token !== "string" || token === "")
      throw new TokenFailure("The accessToken function returned no token.", true);
    secrets.add(token);
    return token;
  };
  return { get: (deadline) => deadline.race(callSupplier()), reportRefused: () => true, whenIdle: resolved };
}

/** Tokens of a caller that needs a new access token; `refreshToken` is the newest it knows. */
export interface HeldTokens {
  readonly accessToken?: string | undefined;
  readonly refreshToken: string;
}

/** Returns a new token pair. */
export type RefreshTokens = (held: HeldTokens) => Promise<Tokens>;

/** Refreshes tokens; `markRefused` shares refused tokens with other processes. */
export interface Renewal {
  readonly renew: RefreshTokens;
  readonly markRefused?: (accessToken: string) => Promise<void>;
}

/** Returns how long before expiry a token is refreshed: one minute, or a fifth of a short lifetime. */
export const renewalMarginMs = (lifetimeMs: number) => Math.min(60_000, lifetimeMs / 5);

const initialPauseMs = 1_000;
const maxPauseMs = 60_000;

/** Exponential pause after failures of the token endpoint. */
class EndpointPause {
  #failures = 0;
  #until = 0;
  #failure: TokenFailure | undefined;

  /** Throws the last failure again during the pause. */
  assertElapsed(): void {
    const retryAfterMs = this.#until - Date.now();
    if (!this.#failure || retryAfterMs <= 0) return;
    const { message, isRefused, cause } = this.#failure;
    throw new TokenFailure(message, isRefused, { retryAfterMs, cause });
  }

  recordFailure(failure: TokenFailure): void {
    const ms = Math.min(maxPauseMs, initialPauseMs * 2 ** this.#failures);
    this.#failures += 1;
    this.#failure = failure;
    this.#until = Date.now() + Math.max(ms, failure.retryAfterMs ?? 0);
  }

  reset(): void {
    this.#failures = 0;
    this.#failure = undefined;
  }
}

type OnTokens = (tokens: Tokens) => void | Promise<void>;

async function reportTokens(tokens: Tokens, onTokens: OnTokens | undefined, secrets: Secrets): Promise<void> {
  try {
    await onTokens?.(tokens);
  } catch (error) {
    const cause = secrets.redactError(error);
    throw new TokenFailure(
      `The refreshed tokens could not be saved: onTokens failed (${cause.message}).`,
      false,
      { cause },
    );
  }
}

/** Returns a source that refreshes the token before it expires or when it is refused; all calls share one refresh. */
export function refreshingTokenSource(
  configured: HeldTokens,
  { renew, markRefused }: Renewal,
  secrets: Secrets,
  onTokens?: OnTokens,
): TokenSource {
  let current: Tokens | undefined = configured.accessToken
    ? { accessToken: configured.accessToken, refreshToken: configured.refreshToken, expiresAt: undefined }
    : undefined;
  let renewAt = Infinity;
  /** True while `onTokens` has not accepted the newest tokens. */
  let isUnreported = false;
  let refreshing: Promise<Tokens> | undefined;
  const pause = new EndpointPause();

  const isFresh = () => current !== undefined && Date.now() < renewAt;

  const refreshCurrent = async (): Promise<void> => {
    const startedAt = Date.now();
    try {
      current = await renew({ ...current, refreshToken: current?.refreshToken ?? configured.refreshToken });
    } catch (error) {
      if (error instanceof TokenFailure) pause.recordFailure(error);
      throw error;
    }
    pause.reset();
    isUnreported = true;
    const { expiresAt } = current;
    renewAt = expiresAt === undefined ? Infinity : expiresAt - renewalMarginMs(expiresAt - startedAt);
  };

  const renewAndReport = async (): Promise<Tokens> => {
    if (!isUnreported || !isFresh()) await refreshCurrent();
    await reportTokens(current!, onTokens, secrets);
    isUnreported = false;
    return current!;
  };

  const nextToken = async (deadline: Deadline): Promise<string> => {
    if (!refreshing) {
      pause.assertElapsed();
      refreshing = renewAndReport().finally(() => (refreshing = undefined));
      // Avoids an unhandled rejection if every waiting call was aborted.
      refreshing.catch(() => undefined);
    }
    return (await deadline.race(refreshing)).accessToken;
  };

  return {
    get(deadline, commits) {
      const isGood = isFresh() && !isUnreported && !(commits && current!.expiresAt === undefined);
      return isGood ? current!.accessToken : nextToken(deadline);
    },
    async reportRefused(token, deadline) {
      if (current?.accessToken !== token || renewAt === 0) return true;
      renewAt = 0;
      // Best effort: other processes will get a 401 themselves.
      if (markRefused) await deadline.race(markRefused(token)).catch(() => undefined);
      return true;
    },
    async whenIdle() {
      await refreshing?.catch(() => undefined);
    },
  };
}
