/** Edits of rows in the store, whose tables and columns are read when a test runs. */
import type { Row, Value } from "../../../core/store/database";
import { type Store, withStore } from "../../../core/store/open";
import { closeRow, openRow } from "../../../core/store/rows";
import { type Table, tables } from "../../../core/store/schema";
import { sealLocation } from "../../../core/store/sealer";
import type { StoreSettings } from "../../../core/store/settings";
import type { SeededRandom } from "../../chaos/seeded-random";
import { type SealedRequest, sealOf } from "../../../core/releases/terms";

/** All rows by table. */
export type Snapshot = ReadonlyMap<string, readonly Row[]>;

const tableOf = (name: string): Table =>
  tables.find((each) => each.name === name) ?? { name, key: name === "fxdesk_meta" ? ["name"] : ["id"] };

export const takeSnapshot = (settings: StoreSettings): Promise<Snapshot> =>
  withStore(settings, async ({ database, run }) => {
    const found = await run(`SELECT name FROM (${database.tablesQuery}) AS found WHERE name LIKE 'fxdesk_%'`);
    const names = found.map(({ name }) => String(name)).toSorted();
    const rows = new Map<string, readonly Row[]>();
    for (const name of names)
      rows.set(name, await run(`SELECT * FROM ${name} ORDER BY ${tableOf(name).key.join()}`));
    return rows;
  });

const inRow = ({ key }: Table, first: number) =>
  key.map((column, index) => `${column} = $${first + index}`).join(" AND ");
const keyOf = ({ key }: Table, row: Row) => key.map((column) => row[column]!);

export const removeRow = ({ run }: Store, table: string, row: Row) =>
  run(`DELETE FROM ${table} WHERE ${inRow(tableOf(table), 1)}`, keyOf(tableOf(table), row));

export const insertRow = ({ run }: Store, table: string, row: Row) =>
  run(
    `INSERT INTO ${table} (${Object.keys(row).join(", ")}) VALUES (${Object.keys(row)
      .map((_, index) => `$${index + 1}`)
      .join(", ")})`,
    Object.values(row),
  );

/** Replaces all rows of some tables. */
export async function restoreRows(store: Store, snapshot: Snapshot, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await store.run(`DELETE FROM ${name}`);
    for (const row of snapshot.get(name) ?? []) await insertRow(store, name, row);
  }
}

const words = [
  "released",
  "waiting",
  "booked",
  "sent",
  "not-sent",
  "done",
  "rejected",
  "unknown",
  "release",
  "money",
];
const numbers = [0, 1, -1, 8_000_000_000_000_000];
const texts = ["", "bert", "anna", "desk", "1", "change", "2099-01-01"];

/** Returns a value that an attacker could write instead. */
function otherValue(chance: SeededRandom, value: Value, others: readonly Value[]): Value {
  const pick = <T>(choices: readonly T[]): T => choices[chance.integer(0, choices.length - 1)]!;
  const isNumber = value !== null && /^-?\d+$/.test(String(value));
  switch (chance.pick({ other: 5, word: 3, near: 2, none: 1 })) {
    case "other":
      return pick(others);
    case "word":
      return isNumber ? pick(numbers) : pick([...words, ...texts]);
    case "near":
      return isNumber ? Number(value) + pick([-1, 1, -3_600_000, 3_600_000]) : `${String(value)}0`;
    case "none":
      return null;
  }
}

/** Changes one value somewhere in JSON data. */
function changeJson(chance: SeededRandom, data: unknown): unknown {
  if (Array.isArray(data) && data.length > 0) {
    const index = chance.integer(0, data.length - 1);
    return data.map((each, position) => (position === index ? changeJson(chance, each) : (each as unknown)));
  }
  if (typeof data === "object" && data !== null && Object.keys(data).length > 0) {
    const names = Object.keys(data);
    const name = names[chance.integer(0, names.length - 1)]!;
    const { [name]: value, ...rest } = data as Record<string, unknown>;
    return chance.next() < 0.1 ? rest : { ...data, [name]: changeJson(chance, value) };
  }
  if (typeof data === "number") return data + 1;
  if (typeof data === "boolean") return !data;
  const text = typeof data === "string" ? data : "";
  if (/^\d+(\.\d+)?$/.test(text)) return chance.next() < 0.5 ? "1" : `9${text}`.slice(0, text.length);
  return chance.next() < 0.5 ? texts[chance.integer(0, texts.length - 1)]! : `${text}0`;
}

/** Computes again what holders of the store key can: the hash of the row, and the seal of the terms. */
function withHashes({ sealer }: Store, table: Table, row: Row): Row {
  try {
    const opened = openRow({ ...table, isHashed: undefined } as never, row, sealer);
    if (table.name !== "fxdesk_releases") return closeRow(table, opened, sealer);
    const seal = sealOf(String(row.id), JSON.parse(String(opened.content)) as SealedRequest);
    return closeRow(table, { ...opened, seal }, sealer);
  } catch {
    // A sealed text that is no longer that of its row.
    return row;
  }
}

/** Changes one column of a row, as an attacker who can write the tables, or who also has the store key. Returns a description. */
export async function editRow(
  store: Store,
  chance: SeededRandom,
  { now, earlier, name, hasKey }: { now: Snapshot; earlier: Snapshot; name: string; hasKey: boolean },
): Promise<string> {
  const { run, sealer } = store;
  const table = tableOf(name);
  const rows = now.get(name)!;
  const row = rows[chance.integer(0, rows.length - 1)]!;
  const columns = Object.keys(row).filter((each) => !hasKey || each !== "row_hash");
  const column = columns[chance.integer(0, columns.length - 1)]!;
  const value = row[column]!;
  const others = [...rows, ...(earlier.get(name) ?? [])]
    .map((each) => each[column]!)
    .filter((each) => each !== value);
  let changed: Row = { ...row, [column]: otherValue(chance, value, others.length > 0 ? others : [0, ""]) };
  if (hasKey && table.sealed?.includes(column)) {
    const at = sealLocation(name, column, ...keyOf(table, row));
    const data = changeJson(chance, JSON.parse(sealer.unseal(String(value), at)));
    changed = { ...row, [column]: sealer.seal(JSON.stringify(data), at) };
  }
  if (hasKey) changed = withHashes(store, table, changed);
  const set = Object.keys(changed).map((each, index) => `${each} = $${index + 1}`);
  await run(`UPDATE ${name} SET ${set.join(", ")} WHERE ${inRow(table, set.length + 1)}`, [
    ...Object.values(changed),
    ...keyOf(table, row),
  ]);
  return `${name}.${column} of ${keyOf(table, row).join(" ")} from ${JSON.stringify(value)} to ${JSON.stringify(changed[column])}`;
}

/** Inserts a row again under another key, with values of another row. */
export async function copyRow(
  store: Store,
  chance: SeededRandom,
  { rows, name, hasKey }: { rows: readonly Row[]; name: string; hasKey: boolean },
): Promise<string> {
  const table = tableOf(name);
  const row = rows[chance.integer(0, rows.length - 1)]!;
  const other = rows[chance.integer(0, rows.length - 1)]!;
  const column = table.key[chance.integer(0, table.key.length - 1)]!;
  const isNumber = /^\d+$/.test(String(row[column]));
  const value =
    row[column] === other[column] ? (isNumber ? Number(row[column]) + 1 : `${row[column]}0`) : other[column]!;
  const copy = { ...row, [column]: value };
  await insertRow(store, name, hasKey ? withHashes(store, table, copy) : copy);
  return `copy of ${keyOf(table, row).join(" ")} in ${name} with ${column} ${JSON.stringify(value)}`;
}
