/** What the statements that are not of one account say. */
import { bankIn } from "../world/banks";
import { type Money, written } from "../world/currencies";
import { dayOf } from "../world/days";
import type { Client } from "../world/parties";
import { statusOf } from "../world/trades";
import type { World } from "../world/world";
import { linesIn, type Period } from "./account-statement";
import { type Column, grouped, type Report, type Row } from "./report";

/** What the two have in common: no balances, and the letterhead of the client's country. */
const reportOf = (world: World, client: Client) => ({
  bank: bankIn(client.country),
  holder: client,
  above: [],
  below: [],
  writtenAt: world.now,
});

const fundsColumns: readonly Column[] = [
  { name: "booking_date", print: { title: "Date", width: 50 } },
  { name: "account_id" },
  { name: "debtor_name", text: true, print: { title: "From", width: 130 } },
  { name: "transaction_reference", text: true, print: { title: "Reference", width: 84 } },
  { name: "transaction_information", text: true, print: { title: "Details", width: 112 } },
  { name: "currency", print: { title: "Currency", width: 44 } },
  { name: "amount", print: { title: "Amount", width: 64, right: true, shown: grouped } },
];

/** What came in from outside on all accounts. */
export function incomingFunds(world: World, client: Client, period: Period): Report {
  const rows = world.accountsOf(client).flatMap((account) =>
    linesIn(world, account, period)
      .filter(({ entry }) => entry.type === "incoming")
      .map(({ entry, amount }): Row => [
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
    ...reportOf(world, client),
    title: "Incoming funds",
    facts: [["Period", `${period.from} to ${period.to}`]],
    columns: fundsColumns,
    rows: rows.toSorted(([one], [other]) => (one! < other! ? -1 : Number(one! > other!))),
  };
}

const tradeColumns: readonly Column[] = [
  { name: "trade_id", print: { title: "Trade", width: 70 } },
  { name: "order_date", print: { title: "Ordered", width: 48 } },
  { name: "maturity_date", print: { title: "Matures", width: 48 } },
  { name: "type", print: { title: "Type", width: 52 } },
  { name: "status", print: { title: "Status", width: 84 } },
  { name: "bought", print: { title: "Bought", width: 88, right: true } },
  { name: "sold", print: { title: "Sold", width: 88, right: true } },
];

const printed = ({ amount, currency }: Money) => `${grouped(written(amount, currency))} ${currency}`;

/** The trades ordered in a month or on a day, given as the beginning of the date. */
export function tradesStatement(world: World, client: Client, ordered: string): Report {
  const trades = [...world.trades.values()].filter(
    ({ clientId, orderDate }) => clientId === client.clientId && orderDate.startsWith(ordered),
  );
  return {
    ...reportOf(world, client),
    title: "Trades",
    facts: [
      ["Ordered in", ordered],
      ["Trades", String(trades.length)],
    ],
    columns: tradeColumns,
    rows: trades.map((trade) => [
      trade.tradeId,
      trade.orderDate,
      trade.maturityDate,
      trade.type.replace("_", " "),
      statusOf(trade),
      printed(trade.buy),
      printed(trade.sell),
    ]),
  };
}
