/** The columns of a statement in CSV. */

import { isDay } from "../../values/values";
import { removeControls } from "../charset";
import { FormatError, type Position, quoteValue } from "../format-error";
import { assertHead, type StatementHead } from "../statement";

/** Kinds of rows, in file order; details follow their entry. */
export type RowKind = "opening" | "entry" | "detail" | "closing" | "available" | "forward";

/** A column and the dotted path of its value in the head of a statement, or in an entry. */
interface Column {
  readonly name: string;
  readonly head?: string;
  readonly entry?: string;
  /** True for free text, which must be escaped against formula injection. */
  readonly isText?: true;
}

const headColumn = (name: string, head: string): Column => ({ name, head, isText: true });
const entryColumn = (name: string, entry: string): Column => ({ name, entry, isText: true });

/** Columns without a path, for example amounts and dates, depend on the kind of row. */
export const columns: readonly Column[] = [
  headColumn("account_number", "account.number"),
  headColumn("currency", "account.currency"),
  headColumn("account_bic", "account.bic"),
  headColumn("account_holder", "account.holder"),
  headColumn("statement_reference", "reference"),
  { name: "statement_number" },
  { name: "record" },
  { name: "booking_date" },
  { name: "value_date" },
  { name: "amount" },
  { name: "balance" },
  { name: "reversal" },
  entryColumn("transaction_code", "transactionCode"),
  entryColumn("counterparty_name", "counterparty.name"),
  entryColumn("counterparty_account", "counterparty.account"),
  entryColumn("counterparty_bic", "counterparty.bic"),
  entryColumn("remittance_information", "remittance"),
  entryColumn("creditor_reference", "creditorReference"),
  entryColumn("end_to_end_id", "endToEndId"),
  entryColumn("customer_reference", "customerReference"),
  entryColumn("bank_reference", "bankReference"),
  entryColumn("mandate_id", "mandateId"),
  entryColumn("creditor_id", "creditorId"),
  entryColumn("purpose", "purpose"),
  entryColumn("return_reason", "returnReason"),
  { name: "exchange_rate", entry: "exchangeRate" },
  { name: "instructed_amount", entry: "instructedAmount.amount" },
  entryColumn("instructed_currency", "instructedAmount.currency"),
  { name: "charges_amount", entry: "charges.amount" },
  entryColumn("charges_currency", "charges.currency"),
  entryColumn("additional_information", "additionalInformation"),
];

/** Columns that a file must have. */
export const requiredColumns: readonly string[] = [
  "account_number",
  "currency",
  "statement_number",
  "record",
  "booking_date",
  "value_date",
  "amount",
  "balance",
];

export type Row = Readonly<Record<string, string>>;

type RowPart = "head" | "entry";

/** Splits the paths of columns: a field, and optionally a field inside it. */
const fieldPathsOf = (part: RowPart) =>
  columns.flatMap((column) => {
    const [field, inner] = column[part]?.split(".") ?? [];
    return field === undefined ? [] : [{ name: column.name, field, inner }];
  });

const fieldPaths = { head: fieldPathsOf("head"), entry: fieldPathsOf("entry") };

type Fields = Record<string, unknown>;

type FieldPath = (typeof fieldPaths)[RowPart][number];

/** Returns a value as text, without control characters; empty if it is missing. */
function textAt(value: object, { field, inner }: FieldPath): string {
  const outer = (value as Fields)[field];
  const found = inner === undefined ? outer : (outer as Fields | undefined)?.[inner];
  return typeof found === "string" ? removeControls(found) : "";
}

const entryPaths: ReadonlyMap<string, FieldPath> = new Map(fieldPaths.entry.map((path) => [path.name, path]));

/** Returns the cell of an entry in a column; empty if the column does not belong to entries. */
export function entryCell(column: string, entry: object): string {
  const path = entryPaths.get(column);
  return path ? textAt(entry, path) : "";
}

/** Converts the fields of a head to cells. */
export const headCells = (head: object): Row =>
  Object.fromEntries(fieldPaths.head.map((path) => [path.name, textAt(head, path)]));

/** Returns the fields that columns hold, without empty texts. */
export function toHeldFields(part: RowPart, value: object): Fields {
  const fields: Fields = {};
  for (const path of fieldPaths[part]) {
    const text = textAt(value, path);
    if (text !== "") addField(fields, path, text);
  }
  return fields;
}

function addField(fields: Fields, { field, inner }: FieldPath, text: string): void {
  if (inner === undefined) fields[field] = text;
  else if (fields[field] === undefined) fields[field] = { [inner]: text };
  else (fields[field] as Fields)[inner] = text;
}

/** Converts the cells of a row to fields. */
export function toFields(part: RowPart, row: Row): Fields {
  const fields: Fields = {};
  for (const path of fieldPaths[part]) {
    const text = row[path.name];
    if (text) addField(fields, path, text);
  }
  return fields;
}

export const columnPosition = (field: string, line?: number): Position => ({
  format: "CSV",
  field,
  ...(line !== undefined && { line }),
});

export function requireDate(date: string, position: Position): string {
  if (isDay(date)) return date;
  throw new FormatError(
    "invalid",
    position,
    `expected an existing date as YYYY-MM-DD, found ${quoteValue(date)}`,
  );
}

/** Throws a FormatError for a head that CSV cannot represent. */
export const assertCsvHead = (head: Pick<StatementHead, "account" | "number">, line?: number): void =>
  assertHead(head, {
    account: columnPosition("account_number", line),
    currency: columnPosition("currency", line),
    number: columnPosition("statement_number", line),
  });
