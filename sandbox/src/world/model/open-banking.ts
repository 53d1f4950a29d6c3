/** State of the open-banking interfaces: consents, payments, authorisations and tokens. */
import { Tokens, type TokensState } from "../tokens/tokens";
import type { Authorisation, Subject } from "./decision";
import type { Consent } from "./consent";
import type { Payment } from "./payment";
import type { Random } from "../common/random";

/** Subject of a token and the application it was issued to. */
export interface TokenGrant extends Subject {
  /** Application that requested the token. */
  readonly applicationId: string;
}

/** OAuth 2.0 tokens that a person grants. Only the latest refresh token of a grant is valid, for 90 days. */
const createPersonTokens = (random: Random, state?: TokensState<TokenGrant>): Tokens<TokenGrant> =>
  new Tokens<TokenGrant>(
    random,
    {
      refreshTokenSeconds: 90 * 86_400,
      maxRefreshTokens: 1,
      holderOf: (grant) => grant,
    },
    state,
  );

/** A request and its response, for idempotent repetition. */
interface StoredResponse {
  readonly asked: string;
  readonly result: unknown;
}

export interface OpenBanking {
  /** By consent ID, in order of creation. */
  readonly consents: Map<string, Consent>;
  readonly payments: Map<string, Payment>;
  readonly authorisations: Map<string, Authorisation>;
  /** Initiations of the last day, by client and X-Request-ID. */
  readonly rememberedResponses: Map<string, StoredResponse>;
  /** Number of people who must authorise a new payment. */
  signatories: number;
  /** Tokens granted by OAuth. */
  readonly tokens: Tokens<TokenGrant>;
}

export type OpenBankingState = Omit<OpenBanking, "tokens"> & { readonly tokens: TokensState<TokenGrant> };

export const createOpenBanking = (random: Random, state?: OpenBankingState): OpenBanking => ({
  consents: new Map(),
  payments: new Map(),
  authorisations: new Map(),
  rememberedResponses: new Map(),
  signatories: 1,
  ...state,
  tokens: createPersonTokens(random, state?.tokens),
});
