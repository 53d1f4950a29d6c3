/** What the open-banking interfaces keep: consents, payments, and what people were asked to authorise. */
import type { Tokens } from "../tokens/tokens";
import type { Random } from "../random";
import type { Authorisation } from "./decision";
import type { Consent } from "./consent";
import type { Payment } from "./payment";
import { givenTokens, type TokenGrant } from "./tokens";

/** What was asked for under an id, and what was answered. */
export interface RememberedResponse {
  readonly asked: string;
  /** As it was given. */
  readonly result: unknown;
}

export class OpenBanking {
  /** By consentId, in the order of making. */
  readonly consents = new Map<string, Consent>();
  readonly payments = new Map<string, Payment>();
  readonly authorisations = new Map<string, Authorisation>();
  /** Initiations of the last day by client and X-Request-ID. */
  readonly rememberedResponses = new Map<string, RememberedResponse>();
  /** How many people must authorise a payment that is initiated now. */
  signatories = 1;
  /** What people gave by OAuth. */
  readonly tokens: Tokens<TokenGrant>;

  constructor(random: Random) {
    this.tokens = givenTokens(random);
  }
}
