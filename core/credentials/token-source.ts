/** Where the access token of a call comes from. */
import type { Deadline } from "../transport/deadline";
import type { Secrets } from "./secrets";

export interface TokenSource {
  /**
   * The token to send now. A call that commits money (`commits`) does not find out at the service that its token is old:
   * one of unknown age is renewed before. Throws a TokenFailure, or what the deadline ended the wait with.
   */
  get(deadline: Deadline, commits: boolean): string | Promise<string>;
  /** The service refused this token; returns whether a next `get` may give another. */
  reportRefused(token: string, deadline: Deadline): boolean | Promise<boolean>;
  /** Resolves when no renewal is under way: one that is cut off may lose the next refresh token. */
  whenIdle(): Promise<void>;
}

/** What the token endpoint returns, as far as fxdesk keeps it. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  /** Milliseconds since 1970; undefined when nobody said. */
  readonly expiresAt: number | undefined;
}

/** There is no access token. */
export class TokenFailure extends Error {
  constructor(
    message: string,
    /** Whether the credentials were refused; else the endpoint cannot be reached or cannot respond now. */
    readonly isRefused: boolean,
    options: { readonly retryAfterMs?: number; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.retryAfterMs = options.retryAfterMs;
  }

  /** When to ask again, where that is not at once. */
  readonly retryAfterMs: number | undefined;
}

const resolved = () => Promise.resolve();

export const fixedTokenSource = (token: string): TokenSource => ({
  get: () => token,
  reportRefused: () => false,
  whenIdle: resolved,
});

/** A token that a function gives. */
export function suppliedTokenSource(supplier: () => string | Promise<string>, secrets: Secrets): TokenSource {
  const callSupplier = async () => {
    let token: unknown;
    try {
      token = await supplier();
    } catch (error) {
      const cause = secrets.redactError(error);
      throw new TokenFailure(`The function that gives it failed (${cause.message}).`, true, { cause });
    }
    if (typeof token !== "string" || token === "")
      throw new TokenFailure("The function that gives it gave none.", true);
    secrets.add(token);
    return token;
  };
  return { get: (deadline) => deadline.race(callSupplier()), reportRefused: () => true, whenIdle: resolved };
}

/** What somebody holds who needs another access token; `refreshToken` is the newest they know. */
export interface HeldTokens {
  readonly accessToken?: string | undefined;
  readonly refreshToken: string;
}

/** Renews a pair of tokens. */
export type RefreshTokens = (held: HeldTokens) => Promise<Tokens>;

/** How tokens are renewed, and who else wants to know of one that the service refused. */
export interface Renewal {
  readonly renew: RefreshTokens;
  readonly markRefused?: (accessToken: string) => Promise<void>;
}

/** A token this close to its end is renewed before it is used: a minute, or a fifth of a short life. */
export const renewalMarginMs = (lifetimeMs: number) => Math.min(60_000, lifetimeMs / 5);

const initialPauseMs = 1_000;
const maxPauseMs = 60_000;

/** An endpoint that failed is left alone for a while, twice as long each time. */
class EndpointPause {
  #failures = 0;
  #until = 0;
  #failure: TokenFailure | undefined;

  /** Throws the failure again while it is too early to ask once more. */
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
    throw new TokenFailure(`The renewed tokens could not be kept (${cause.message}).`, false, { cause });
  }
}

/** Renews the access token before it expires or when it is refused; one renewal at a time, shared by all calls. */
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
  /** Renewed, and lost with the process: `onTokens` has failed so far. */
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
      // Who waited for it may have gone.
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
      // Who cannot be told finds out.
      if (markRefused) await deadline.race(markRefused(token)).catch(() => undefined);
      return true;
    },
    async whenIdle() {
      await refreshing?.catch(() => undefined);
    },
  };
}
