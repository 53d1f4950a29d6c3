/** Money from outside, and what the bank does with it at once. */
import { Big } from "big.js";
import type { Account } from "../accounts/account";
import { larger, smaller } from "../money/currencies";
import { dayOf } from "../calendar/days";
import { type BookedLine, bucketOf, type Movement } from "../ledger/ledger";
import { payCalls } from "./margin";
import { available, move } from "../ledger/movements";
import { outstanding, type Trade } from "./trades";
import { fund } from "./trading";
import type { World } from "../world";

const zero = new Big(0);

/**
 * Books money that came in. It pays what margin was called, then for the trades whose ID or reference it carries, or else
 * for those that are due, the oldest first. Returns the line in the account's books.
 */
export function receive(
  world: World,
  account: Account,
  amount: Big,
  movement: Omit<Movement, "type" | "endToEnd">,
): BookedLine {
  // The type stands first: a field added to a copy costs the engine a new hidden class with every movement.
  move(world, account, amount, "nostro", { type: "incoming", endToEnd: true, ...movement });
  const line = world.ledger.lines(bucketOf(account, "InterimAvailable")).at(-1)!;
  const before = available(world, account);
  const open = openTrades(world, account);
  for (const trade of open) payCalls(world, trade);
  const called = before.minus(available(world, account));
  let left = larger(smaller(amount.minus(called), available(world, account)), zero);
  for (const trade of paidForBy(world, open, movement.reference))
    left = left.minus(fundFrom(world, trade, left));
  return line;
}

/** Whether a trade sells the account's currency and is not settled; what is settled in cash is not paid for. */
const isOpen = (trade: Trade, { clientId, currency }: Account): boolean =>
  trade.clientId === clientId &&
  trade.sell.currency === currency &&
  trade.type !== "ndf" &&
  !trade.ended &&
  !trade.settled;

const openTrades = ({ trades }: World, account: Account): Trade[] =>
  [...trades.values()].filter((trade) => isOpen(trade, account));

/** Which of the trades money with a reference pays for. */
function paidForBy(world: World, trades: readonly Trade[], mentioned: string): Trade[] {
  const today = dayOf(world.now);
  const named = trades.filter(({ tradeId, reference }) => mentioned === tradeId || mentioned === reference);
  const paidFor = named.length > 0 ? named : trades.filter(({ maturityDate }) => maturityDate <= today);
  return paidFor.toSorted((one, other) => (one.maturityDate < other.maturityDate ? -1 : 1));
}

/** Pays for a trade from what there is; returns how much that took. */
function fundFrom(world: World, trade: Trade, left: Big): Big {
  const amount = smaller(outstanding(trade), left);
  if (amount.gt(0)) fund(world, trade, amount);
  return amount;
}
