/** What the open-banking interfaces keep: consents, payments, and what people were asked to authorise. */
import type { Tokens } from "../oauth/tokens";
import type { Random } from "../world/random";
import type { Authorisation } from "./authorisation";
import type { Consent } from "./consent";
import type { Payment } from "./payment";
import type { RememberedResponse } from "./repeats";
import { givenTokens, type TokenGrant } from "./tokens";

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
