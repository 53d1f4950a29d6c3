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
  settled(): Promise<void>;
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
    readonly refused: boolean,
    options: { readonly retryAfterMs?: number; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.retryAfterMs = options.retryAfterMs;
  }

  /** When to ask again, where that is not at once. */
  readonly retryAfterMs: number | undefined;
}

const settled = () => Promise.resolve();

export const fixedToken = (token: string): TokenSource => ({
  get: () => token,
  reportRefused: () => false,
  settled,
});

/** A token that a function gives. */
export function suppliedToken(ask: () => string | Promise<string>, secrets: Secrets): TokenSource {
  const asked = async () => {
    let token: unknown;
    try {
      token = await ask();
    } catch (error) {
      const cause = secrets.redactError(error);
      throw new TokenFailure(`The function that gives it failed (${cause.message}).`, true, { cause });
    }
    if (typeof token !== "string" || token === "")
      throw new TokenFailure("The function that gives it gave none.", true);
    secrets.add(token);
    return token;
  };
  return { get: (deadline) => deadline.race(asked()), reportRefused: () => true, settled };
}

/** What somebody holds who needs another access token; `refreshToken` is the newest they know. */
export interface Pair {
  readonly accessToken?: string | undefined;
  readonly refreshToken: string;
}

/** Renews a pair of tokens. */
export type Refresh = (held: Pair) => Promise<Tokens>;

/** How tokens are renewed, and who else wants to know of one that the service refused. */
export interface Renewal {
  readonly renew: Refresh;
  readonly refused?: (accessToken: string) => Promise<void>;
}

/** A token this close to its end is renewed before it is used: a minute, or a fifth of a short life. */
export const renewBefore = (lifetimeMs: number) => Math.min(60_000, lifetimeMs / 5);

const firstRestMs = 1_000;
const longestRestMs = 60_000;

/** An endpoint that failed is left alone for a while, twice as long each time. */
class Rest {
  #failures = 0;
  #until = 0;
  #failure: TokenFailure | undefined;

  /** Throws the failure again while it is too early to ask once more. */
  assertOver(): void {
    const retryAfterMs = this.#until - Date.now();
    if (!this.#failure || retryAfterMs <= 0) return;
    const { message, refused, cause } = this.#failure;
    throw new TokenFailure(message, refused, { retryAfterMs, cause });
  }

  failed(failure: TokenFailure): void {
    const ms = Math.min(longestRestMs, firstRestMs * 2 ** this.#failures);
    this.#failures += 1;
    this.#failure = failure;
    this.#until = Date.now() + Math.max(ms, failure.retryAfterMs ?? 0);
  }

  over(): void {
    this.#failures = 0;
    this.#failure = undefined;
  }
}

type Keep = (tokens: Tokens) => void | Promise<void>;

async function keep(tokens: Tokens, onTokens: Keep | undefined, secrets: Secrets): Promise<void> {
  try {
    await onTokens?.(tokens);
  } catch (error) {
    const cause = secrets.redactError(error);
    throw new TokenFailure(`The renewed tokens could not be kept (${cause.message}).`, false, { cause });
  }
}

/** Renews the access token before it expires or when it is refused; one renewal at a time, shared by all calls. */
export function refreshedToken(
  given: Pair,
  { renew, refused }: Renewal,
  secrets: Secrets,
  onTokens?: Keep,
): TokenSource {
  let current: Tokens | undefined = given.accessToken
    ? { accessToken: given.accessToken, refreshToken: given.refreshToken, expiresAt: undefined }
    : undefined;
  let renewAt = Infinity;
  /** Renewed, and lost with the process: `onTokens` has failed so far. */
  let unkept = false;
  let refreshing: Promise<Tokens> | undefined;
  const rest = new Rest();

  const isFresh = () => current !== undefined && Date.now() < renewAt;

  const ask = async (): Promise<void> => {
    const begun = Date.now();
    try {
      current = await renew({ ...current, refreshToken: current?.refreshToken ?? given.refreshToken });
    } catch (error) {
      if (error instanceof TokenFailure) rest.failed(error);
      throw error;
    }
    rest.over();
    unkept = true;
    const { expiresAt } = current;
    renewAt = expiresAt === undefined ? Infinity : expiresAt - renewBefore(expiresAt - begun);
  };

  const renewed = async (): Promise<Tokens> => {
    if (!unkept || !isFresh()) await ask();
    await keep(current!, onTokens, secrets);
    unkept = false;
    return current!;
  };

  const next = async (deadline: Deadline): Promise<string> => {
    if (!refreshing) {
      rest.assertOver();
      refreshing = renewed().finally(() => (refreshing = undefined));
      // Who waited for it may have gone.
      refreshing.catch(() => undefined);
    }
    return (await deadline.race(refreshing)).accessToken;
  };

  return {
    get(deadline, commits) {
      const isGood = isFresh() && !unkept && !(commits && current!.expiresAt === undefined);
      return isGood ? current!.accessToken : next(deadline);
    },
    async reportRefused(token, deadline) {
      if (current?.accessToken !== token || renewAt === 0) return true;
      renewAt = 0;
      // Who cannot be told finds out.
      if (refused) await deadline.race(refused(token)).catch(() => undefined);
      return true;
    },
    async settled() {
      await refreshing?.catch(() => undefined);
    },
  };
}
