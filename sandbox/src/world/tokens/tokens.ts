/** OAuth 2.0 (RFC 6749) codes, access tokens and refresh tokens. */
import { isDeepStrictEqual } from "node:util";
import { demo } from "../parties/parties";
import type { Random } from "../common/random";

type TtlMapState<T> = Map<string, { readonly value: T; readonly expiresAt: Date }>;

/**
 * A map whose values share one time to live. Expired values are not returned, and are removed when another is added.
 */
export class TtlMap<T> {
  readonly #entries: TtlMapState<T>;

  constructor(
    private readonly seconds: number,
    state: TtlMapState<T> = new Map(),
  ) {
    this.#entries = state;
  }

  get state(): TtlMapState<T> {
    return this.#entries;
  }

  set(key: string, value: T, now: Date): void {
    this.#removeExpired(now);
    this.#entries.set(key, { value, expiresAt: new Date(now.getTime() + this.seconds * 1_000) });
  }

  get(key: string, now: Date): T | undefined {
    const entry = this.#entries.get(key);
    return entry && entry.expiresAt > now ? entry.value : undefined;
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  /** Returns the keys of matching values in insertion order. */
  keysOf(matches: (value: T) => boolean): string[] {
    return [...this.#entries].filter(([, { value }]) => matches(value)).map(([key]) => key);
  }

  /** Time only moves forward, so that entries expire in insertion order. */
  #removeExpired(now: Date): void {
    for (const [key, { expiresAt }] of this.#entries) {
      if (expiresAt > now) return;
      this.#entries.delete(key);
    }
  }
}

interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** Parameters a code is bound to; they must be repeated when it is redeemed. */
export type Binding = Readonly<Record<string, string>>;

/** Rules of one kind of grant. */
interface TokenRules<G> {
  /** Seconds. */
  readonly refreshTokenSeconds: number;
  /** Number of valid refresh tokens per holder; older ones become invalid. */
  readonly maxRefreshTokens: number;
  readonly holderOf: (grant: G) => unknown;
  /** Tokens that never expire. The refresh token does not count towards the holder's maximum. */
  readonly permanent?: TokenPair & { readonly grant: G };
}

/** Seconds. */
export const accessTokenSeconds = 3_600;
const codeSeconds = 60;
/** Retention of expired access tokens, to report "expired" instead of "unknown". */
const expiredRetentionSeconds = 86_400;

interface BoundGrant<G> {
  readonly grant: G;
  readonly binding: Binding;
}

export interface TokensState<G> {
  /** State of the random generator. */
  readonly random: number;
  readonly codes: TtlMapState<BoundGrant<G>>;
  readonly access: TtlMapState<G>;
  readonly remembered: TtlMapState<true>;
  readonly refresh: TtlMapState<G>;
}

export class Tokens<G extends object> {
  readonly #codes: TtlMap<BoundGrant<G>>;
  readonly #access: TtlMap<G>;
  readonly #issuedAccessTokens: TtlMap<true>;
  readonly #refresh: TtlMap<G>;

  constructor(
    private readonly random: Random,
    private readonly rules: TokenRules<G>,
    state: Partial<TokensState<G>> = {},
  ) {
    this.#codes = new TtlMap(codeSeconds, state.codes);
    this.#access = new TtlMap(accessTokenSeconds, state.access);
    this.#issuedAccessTokens = new TtlMap(accessTokenSeconds + expiredRetentionSeconds, state.remembered);
    this.#refresh = new TtlMap(rules.refreshTokenSeconds, state.refresh);
  }

  get state(): TokensState<G> {
    return {
      random: this.random.state,
      codes: this.#codes.state,
      access: this.#access.state,
      remembered: this.#issuedAccessTokens.state,
      refresh: this.#refresh.state,
    };
  }

  /** Issues a code for a single redemption. */
  issueCode(grant: G, binding: Binding, now: Date): string {
    const code = this.random.hex(32);
    this.#codes.set(code, { grant, binding }, now);
    return code;
  }

  /** Redeems a code. Returns undefined if it is invalid or bound to other parameters. */
  redeemCode(code: string, presented: Binding, now: Date): G | undefined {
    const known = this.#codes.get(code, now);
    this.#codes.delete(code);
    return known && isDeepStrictEqual(known.binding, presented) ? known.grant : undefined;
  }

  /**
   * Returns the grant of a refresh token, or undefined. The token stays valid until newer ones replace it.
   */
  redeemRefreshToken(token: string, now: Date): G | undefined {
    const { permanent } = this.rules;
    return token === permanent?.refreshToken ? permanent.grant : this.#refresh.get(token, now);
  }

  issue(grant: G, now: Date): TokenPair {
    const pair = { accessToken: this.random.hex(40), refreshToken: this.random.hex(40) };
    this.#access.set(pair.accessToken, grant, now);
    this.#issuedAccessTokens.set(pair.accessToken, true, now);
    this.#refresh.set(pair.refreshToken, grant, now);
    this.#dropSurplusRefreshTokens(grant);
    return pair;
  }

  #dropSurplusRefreshTokens(grant: G): void {
    const { holderOf, maxRefreshTokens } = this.rules;
    const holder = holderOf(grant);
    const tokensOfHolder = this.#refresh.keysOf((other) => holderOf(other) === holder);
    for (const token of tokensOfHolder.slice(0, -maxRefreshTokens)) this.#refresh.delete(token);
  }

  /** Returns the grant of an access token, or why it is invalid. */
  check(token: string, now: Date): G | "unknown" | "expired" {
    const { permanent } = this.rules;
    if (token === permanent?.accessToken) return permanent.grant;
    return this.#access.get(token, now) ?? (this.#issuedAccessTokens.get(token, now) ? "expired" : "unknown");
  }
}

/** The contact who logged in, and the clients the contact acts for. */
export interface Grant {
  readonly contactId: string;
  readonly clientIds: readonly string[];
}

/** A contact's last ten refresh tokens are valid for 28 days; the demo company's tokens never expire. */
export const createSignInTokens = (random: Random, home: Grant, state?: TokensState<Grant>): Tokens<Grant> =>
  new Tokens<Grant>(
    random,
    {
      refreshTokenSeconds: 28 * 86_400,
      maxRefreshTokens: 10,
      holderOf: ({ contactId }) => contactId,
      permanent: {
        accessToken: demo.accessToken,
        refreshToken: demo.refreshToken,
        grant: home,
      },
    },
    state,
  );
