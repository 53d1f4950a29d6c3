/** OAuth 2.0 tokens that a person grants, each for one consent or payment. */
import { Tokens, type TokensState } from "../tokens/tokens";
import type { Random } from "../common/random";
import type { Subject } from "./decision";

/** Subject of a token and the application it was issued to. */
export interface TokenGrant extends Subject {
  /** Application that requested the token. */
  readonly applicationId: string;
}

/** Only the latest refresh token of a grant is valid, for 90 days. */
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
