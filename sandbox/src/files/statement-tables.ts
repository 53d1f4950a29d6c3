/** Account statements as printable reports and as spreadsheets. */
import { type Balance, type Entry, signedAmount, minorUnits } from "@fxdesk/toolkit/formats";
import { Big } from "big.js";
import { bankIn, homeCountryOf } from "../world/banks/banks";
import { formatAmount, groupDigits } from "../world/money/currencies";
import type { AccountStatement } from "../world/model/statement";
import type { Column, Report, Row } from "./reports";
import type { Cell } from "write-excel-file/node";
import { startOf } from "@fxdesk/toolkit/calendars";

const printColumns: readonly Column[] = [
  { name: "booked", print: { title: "Date", width: 46 } },
  { name: "value", print: { title: "Value", width: 46 } },
  { name: "description", print: { title: "Description", width: 140 } },
  { name: "reference", print: { title: "Reference", width: 72 } },
  { name: "debit", print: { title: "Debit", width: 56, right: true } },
  { name: "credit", print: { title: "Credit", width: 56, right: true } },
  { name: "balance", print: { title: "Balance", width: 62, right: true } },
];

/** Groups an IBAN in fours. Returns other numbers unchanged. */
const formatAccountNumber = (number: string) =>
  /^[A-Z]{2}\d{2}/.test(number) ? number.replace(/(.{4})(?=.)/g, "$1 ") : number;

const formatBalance = (balance: Balance, currency: string) =>
  formatAmount({ amount: new Big(signedAmount(balance)), currency });

const balanceRow = (title: string, balance: Balance, currency: string): Row => [
  balance.date,
  "",
  title,
  "",
  "",
  "",
  formatBalance(balance, currency),
];

/** Returns the counterparty and the remittance information, one per line. */
const describeEntry = ({ counterparty = {}, remittance, additionalInformation }: Entry) =>
  [
    counterparty.name,
    remittance,
    counterparty.account && formatAccountNumber(counterparty.account),
    additionalInformation,
  ]
    .filter(Boolean)
    .join("\n");

/** Returns the entries with the balance after each. */
function* entriesWithBalance({ entries, openingBalance }: AccountStatement) {
  let balance = new Big(signedAmount(openingBalance));
  for (const entry of entries) {
    balance = balance.plus(signedAmount(entry));
    yield { entry, balance };
  }
}

function* printRows(statement: AccountStatement): Generator<Row> {
  for (const { entry, balance } of entriesWithBalance(statement)) {
    const { bookingDate, valueDate, amount, creditDebit, endToEndId, customerReference } = entry;
    yield [
      bookingDate,
      valueDate,
      describeEntry(entry),
      endToEndId ?? customerReference ?? "",
      creditDebit === "Debit" ? groupDigits(amount) : "",
      creditDebit === "Credit" ? groupDigits(amount) : "",
      formatAmount({ amount: balance, currency: statement.account.currency }),
    ];
  }
}

function totalsRow({ entries, account: { currency } }: AccountStatement): Row {
  const totals = { Debit: new Big(0), Credit: new Big(0) };
  let count = 0;
  for (const { amount, creditDebit } of entries) {
    totals[creditDebit] = totals[creditDebit].plus(amount);
    count += 1;
  }
  const [debit, credit] = [totals.Debit, totals.Credit].map((amount) => formatAmount({ amount, currency }));
  return ["", "", count === 1 ? "Total of 1 entry" : `Total of ${count} entries`, "", debit!, credit!, ""];
}

export function toStatementReport(statement: AccountStatement): Report {
  const { account, number, openingBalance, closingBalance, period, holder, writtenAt } = statement;
  const { currency, bic = "" } = account;
  const money = (balance: Balance) => `${formatBalance(balance, currency)} ${currency}`;
  return {
    bank: bankIn(homeCountryOf(currency)),
    title: "Account statement",
    holder,
    facts: [
      ["Account", formatAccountNumber(account.number)],
      ["BIC", bic],
      ["Currency", currency],
      ["Period", `${period.from} to ${period.to}`],
      ["Statement no.", `${closingBalance.date.slice(0, 4)}/${number}`],
      ["Opening balance", money(openingBalance)],
      ["Closing balance", money(closingBalance)],
    ],
    columns: printColumns,
    rows: printRows(statement),
    above: [balanceRow("Opening balance", openingBalance, currency)],
    below: [totalsRow(statement), balanceRow("Closing balance", closingBalance, currency)],
    writtenAt,
  };
}

