/** Statements as comma-separated values (RFC 4180), safe to open in a spreadsheet. */
import { stringify } from "csv-stringify/sync";
import { written } from "../world/currencies";
import type { StatementContent } from "./content";

const columns = [
  "transaction_id",
  "booking_datetime",
  "value_datetime",
  "credit_debit_indicator",
  "amount",
  "currency",
  "balance",
  "transaction_type",
  "transaction_reference",
  "transaction_information",
  "counterparty",
];

/** A text that a spreadsheet would take for a formula is marked as text. */
const asText = (text: string) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);

export async function csvStatement({ account: { currency }, lines }: StatementContent): Promise<Buffer> {
  const rows = lines.map(({ lineId, entry, amount, balance }) => [
    lineId,
    entry.bookedAt.toISOString(),
    entry.valueAt.toISOString(),
    amount.lt(0) ? "Debit" : "Credit",
    written(amount, currency),
    currency,
    written(balance, currency),
    entry.type,
    asText(entry.reference),
    asText(entry.information),
    asText(entry.counterparty?.name ?? ""),
  ]);
  return Buffer.from(stringify([columns, ...rows], { record_delimiter: "windows" }));
}
