/** What the statements say, read from the books. */
import type { Account } from "../world/accounts";
import { written } from "../world/currencies";
import { addDays, dayOf, startOf } from "../world/days";
import { type BookedLine, bucketOf } from "../world/ledger";
import type { Client } from "../world/parties";
import { statusOf } from "../world/trades";
import type { World } from "../world/world";
import type { Column, Report } from "./report";

/** Days of a statement, the first and the last included. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

const books = (account: Account) => bucketOf(account, "InterimAvailable");

function linesIn({ ledger }: World, account: Account, { from, to }: Period): BookedLine[] {
  const [begin, end] = [startOf(from), startOf(addDays(to, 1))];
  return ledger
    .lines(books(account))
    .filter(({ entry: { bookedAt } }) => bookedAt >= begin && bookedAt < end);
}

const accountColumns: readonly Column[] = [
  { name: "transaction_id" },
  { name: "booking_datetime" },
  { name: "value_datetime" },
  { name: "booking_date", print: { title: "Booked", width: 52 } },
  { name: "value_date", print: { title: "Value", width: 52 } },
  { name: "transaction_information", text: true, print: { title: "Details", width: 180 } },
  { name: "transaction_reference", text: true, print: { title: "Reference", width: 70 } },
  { name: "counterparty", text: true },
  { name: "transaction_type" },
  { name: "credit_debit_indicator" },
  { name: "amount", print: { title: "Amount", width: 60, right: true } },
  { name: "currency" },
  { name: "balance", print: { title: "Balance", width: 64, right: true } },
];

function accountRow({ currency }: Account, { lineId, entry, amount, balance }: BookedLine): string[] {
  return [
    lineId,
    entry.bookedAt.toISOString(),
    entry.valueAt.toISOString(),
    dayOf(entry.bookedAt),
    dayOf(entry.valueAt),
    entry.information,
    entry.reference,
    entry.counterparty?.name ?? "",
    entry.type,
    amount.lt(0) ? "Debit" : "Credit",
    written(amount, currency),
    currency,
    written(balance, currency),
  ];
}

/** The movements of an account, with opening, closing and running balance. */
export function accountStatement(world: World, client: Client, account: Account, period: Period): Report {
  const { currency, accountNumber } = account;
  const lines = linesIn(world, account, period);
  const opening = world.ledger.balanceBefore(books(account), startOf(period.from));
  const closing = lines.at(-1)?.balance ?? opening;
  return {
    title: "Account statement",
    fileName: `statement-${currency}-${period.from}-${period.to}`,
    facts: [
      `${client.name}, ${client.address}`,
      `Account ${accountNumber} in ${currency}, from ${period.from} to ${period.to}`,
      `Opening balance ${written(opening, currency)} ${currency}`,
      `Closing balance ${written(closing, currency)} ${currency}`,
    ],
    columns: accountColumns,
    rows: lines.map((line) => accountRow(account, line)),
    writtenAt: world.now,
  };
}

const fundsColumns: readonly Column[] = [
  { name: "booking_date", print: { title: "Booked", width: 56 } },
  { name: "account_id" },
  { name: "debtor_name", text: true, print: { title: "From", width: 150 } },
  { name: "transaction_reference", text: true, print: { title: "Reference", width: 90 } },
  { name: "transaction_information", text: true, print: { title: "Details", width: 110 } },
  { name: "currency", print: { title: "Currency", width: 40 } },
  { name: "amount", print: { title: "Amount", width: 60, right: true } },
];

/** What came in from outside on all accounts. */
export function incomingFunds(world: World, client: Client, period: Period): Report {
  const rows = world.accountsOf(client).flatMap((account) =>
    linesIn(world, account, period)
      .filter(({ entry }) => entry.type === "incoming")
      .map(({ entry, amount }) => [
        dayOf(entry.bookedAt),
        account.accountId,
        entry.counterparty?.name ?? "",
        entry.reference,
        entry.information,
        account.currency,
        written(amount, account.currency),
      ]),
  );
  return {
    title: "Incoming funds",
    fileName: `incoming-funds-${period.from}-${period.to}`,
    facts: [`${client.name}, ${client.address}`, `From ${period.from} to ${period.to}`],
    columns: fundsColumns,
    rows: rows.toSorted(([one], [other]) => (one! < other! ? -1 : Number(one! > other!))),
    writtenAt: world.now,
  };
}

const tradeColumns: readonly Column[] = [
  { name: "trade_id", print: { title: "Trade", width: 74 } },
  { name: "order_date", print: { title: "Ordered", width: 52 } },
  { name: "maturity_date", print: { title: "Matures", width: 52 } },
  { name: "trade_type", print: { title: "Type", width: 60 } },
  { name: "status", print: { title: "Status", width: 80 } },
  { name: "buy_currency" },
  { name: "buy_amount", print: { title: "Bought", width: 60, right: true } },
  { name: "sell_currency" },
  { name: "sell_amount", print: { title: "Sold", width: 60, right: true } },
  { name: "rate_symbol" },
  { name: "rate" },
  { name: "reference", text: true },
];

/** The trades ordered in a month or on a day, given as the beginning of the date. */
export function tradesStatement(world: World, client: Client, ordered: string): Report {
  const trades = [...world.trades.values()].filter(
    ({ clientId, orderDate }) => clientId === client.clientId && orderDate.startsWith(ordered),
  );
  return {
    title: "Trades",
    fileName: `trades-${ordered}`,
    facts: [`${client.name}, ${client.address}`, `Ordered in ${ordered}`],
    columns: tradeColumns,
    rows: trades.map((trade) => [
      trade.tradeId,
      trade.orderDate,
      trade.maturityDate,
      trade.type,
      statusOf(trade),
      trade.buy.currency,
      written(trade.buy.amount, trade.buy.currency),
      trade.sell.currency,
      written(trade.sell.amount, trade.sell.currency),
      trade.rate.symbol,
      trade.rate.rate.toFixed(),
      trade.reference ?? "",
    ]),
    writtenAt: world.now,
  };
}
