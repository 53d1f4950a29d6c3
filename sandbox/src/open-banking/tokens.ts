/** Codes and tokens that people give by OAuth 2.0: each is for one consent or payment. */
import { createHash } from "node:crypto";
import type { Random } from "../world/random";
import { accessTokenLife, type TokenPair } from "../world/tokens";

/** For what a token is, and for whom. */
export interface TokenGrant {
  /** AIS: and the consent, or PIS: and the payment. */
  readonly scope: string;
  readonly clientIds: readonly string[];
  /** The application that asked for it. */
  readonly applicationId: string;
}

/** What a code is bound to. */
export interface CodeTerms extends TokenGrant {
  readonly redirectUri: string;
  /** Of PKCE, by S256. */
  readonly challenge: string;
}

/** What who redeems a code shows. */
export interface CodeProof {
  readonly applicationId: string;
  readonly redirectUri: string;
  readonly verifier: string;
}

type Expiring<T> = T & { readonly expiresAt: Date };

/** Seconds. */
const codeLife = 60;
const refreshTokenLife = 90 * 86_400;

const expiring = <T extends object>(content: T, now: Date, seconds: number): Expiring<T> => ({
  ...content,
  expiresAt: new Date(now.getTime() + seconds * 1_000),
});

const challengeOf = (verifier: string) => createHash("sha256").update(verifier).digest("base64url");

export class GivenTokens {
  readonly #codes = new Map<string, Expiring<CodeTerms>>();
  readonly #access = new Map<string, Expiring<TokenGrant>>();
  readonly #refresh = new Map<string, Expiring<TokenGrant>>();

  constructor(private readonly random: Random) {}

  /** A code that can be redeemed once. */
  issueCode(terms: CodeTerms, now: Date): string {
    const code = this.random.hex(32);
    this.#codes.set(code, expiring(terms, now, codeLife));
    return code;
  }

  /** Takes a code; undefined when it is not good, or was meant for another. */
  redeemCode(code: string, proof: CodeProof, now: Date): TokenGrant | undefined {
    const known = this.#codes.get(code);
    this.#codes.delete(code);
    const isMeant =
      known?.applicationId === proof.applicationId &&
      known.redirectUri === proof.redirectUri &&
      known.challenge === challengeOf(proof.verifier);
    if (!isMeant || known.expiresAt <= now) return undefined;
    const { scope, clientIds, applicationId } = known;
    return { scope, clientIds, applicationId };
  }

  /** Takes a refresh token, in whose place another is issued. */
  redeemRefreshToken(token: string, applicationId: string, now: Date): TokenGrant | undefined {
    const known = this.#refresh.get(token);
    if (known?.applicationId !== applicationId || known.expiresAt <= now) return undefined;
    this.#refresh.delete(token);
    return known;
  }

  issue({ scope, clientIds, applicationId }: TokenGrant, now: Date): TokenPair {
    const grant = { scope, clientIds, applicationId };
    const pair = { accessToken: this.random.hex(40), refreshToken: this.random.hex(40) };
    this.#access.set(pair.accessToken, expiring(grant, now, accessTokenLife));
    this.#refresh.set(pair.refreshToken, expiring(grant, now, refreshTokenLife));
    return pair;
  }

  /** For what an access token is, or why for nothing. */
  check(token: string, now: Date): TokenGrant | "unknown" | "expired" {
    const known = this.#access.get(token);
    if (!known) return "unknown";
    return known.expiresAt > now ? known : "expired";
  }
}
