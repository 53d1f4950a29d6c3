/** Money from outside, and what the bank does with it at once. */
import { Big } from "big.js";
import type { Account } from "../accounts/account";
import { larger, smaller } from "../money/currencies";
import { dayOf } from "../calendar/days";
import { type BookedLine, balanceAccount, type Movement } from "../ledger/ledger";
import { payCalls } from "./margin";
import { availableBalance, moveMoney } from "../ledger/movements";
import { outstandingFunds, type Trade } from "./trades";
import { fundTrade } from "./trading";
import type { World } from "../world";

const zero = new Big(0);

/**
 * Books money that came in. It pays what margin was called, then for the trades whose ID or reference it carries, or else
 * for those that are due, the oldest first. Returns the line in the account's books.
 */
export function receivePayment(
  world: World,
  account: Account,
  amount: Big,
  movement: Omit<Movement, "type" | "endToEnd">,
): BookedLine {
  // The type stands first: a field added to a copy costs the engine a new hidden class with every movement.
  moveMoney(world, account, amount, "nostro", { type: "incoming", endToEnd: true, ...movement });
  const line = world.ledger.lines(balanceAccount(account, "InterimAvailable")).at(-1)!;
  const before = availableBalance(world, account);
  const open = fundableTrades(world, account);
  for (const trade of open) payCalls(world, trade);
  const paidCalls = before.minus(availableBalance(world, account));
  let unused = larger(smaller(amount.minus(paidCalls), availableBalance(world, account)), zero);
  for (const trade of tradesPaidBy(world, open, movement.reference))
    unused = unused.minus(fundUpTo(world, trade, unused));
  return line;
}

/** Whether a trade sells the account's currency and is not settled; what is settled in cash is not paid for. */
const isFundable = (trade: Trade, { clientId, currency }: Account): boolean =>
  trade.clientId === clientId &&
  trade.sell.currency === currency &&
  trade.type !== "ndf" &&
  !trade.ended &&
  !trade.settled;

const fundableTrades = ({ trades }: World, account: Account): Trade[] =>
  [...trades.values()].filter((trade) => isFundable(trade, account));

/** Which of the trades money with a reference pays for. */
function tradesPaidBy(world: World, trades: readonly Trade[], paymentReference: string): Trade[] {
  const today = dayOf(world.now);
  const referenced = trades.filter(
    ({ tradeId, reference }) => paymentReference === tradeId || paymentReference === reference,
  );
  const paidFor =
    referenced.length > 0 ? referenced : trades.filter(({ maturityDate }) => maturityDate <= today);
  return paidFor.toSorted((one, other) => (one.maturityDate < other.maturityDate ? -1 : 1));
}

/** Pays for a trade from what there is; returns how much that took. */
function fundUpTo(world: World, trade: Trade, funds: Big): Big {
  const amount = smaller(outstandingFunds(trade), funds);
  if (amount.gt(0)) fundTrade(world, trade, amount);
  return amount;
}
