/** What OAuth 2.0 (RFC 6749) gives for a grant: codes, access tokens and refresh tokens. */
import { isDeepStrictEqual } from "node:util";
import type { Random } from "../random";
import { TtlMap, type TtlMapState } from "./ttl-map";

export interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** What a code is bound to, by parameter: who redeems it has to show the same. */
export type Binding = Readonly<Record<string, string>>;

/** What differs between one kind of grant and another. */
export interface TokenRules<G> {
  /** Seconds. */
  readonly refreshTokenSeconds: number;
  /** How many refresh tokens of one holder are good at a time: the last. */
  readonly maxRefreshTokens: number;
  readonly holderOf: (grant: G) => unknown;
  /** Good from the beginning and for ever; the refresh token does not count among those of its holder. */
  readonly permanent?: TokenPair & { readonly grant: G };
}

/** Seconds. */
export const accessTokenSeconds = 3_600;
const codeSeconds = 60;
/** How long an access token that has expired is told from one that never was. */
const expiredRetentionSeconds = 86_400;

interface BoundGrant<G> {
  readonly grant: G;
  readonly binding: Binding;
}

export interface TokensState<G> {
  /** Where their chance stands. */
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

  /** A code that can be redeemed once. */
  issueCode(grant: G, binding: Binding, now: Date): string {
    const code = this.random.hex(32);
    this.#codes.set(code, { grant, binding }, now);
    return code;
  }

  /** Takes a code; undefined when it is not good, or is bound to something else. */
  redeemCode(code: string, presented: Binding, now: Date): G | undefined {
    const known = this.#codes.get(code, now);
    this.#codes.delete(code);
    return known && isDeepStrictEqual(known.binding, presented) ? known.grant : undefined;
  }

  /** What a refresh token is for. It stays good until so many have followed it that it is none of the last. */
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

  /** What an access token is for, or why it is for nothing. */
  check(token: string, now: Date): G | "unknown" | "expired" {
    const { permanent } = this.rules;
    if (token === permanent?.accessToken) return permanent.grant;
    return this.#access.get(token, now) ?? (this.#issuedAccessTokens.get(token, now) ? "expired" : "unknown");
  }
}
