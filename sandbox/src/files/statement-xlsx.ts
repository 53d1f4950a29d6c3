/** Account statements as spreadsheets, with numeric amounts and real dates. */
import { type Entry, minorUnits, signedAmount } from "@fxdesk/toolkit/formats";
import { Big } from "big.js";
import type { Cell, Row } from "write-excel-file/node";
import { startOf } from "@fxdesk/toolkit/calendars";
import type { AccountStatement } from "../world/model/statement";

/** Column with its title, width in characters and cell writer. */
interface Column {
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
  (side: Entry["creditDebit"]): Column["cell"] =>
  ({ entry }, format) =>
    amountCell(entry.creditDebit === side ? entry.amount : undefined, format);

const columns: readonly Column[] = [
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

function* linesOf(statement: AccountStatement): Generator<Line> {
  const { entries, openingBalance, closingBalance } = statement;
  let balance = new Big(signedAmount(openingBalance));
  yield { statement, entry: { bookingDate: openingBalance.date, remittance: "Opening balance" }, balance };
  for (const entry of entries) {
    balance = balance.plus(signedAmount(entry));
    yield { statement, entry, balance };
  }
  yield { statement, entry: { bookingDate: closingBalance.date, remittance: "Closing balance" }, balance };
}

const amountFormat = (currency: string) =>
  `#,##0${".".padEnd(minorUnits(currency) + 1, "0").replace(/^\.$/, "")}`;

const header: Row = columns.map(({ title, right }) => ({
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
  const rows = Array.from(linesOf(statement), (line) => columns.map(({ cell }) => cell(line, format)));
  const file = write([header, ...rows], {
    sheet: `Statement ${statement.account.currency}`,
    columns: columns.map(({ width }) => ({ width })),
    stickyRowsCount: 1,
  });
  return withFixedTimestamps(await file.toBuffer());
}
