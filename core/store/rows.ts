/**
 * Rows as stored: some texts are sealed, and a hash covers the columns of a row. A row that was changed in the store is an error,
 * never an answer.
 */
import type { Row, StatementRunner, StoreAccess, Value } from "./database";
import { hashRow, type Table } from "./schema";
import { type Sealer, sealLocation } from "./sealer";

/** Thrown instead of returning a row that was changed in the store. */
class RowChanged extends Error {
  constructor({ name, key }: Table, row: Row) {
    super(
      `A row of ${name} was changed in the store (${key.map((column) => row[column]).join(", ")}). Run \`fxdesk store check\`.`,
    );
  }
}

/** Returns the row with its sealed columns converted. Null stays null. */
function convertSealed(table: Table, row: Row, convert: (text: string, location: string) => string): Row {
  const converted: Record<string, Value> = { ...row };
  const key = table.key.map((column) => row[column]);
  for (const column of table.sealed ?? [])
    if (row[column] != null)
      converted[column] = convert(String(row[column]), sealLocation(table.name, column, ...key));
  return converted;
}

/** Returns a row in plain text and without its hash. Throws if it was changed in the store. */
export function openRow(table: Table, row: Row, { unseal, mac }: Sealer): Row {
  const { row_hash: hash, ...rest } = convertSealed(table, row, unseal);
  if (table.isHashed && hash !== hashRow({ mac }, table, rest)) throw new RowChanged(table, row);
  return rest;
}

/** Returns a row as stored. */
export function closeRow(table: Table, row: Row, { seal, mac }: Sealer): Row {
  const sealed = convertSealed(table, row, seal);
  return table.isHashed ? { ...sealed, row_hash: hashRow({ mac }, table, row) } : sealed;
}

export const placeholders = (count: number, first = 1): string =>
  `(${Array.from({ length: count }, (_, index) => `$${first + index}`).join(", ")})`;

/** Stores a row, given in plain text. It replaces a row with the same key. */
export async function saveRow({ run, sealer }: StoreAccess, table: Table, row: Row): Promise<void> {
  const stored = closeRow(table, row, sealer);
  const columns = Object.keys(stored);
  const changes = columns.map((name) => `${name} = excluded.${name}`);
  await run(
    `INSERT INTO ${table.name} (${columns.join(", ")}) VALUES ${placeholders(columns.length)}
     ON CONFLICT (${table.key.join(", ")}) DO UPDATE SET ${changes.join(", ")}`,
    Object.values(stored),
  );
}

/** Returns rows in plain text. Throws if one was changed in the store. */
export async function selectRows(
  { run, sealer }: StoreAccess,
  table: Table,
  rest = "",
  values: readonly Value[] = [],
): Promise<readonly Row[]> {
  const rows = await run(`SELECT * FROM ${table.name} ${rest}`, values);
  return rows.map((row) => openRow(table, row, sealer));
}

/** Rows per statement, limited by the number of parameters that SQLite accepts. */
const batchSize = 200;

/** Reads a table in batches, ordered by its key. */
export async function* readBatches(
  { name, key }: Pick<Table, "name" | "key">,
  run: StatementRunner,
): AsyncGenerator<readonly Row[]> {
  const columns = key.join(", ");
  let after: readonly Value[] = [];
  for (;;) {
    const where = after.length > 0 ? `WHERE (${columns}) > ${placeholders(after.length)}` : "";
    const rows = await run(`SELECT * FROM ${name} ${where} ORDER BY ${columns} LIMIT ${batchSize}`, after);
    if (rows.length > 0) yield rows;
    if (rows.length < batchSize) return;
    after = key.map((column) => rows.at(-1)![column]!);
  }
}

/** Returns one sentence for each changed row of a table. */
export async function findChangedRows({ run, sealer }: StoreAccess, table: Table): Promise<string[]> {
  const faults: string[] = [];
  for await (const rows of readBatches(table, run))
    for (const row of rows)
      try {
        openRow(table, row, sealer);
      } catch (error) {
        faults.push((error as Error).message);
      }
  return faults;
}
