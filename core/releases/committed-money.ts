/** The money that a request commits. */
import { Big } from "big.js";
import type { QuotedTrade } from "../call/quote-memory";
import { normalizeAccountNumber } from "../values/account-number";
import { type Policy, toPolicyCurrency } from "./policy";
import { fixedSideFirst, type OrderTerms, type SealedRequest } from "./terms";

export const effectOf = (sealed: SealedRequest) => (sealed.kind === "order" ? "money" : sealed.effect);

/** Returns the amount of the variable side at the worst rate, not rounded. */
export function variableAmountAtWorstRate(terms: OrderTerms): Big {
  const [fixed] = fixedSideFirst(terms, terms.buy_currency, terms.sell_currency);
  const amount = new Big(terms.amount);
  return terms.rate_symbol.startsWith(fixed) ? amount.times(terms.worst_rate) : amount.div(terms.worst_rate);
}

/** Returns the trade that a request books, an order at its worst rate; undefined if it books none. */
export function tradeOf(sealed: SealedRequest): QuotedTrade | "unknown" | undefined {
  if (sealed.kind === "call") return sealed.trade;
  const { terms } = sealed;
  const { trade_type, buy_currency, sell_currency, amount } = terms;
  const variable = variableAmountAtWorstRate(terms).toFixed();
  const [buy_amount, sell_amount] = terms.fixed_side === "buy" ? [amount, variable] : [variable, amount];
  return { trade_type, buy_currency, buy_amount, sell_currency, sell_amount };
}

/** True for a request that commits no money by itself, for example a cancellation. */
export const commitsNoMoney = (sealed: SealedRequest): boolean =>
  effectOf(sealed) !== "money" || (sealed.kind === "call" && sealed.amounts?.length === 0);

/** True if a request may pay an account that the policy does not list. Trades pay none. */
export function paysUnknownCreditor({ creditors = [] }: Policy, sealed: SealedRequest): boolean {
  if (typeof tradeOf(sealed) === "object") return false;
  const known = new Set(creditors.map(({ account }) => normalizeAccountNumber(account)));
  const paid = sealed.kind === "call" ? sealed.creditors : undefined;
  return !paid?.every((account) => known.has(account));
}

/**
 * Returns the committed amount in the policy's currency, for a trade the larger side. Undefined if there is none or if it cannot
 * be valued, as an order whose fixed side has no rate: its requester chooses the worst rate, and so the other side.
 */
export function committedAmount(policy: Policy, sealed: SealedRequest): Big | undefined {
  if (commitsNoMoney(sealed)) return undefined;
  const trade = tradeOf(sealed);
  if (trade === "unknown") return undefined;
  if (!trade)
    return sealed.kind === "call" && sealed.amounts ? toPolicyCurrency(policy, sealed.amounts) : undefined;
  if (sealed.kind === "order") {
    const { terms } = sealed;
    const [currency] = fixedSideFirst(terms, terms.buy_currency, terms.sell_currency);
    if (toPolicyCurrency(policy, [{ amount: terms.amount, currency }]) === undefined) return undefined;
  }
  const sides = [
    { amount: trade.buy_amount, currency: trade.buy_currency },
    { amount: trade.sell_amount, currency: trade.sell_currency },
  ];
  const values = sides.flatMap((side) => toPolicyCurrency(policy, [side]) ?? []);
  return values.length === 0 ? undefined : values.reduce((most, each) => (each.gt(most) ? each : most));
}
