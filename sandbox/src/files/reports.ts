/** Reports independent of the file format: their CSV, incoming funds and trades. */
import { type Bank, bankIn } from "../world/banks/banks";
import type { Client } from "../world/parties/parties";
import { csvRow, escapeFormula } from "@fxdesk/toolkit/formats";
import { Big } from "big.js";
import { formatDecimalAmount, formatMoney, groupDigits } from "../world/money/currencies";
import { dayOf } from "@fxdesk/toolkit/calendars";
import { statusOf } from "../world/model/trade";
import type { World } from "../world/model/world";
import { linesInPeriod } from "../world/statements/account-statement";
import type { Period } from "../world/model/statement";

export interface Column {
  readonly name: string;
  /** True for text from third parties. */
  readonly isFreeText?: true;
  /** Print layout, with the width in points. Columns without it appear in machine-readable formats only. */
  readonly print?: {
    readonly title: string;
    readonly width: number;
    readonly right?: true;
    readonly format?: (value: string) => string;
  };
}

export type Row = readonly string[];

export interface Report {
  readonly bank: Bank;
  readonly title: string;
  readonly holder: Client;
  /** Names and values printed above the table. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly columns: readonly Column[];
  readonly rows: Iterable<Row>;
  /** Rows printed before the others: opening balances. */
  readonly above: readonly Row[];
  readonly below: readonly Row[];
  readonly writtenAt: Date;
}

/** Writes a report as CSV. Free text is escaped, because spreadsheets execute formulas. */
export async function reportCsv({ columns, rows }: Report): Promise<Buffer> {
  const toSafeRow = (row: Row) =>
    row.map((cell, index) => (columns[index]!.isFreeText ? escapeFormula(cell) : cell));
  const header = columns.map(({ name }) => name);
  return Buffer.from([header, ...Array.from(rows, toSafeRow)].map(csvRow).join(""));
}

/** Fields that both reports share. The letterhead is that of the client's country. */
const commonReportFields = (world: World, client: Client) => ({
  bank: bankIn(client.country),
  holder: client,
  above: [],
  below: [],
  writtenAt: world.now,
});

const fundsColumns: readonly Column[] = [
  { name: "booking_date", print: { title: "Date", width: 50 } },
  { name: "account_id" },
  { name: "debtor_name", isFreeText: true, print: { title: "From", width: 130 } },
  { name: "transaction_reference", isFreeText: true, print: { title: "Reference", width: 84 } },
  { name: "transaction_information", isFreeText: true, print: { title: "Details", width: 112 } },
  { name: "currency", print: { title: "Currency", width: 44 } },
  { name: "amount", print: { title: "Amount", width: 64, right: true, format: groupDigits } },
];

/** Lists the incoming payments on all accounts. */
export function incomingFundsReport(world: World, client: Client, period: Period): Report {
  const rows = world.accountsOf(client).flatMap((account) =>
    linesInPeriod(world, account, period)
      .filter(({ entry }) => entry.type === "incoming")
      .map(({ entry, amount }): Row => [
        dayOf(entry.bookedAt),
        account.accountId,
        entry.counterparty?.name ?? "",
        entry.reference,
        entry.information,
        account.currency,
        formatDecimalAmount(amount, account.currency),
      ]),
  );
  const totals = world.accountsOf(client).flatMap(({ accountId, currency }): Row[] => {
    const amounts = rows.filter(([, id]) => id === accountId).map((row) => new Big(row.at(-1)!));
    const total = amounts.reduce((sum, amount) => sum.plus(amount), new Big(0));
    const name = amounts.length === 1 ? "Total of 1 payment" : `Total of ${amounts.length} payments`;
    return amounts.length > 0 ? [["", "", name, "", "", currency, formatDecimalAmount(total, currency)]] : [];
  });
  return {
    ...commonReportFields(world, client),
    title: "Incoming funds",
    facts: [["Period", `${period.from} to ${period.to}`]],
    columns: fundsColumns,
    rows: rows.toSorted(([one], [other]) => (one! < other! ? -1 : Number(one! > other!))),
    below: totals,
  };
}

const tradeColumns: readonly Column[] = [
  { name: "trade", isFreeText: true, print: { title: "Trade, reference", width: 82 } },
  { name: "dates", print: { title: "Ordered, matures", width: 62 } },
  { name: "type", print: { title: "Type, status", width: 84 } },
  { name: "bought", print: { title: "Bought", width: 78, right: true } },
  { name: "sold", print: { title: "Sold", width: 78, right: true } },
  { name: "rate", print: { title: "Rate", width: 46, right: true } },
  { name: "fee", print: { title: "Fee", width: 48, right: true } },
];

const joinLines = (...texts: readonly (string | undefined)[]) => texts.filter(Boolean).join("\n");

/** Lists the trades ordered in a month or on a day. `orderPeriod` is a prefix of the date. */
export function tradesReport(world: World, client: Client, orderPeriod: string): Report {
  const trades = [...world.trades.values()].filter(
    ({ clientId, orderDate }) => clientId === client.clientId && orderDate.startsWith(orderPeriod),
  );
  return {
    ...commonReportFields(world, client),
    title: "Trades",
    facts: [
      ["Ordered in", orderPeriod],
      ["Trades", String(trades.length)],
    ],
    columns: tradeColumns,
    rows: trades.map((trade) => [
      joinLines(trade.tradeId, trade.reference),
      joinLines(trade.orderDate, trade.maturityDate),
      joinLines(trade.type.replace("_", " "), statusOf(trade)),
      formatMoney(trade.buy),
      formatMoney(trade.sell),
      joinLines(trade.rate.symbol, trade.rate.rate.toFixed()),
      formatMoney(trade.fee),
    ]),
  };
}
