import type { TradeTerms } from "./trade";

export interface Quote {
  readonly quoteId: string;
  readonly terms: Omit<TradeTerms, "reference">;
  readonly expiresAt: Date;
  used: boolean;
}
