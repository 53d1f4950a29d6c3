import type { TradeTerms } from "./trades";

export interface Quote {
  readonly quoteId: string;
  readonly terms: Omit<TradeTerms, "reference">;
  readonly expiresAt: Date;
  used: boolean;
}
