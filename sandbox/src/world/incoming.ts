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
  for (const trade of openTrades(world, account)) payCall(world, trade);
  const named = world.trades.get(movement.reference);
  const paidFor = named && isOpen(named, account) ? [named] : due(world, openTrades(world, account));
  let left = smaller(amount, available(world, account));
  for (const trade of paidFor) left = left.minus(fundFrom(world, trade, left));
  return line;
}

/** Whether a trade sells the account's currency and is not settled; what is settled in cash is not paid for. */
const isOpen = (trade: Trade, { clientId, currency }: Account): boolean =>
  trade.clientId === clientId &&
  trade.sell.currency === currency &&
  trade.type !== "ndf" &&
  !trade.ended &&
  !trade.settled;

function* openTrades({ trades }: World, account: Account): Generator<Trade> {
  for (const trade of trades.values()) if (isOpen(trade, account)) yield trade;
}

function due(world: World, trades: Iterable<Trade>): Trade[] {
  const today = dayOf(world.now);
  const found: Trade[] = [];
  for (const trade of trades) if (trade.maturityDate <= today) found.push(trade);
  return found.toSorted((one, other) => (one.maturityDate < other.maturityDate ? -1 : 1));
}

/** Pays for a trade from what there is; answers how much that took. */
function fundFrom(world: World, trade: Trade, left: Big): Big {
  const amount = smaller(outstanding(trade), left);
  if (amount.gt(0)) fund(world, trade, amount);
  return amount;
}
