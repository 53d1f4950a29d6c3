/** Money from outside, and what the bank does with it at once. */
import type { Big } from "big.js";
import type { Account } from "./accounts";
import { smaller } from "./currencies";
import { dayOf } from "./days";
import { type BookedLine, bucketOf } from "./ledger";
import { payCall } from "./margin";
import { available, move, type Movement } from "./movements";
import { outstanding, type Trade } from "./trades";
import { fund } from "./trading";
import type { World } from "./world";

/**
 * Books money that came in. It pays what margin was called, then for the trade whose ID is its reference, or else for the
 * trades that are due, the oldest first. Answers the line in the account's books.
 */
export function receive(
  world: World,
  account: Account,
  amount: Big,
  movement: Omit<Movement, "type">,
): BookedLine {
  move(world, account, amount, "nostro", { ...movement, type: "incoming" });
  const line = world.ledger.lines(bucketOf(account, "InterimAvailable")).at(-1)!;
  const open = openTrades(world, account);
  for (const trade of open) payCall(world, trade);
  const named = open.filter(({ tradeId }) => tradeId === movement.reference);
  const paidFor = named.length > 0 ? named : due(world, open);
  let left = smaller(amount, available(world, account));
  for (const trade of paidFor) left = left.minus(fundFrom(world, trade, left));
  return line;
}

/** What is sold in the account's currency and not settled; what is settled in cash is not paid for. */
const openTrades = (world: World, { clientId, currency }: Account): Trade[] =>
  [...world.trades.values()].filter(
    (trade) =>
      trade.clientId === clientId &&
      trade.sell.currency === currency &&
      trade.type !== "ndf" &&
      !trade.ended &&
      !trade.settled,
  );

function due(world: World, trades: readonly Trade[]): Trade[] {
  const today = dayOf(world.now);
  return trades
    .filter(({ maturityDate }) => maturityDate <= today)
    .toSorted((one, other) => (one.maturityDate < other.maturityDate ? -1 : 1));
}

/** Pays for a trade from what there is; answers how much that took. */
function fundFrom(world: World, trade: Trade, left: Big): Big {
  const amount = smaller(outstanding(trade), left);
  if (amount.gt(0)) fund(world, trade, amount);
  return amount;
}
