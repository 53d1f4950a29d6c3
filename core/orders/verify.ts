/** Verifies a booked order: reads the trade and compares it with the terms. Any deviation raises an alarm. */
import { Big } from "big.js";
import type { z } from "zod";
import type { BookedTrade } from "../contract/trades";
import type { Order } from "../releases/release";
import { fixedSideFirst, type OrderTerms } from "../releases/terms";
import { callOptionsFor, type ExecutorDependencies, messageOf, never, transition } from "./leased-release";
import { findDateProblem, findFeeProblem, isRateWithinLimit, worstAmount } from "./quote";

const [firstRetryMs, maxReads] = [1_000, 10] as const;

/** Compares the booked trade with the order, once. Tries again later if the trade cannot be read. */
export async function verify(
  { operations, call, onAlarm, store }: ExecutorDependencies,
  order: Order,
): Promise<void> {
  const { id, sealed, progress } = order;
  const { readings = 0, identity } = progress;
  let deviations: readonly string[];
  try {
    const { body } = await call(operations!.getOperation, { trade_id: identity }, callOptionsFor(sealed), {});
    deviations = findDeviations(sealed.terms, body as Trade);
  } catch (error) {
    if (readings + 1 < maxReads) {
      await transition(store, order, { readings: readings + 1, dueInMs: firstRetryMs * 2 ** readings });
      return;
    }
    deviations = [`The trade could not be read back: ${messageOf(error)}`];
  }
  await transition(store, order, { deviations, dueInMs: never });
  if (deviations.length > 0)
    onAlarm(`Trade ${identity} deviates from its order ${id}. ${deviations.join(" ")}`);
}

type Trade = z.output<typeof BookedTrade>;

/** Returns the deviations of a trade from its order, one sentence each. */
function findDeviations(terms: OrderTerms, trade: Trade): readonly string[] {
  const found: string[] = [];
  const compare = (what: string, is: unknown, ordered: unknown) => {
    if (ordered !== undefined && (is ?? undefined) !== ordered)
      found.push(`The ${what} is ${String(is)} instead of ${String(ordered)}.`);
  };
  compare("type", trade.trade_type, terms.trade_type);
  compare("bought currency", trade.buy_currency, terms.buy_currency);
  compare("sold currency", trade.sell_currency, terms.sell_currency);
  compare("parent trade", trade.parent_trade_id, terms.parent_trade_id);
  compare("reference", trade.reference, terms.reference);
  const isBuy = terms.fixed_side === "buy";
  const [fixed, other] = fixedSideFirst(terms, trade.buy_amount, trade.sell_amount);
  if (!new Big(fixed).eq(terms.amount)) compare("amount", String(fixed), terms.amount);
  const worst = worstAmount(terms);
  if (isBuy ? new Big(other).gt(worst) : new Big(other).lt(worst))
    found.push(
      `It ${isBuy ? "sells" : "buys"} ${other}, outside the limit of ${worst.toFixed()} at the worst rate.`,
    );
  if (!isRateWithinLimit(terms, String(trade.rate), trade.rate_symbol))
    found.push(
      `The rate is ${trade.rate} ${trade.rate_symbol}, worse than ${terms.worst_rate} ${terms.rate_symbol}.`,
    );
  for (const reason of [
    findDateProblem(terms, trade.maturity_date),
    findFeeProblem(terms, String(trade.fee_amount), trade.fee_currency),
  ])
    if (reason !== undefined) found.push(`${reason[0]!.toUpperCase()}${reason.slice(1)}.`);
  return found;
}
