/** The columns of a statement in CSV. */

import { withoutControls } from "../charset";

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

const ofHead = (name: string, head: string): Column => ({ name, head, isText: true });
const ofEntry = (name: string, entry: string): Column => ({ name, entry, isText: true });

/** Amounts and dates are written by the kind of row: those of an entry, or those of a balance. */
export const columns: readonly Column[] = [
  ofHead("account_number", "account.number"),
  ofHead("currency", "account.currency"),
  ofHead("account_bic", "account.bic"),
  ofHead("account_holder", "account.holder"),
  ofHead("statement_reference", "reference"),
  { name: "statement_number" },
  { name: "record" },
  { name: "booking_date" },
  { name: "value_date" },
  { name: "amount" },
  { name: "balance" },
  { name: "reversal" },
  ofEntry("transaction_code", "transactionCode"),
  ofEntry("counterparty_name", "counterparty.name"),
  ofEntry("counterparty_account", "counterparty.account"),
  ofEntry("counterparty_bic", "counterparty.bic"),
  ofEntry("remittance_information", "remittance"),
  ofEntry("creditor_reference", "creditorReference"),
  ofEntry("end_to_end_id", "endToEndId"),
  ofEntry("customer_reference", "customerReference"),
  ofEntry("bank_reference", "bankReference"),
  ofEntry("mandate_id", "mandateId"),
  ofEntry("creditor_id", "creditorId"),
  ofEntry("purpose", "purpose"),
  ofEntry("return_reason", "returnReason"),
  { name: "exchange_rate", entry: "exchangeRate" },
  { name: "instructed_amount", entry: "instructedAmount.amount" },
  ofEntry("instructed_currency", "instructedAmount.currency"),
  { name: "charges_amount", entry: "charges.amount" },
  ofEntry("charges_currency", "charges.currency"),
  ofEntry("additional_information", "additionalInformation"),
];

/** Columns without which a file cannot be read. */
export const neededColumns: readonly string[] = [
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

type Part = "head" | "entry";

/** The columns of a part with the way to their value: one field, or a field of a field. */
const waysOf = (part: Part) =>
  columns.flatMap((column) => {
    const [field, inner] = column[part]?.split(".") ?? [];
    return field === undefined ? [] : [{ name: column.name, field, inner }];
  });

const ways = { head: waysOf("head"), entry: waysOf("entry") };

type Fields = Record<string, unknown>;

/** The cells that come from fields of a head or of an entry, without control characters; empty where there is none. */
export function cellsOf(part: Part, value: object): Row {
  const cells: Record<string, string> = {};
  for (const { name, field, inner } of ways[part]) {
    const outer = (value as Fields)[field];
    const found = inner === undefined ? outer : (outer as Fields | undefined)?.[inner];
    cells[name] = typeof found === "string" ? withoutControls(found) : "";
  }
  return cells;
}

/** The fields that the cells of a row say. */
export function fieldsOf(part: Part, row: Row): Fields {
  const fields: Fields = {};
  for (const { name, field, inner } of ways[part]) {
    const text = row[name];
    if (!text) continue;
    if (inner === undefined) fields[field] = text;
    else fields[field] = { ...(fields[field] as Fields | undefined), [inner]: text };
  }
  return fields;
}
