/** The columns of a statement in CSV. */

import { removeControls } from "../charset";

/** What a row tells of. Rows come in this order; details follow the entry they are of. */
export type RowKind = "opening" | "entry" | "detail" | "closing" | "available" | "forward";

/** Where a column's value stands in a statement's head, and in an entry: names of fields with dots between. */
interface Column {
  readonly name: string;
  readonly head?: string;
  readonly entry?: string;
  /** Text of others, which a spreadsheet must not take for a formula. */
  readonly isText?: true;
}

const headColumn = (name: string, head: string): Column => ({ name, head, isText: true });
const entryColumn = (name: string, entry: string): Column => ({ name, entry, isText: true });

/** Amounts and dates are written by the kind of row: those of an entry, or those of a balance. */
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

/** Columns without which a file cannot be read. */
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

/** The columns of a part with the way to their value: one field, or a field of a field. */
const fieldPathsOf = (part: RowPart) =>
  columns.flatMap((column) => {
    const [field, inner] = column[part]?.split(".") ?? [];
    return field === undefined ? [] : [{ name: column.name, field, inner }];
  });

const fieldPaths = { head: fieldPathsOf("head"), entry: fieldPathsOf("entry") };

type Fields = Record<string, unknown>;

/** The cells that come from fields of a head or of an entry, without control characters; empty where there is none. */
export function toCells(part: RowPart, value: object): Row {
  const cells: Record<string, string> = {};
  for (const { name, field, inner } of fieldPaths[part]) {
    const outer = (value as Fields)[field];
    const found = inner === undefined ? outer : (outer as Fields | undefined)?.[inner];
    cells[name] = typeof found === "string" ? removeControls(found) : "";
  }
  return cells;
}

/** The fields that the cells of a row say. */
export function toFields(part: RowPart, row: Row): Fields {
  const fields: Fields = {};
  for (const { name, field, inner } of fieldPaths[part]) {
    const text = row[name];
    if (!text) continue;
    if (inner === undefined) fields[field] = text;
    else fields[field] = { ...(fields[field] as Fields | undefined), [inner]: text };
  }
  return fields;
}