/** Column of the spreadsheet with its title, width in characters and cell writer. */
interface SheetColumn {
  readonly title: string;
  readonly width: number;
  readonly right?: true;
  readonly cell: (line: Line, amountFormat: string) => Cell;
}

/** Row of the sheet: an entry, or a balance with its date and title. */
interface Line {
  readonly statement: AccountStatement;
  readonly entry: Partial<Entry>;
  readonly balance: Big;
}

const textCell = (value: string | undefined): Cell => (value ? { value, type: String } : null);
const dateCell = (day: string | undefined): Cell =>
  day ? { value: startOf(day), type: Date, format: "yyyy-mm-dd" } : null;
const amountCell = (value: Big | string | undefined, format: string): Cell =>
  value === undefined ? null : { value: Number(value), type: Number, format };

const amountOnSide =
  (side: Entry["creditDebit"]): SheetColumn["cell"] =>
  ({ entry }, format) =>
    amountCell(entry.creditDebit === side ? entry.amount : undefined, format);

const sheetColumns: readonly SheetColumn[] = [
  { title: "Booking date", width: 12, cell: ({ entry }) => dateCell(entry.bookingDate) },
  { title: "Value date", width: 12, cell: ({ entry }) => dateCell(entry.valueDate) },
  { title: "Description", width: 40, cell: ({ entry }) => textCell(entry.remittance) },
  { title: "Counterparty", width: 28, cell: ({ entry }) => textCell(entry.counterparty?.name) },
  { title: "Counterparty account", width: 28, cell: ({ entry }) => textCell(entry.counterparty?.account) },
  {
    title: "Reference",
    width: 20,
    cell: ({ entry }) => textCell(entry.endToEndId ?? entry.customerReference),
  },
  { title: "Debit", width: 16, right: true, cell: amountOnSide("Debit") },
  { title: "Credit", width: 16, right: true, cell: amountOnSide("Credit") },
  { title: "Balance", width: 16, right: true, cell: ({ balance }, format) => amountCell(balance, format) },
  { title: "Details", width: 24, cell: ({ entry }) => textCell(entry.additionalInformation) },
  { title: "Transaction", width: 38, cell: ({ entry }) => textCell(entry.bankReference) },
  // Repeated on every row, so that several statements can share a sheet.
  { title: "Account", width: 28, cell: ({ statement }) => textCell(statement.account.number) },
  { title: "Currency", width: 10, cell: ({ statement }) => textCell(statement.account.currency) },
  { title: "Account holder", width: 28, cell: ({ statement }) => textCell(statement.account.holder) },
  { title: "Period from", width: 12, cell: ({ statement }) => dateCell(statement.period.from) },
  { title: "Period to", width: 12, cell: ({ statement }) => dateCell(statement.period.to) },
];

function linesOf(statement: AccountStatement): Line[] {
  const balanceLine = (remittance: string, balance: Balance): Line => ({
    statement,
    entry: { bookingDate: balance.date, remittance },
    balance: new Big(signedAmount(balance)),
  });
  return [
    balanceLine("Opening balance", statement.openingBalance),
    ...Array.from(entriesWithBalance(statement), (line) => ({ statement, ...line })),
    balanceLine("Closing balance", statement.closingBalance),
  ];
}

const amountFormat = (currency: string) =>
  `#,##0${".".padEnd(minorUnits(currency) + 1, "0").replace(/^\.$/, "")}`;

const header: Cell[] = sheetColumns.map(({ title, right }) => ({
  value: title,
  type: String,
  fontWeight: "bold",
  ...(right && { align: "right" }),
}));

/** Rewrites the archive with a fixed timestamp, so that equal statements yield equal bytes. */
async function withFixedTimestamps(zip: Uint8Array): Promise<Buffer> {
  const { unzipSync, zipSync } = await import("fflate");
  return Buffer.from(zipSync(unzipSync(zip), { mtime: "1980-01-01T00:00:00" }));
}

export async function statementXlsx(statement: AccountStatement): Promise<Buffer> {
  const { default: write } = await import("write-excel-file/node");
  const format = amountFormat(statement.account.currency);
  const rows = linesOf(statement).map((line) => sheetColumns.map(({ cell }) => cell(line, format)));
  const file = write([header, ...rows], {
    sheet: `Statement ${statement.account.currency}`,
    columns: sheetColumns.map(({ width }) => ({ width })),
    stickyRowsCount: 1,
  });
  return withFixedTimestamps(await file.toBuffer());
}
