/** Tokens that people give by OAuth 2.0: each is for one consent or payment. */
import { Tokens, type TokensState } from "../tokens/tokens";
import type { Random } from "../random";
import type { Subject } from "./decision";

/** For what a token is, and for whom. */
export interface TokenGrant extends Subject {
  /** The application that asked for it. */
  readonly applicationId: string;
}

/** Of what a person gave once, the last refresh token is good, for 90 days. */
export const createPersonTokens = (random: Random, state?: TokensState<TokenGrant>): Tokens<TokenGrant> =>
  new Tokens<TokenGrant>(
    random,
    {
      refreshTokenSeconds: 90 * 86_400,
      maxRefreshTokens: 1,
      holderOf: (grant) => grant,
    },
    state,
  );
