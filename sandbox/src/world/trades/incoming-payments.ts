/** Incoming payments and their automatic allocation. */
import { Big } from "big.js";
import type { Account } from "../model/account";
import { larger, smaller } from "../money/currencies";
import { dayOf } from "@fxdesk/toolkit/calendars";
import type { BookedLine, Movement } from "../ledger/ledger";
import { payCalls } from "./margin";
import { availableBalance, availableLines, moveMoney } from "../accounts/accounts";
import { outstandingFunds, type Trade } from "../model/trade";
import { fundTrade } from "./trading";
import type { World } from "../model/world";

const zero = new Big(0);

/**
 * Books an incoming payment. It pays open margin calls first, then the trades whose ID or reference it carries, else
 * the trades that are due, oldest first. Returns the booked line.
 */
export function receivePayment(
  world: World,
  account: Account,
  amount: Big,
  movement: Omit<Movement, "type" | "endToEnd">,
): BookedLine {
  moveMoney(world, account, amount, "nostro", { type: "incoming", endToEnd: true, ...movement });
  const line = availableLines(world, account).at(-1)!;
  const before = availableBalance(world, account);
  const open = fundableTrades(world, account);
  for (const trade of open) payCalls(world, trade);
  const paidCalls = before.minus(availableBalance(world, account));
  let unused = larger(smaller(amount.minus(paidCalls), availableBalance(world, account)), zero);
  for (const trade of tradesPaidBy(world, open, movement.reference))
    unused = unused.minus(fundUpTo(world, trade, unused));
  return line;
}

/**
 * True if the trade sells the account's currency and still needs funds. Non-delivered trades are not funded.
 */
const isFundable = (trade: Trade, { clientId, currency }: Account): boolean =>
  trade.clientId === clientId &&
  trade.sell.currency === currency &&
  trade.type !== "ndf" &&
  !trade.ended &&
  !trade.settled;

const fundableTrades = ({ trades }: World, account: Account): Trade[] =>
  [...trades.values()].filter((trade) => isFundable(trade, account));

/** Returns the trades that a payment with this reference funds, by maturity. */
function tradesPaidBy(world: World, trades: readonly Trade[], paymentReference: string): Trade[] {
  const today = dayOf(world.now);
  const referenced = trades.filter(
    ({ tradeId, reference }) => paymentReference === tradeId || paymentReference === reference,
  );
  const paidFor =
    referenced.length > 0 ? referenced : trades.filter(({ maturityDate }) => maturityDate <= today);
  return paidFor.toSorted((one, other) => (one.maturityDate < other.maturityDate ? -1 : 1));
}

/** Funds a trade up to its outstanding amount. Returns the amount used. */
function fundUpTo(world: World, trade: Trade, funds: Big): Big {
  const amount = smaller(outstandingFunds(trade), funds);
  if (amount.gt(0)) fundTrade(world, trade, amount);
  return amount;
}
