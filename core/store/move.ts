/**
 * Moves a store to another place, and engine, as one: what was in the old one is in the new one, or nothing has changed. Both
 * note the move, so that one that was cut off at any point goes on where it is begun again: the copy is not used before the
 * old store is left, and the old one not afterwards.
 */
import { createHash, randomUUID } from "node:crypto";
import type { Database, Row, StatementRunner, Value } from "./database";
import { applyMigrations, migrate, sealLocationOf, type Table, tables } from "./migrations";
import { storeMovedError, type Move, moveOf, setMove } from "./move-state";
import { openDatabase } from "./open";
import { type Sealer, createSealer } from "./sealer";
import type { StoreSettings } from "./settings";

export interface MovedStore {
  /** Where it was, and where it is. */
  readonly from: string;
  readonly to: string;
  /** How many rows each table brought. */
  readonly rows: Readonly<Record<string, number>>;
}

/** One end of a move. */
interface MoveEndpoint {
  readonly database: Database;
  readonly sealer: Sealer;
}

const persistentTables = tables.filter(({ isTransient }) => !isTransient);

/** Under this name a table stays in the store that is left: a process that has it open finds nothing to read or write. */
const movedTableName = ({ name }: Table) => `${name}_left`;

/** `nameOf` says what the tables are called for now. */
async function assertNotInUse(
  run: StatementRunner,
  { now, description }: Database,
  nameOf: (table: Table) => string,
): Promise<void> {
  for (const table of tables) {
    if (!table.inUse) continue;
    const rows = await run(`SELECT 1 FROM ${nameOf(table)} WHERE ${table.inUse(now)} LIMIT 1`);
    if (rows.length > 0)
      throw new Error(
        `A process is at work with ${description} at this moment (${table.name}). Nothing was moved: try again in a minute.`,
      );
  }
}

async function assertEmpty(run: StatementRunner, { description }: Database): Promise<void> {
  for (const { name } of persistentTables)
    if ((await run(`SELECT 1 FROM ${name} LIMIT 1`)).length > 0)
      throw new Error(
        `There is something in ${description} (${name}): a store moves to an empty place. Nothing was moved.`,
      );
}

/** Rows at a time: few enough for the parameters that SQLite takes in one statement. */
const batchSize = 200;

const placeholders = (count: number, first = 1) =>
  `(${Array.from({ length: count }, (_, index) => `$${first + index}`).join(", ")})`;

/** The rows of a table, which may have another name for now, by their key. */
async function* readBatches(
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

/** A row with its sealed texts read, or written, by `convert`; where there is none, none stays. */
function convertSealed(table: Table, row: Row, convert: (text: string, location: string) => string): Row {
  const location = sealLocationOf(table, row);
  const changed = (table.sealed ?? []).map((column) => {
    const text = row[column];
    return [column, text == null ? null : convert(String(text), location)];
  });
  return { ...row, ...(Object.fromEntries(changed) as Row) };
}

/** What tables hold, to be compared: their rows in any order, numbers as either engine gives them. */
class RowChecksum {
  count = 0;
  #sum = 0n;

  add(row: Row): void {
    const values = Object.entries(row)
      .map(([column, value]) => [column, value === null ? null : String(value)])
      .toSorted(([one], [other]) => (one! < other! ? -1 : 1));
    const hash = createHash("sha256").update(JSON.stringify(values)).digest("hex");
    this.#sum = BigInt.asUintN(256, this.#sum + BigInt(`0x${hash}`));
    this.count += 1;
  }

  equals(other: RowChecksum): boolean {
    return this.count === other.count && this.#sum === other.#sum;
  }
}

async function insert(run: StatementRunner, { name }: Table, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0]!);
  const values = rows.map((_, index) => placeholders(columns.length, index * columns.length + 1));
  await run(
    `INSERT INTO ${name} (${columns.join(", ")}) VALUES ${values.join(", ")}`,
    rows.flatMap((row) => columns.map((column) => row[column]!)),
  );
}

/** Copies the rows of a table, reads them again where they are now, and returns how many they are. */
async function copyTable(
  table: Table,
  [source, sourceSealer]: readonly [StatementRunner, Sealer],
  [target, targetSealer]: readonly [StatementRunner, Sealer],
): Promise<number> {
  const [sourceChecksum, targetChecksum] = [new RowChecksum(), new RowChecksum()];
  for await (const rows of readBatches({ ...table, name: movedTableName(table) }, source)) {
    const unsealed = rows.map((row) =>
      convertSealed(table, row, (text, location) => sourceSealer.unseal(text, location)),
    );
    for (const row of unsealed) sourceChecksum.add(row);
    const sealed = unsealed.map((row) =>
      convertSealed(table, row, (text, location) => targetSealer.seal(text, location)),
    );
    await insert(target, table, sealed);
  }
  for await (const rows of readBatches(table, target))
    for (const row of rows)
      targetChecksum.add(convertSealed(table, row, (text, location) => targetSealer.unseal(text, location)));
  if (!targetChecksum.equals(sourceChecksum))
    throw new Error(
      `${table.name} did not arrive as it was (${targetChecksum.count} of ${sourceChecksum.count} rows). Nothing was moved.`,
    );
  return sourceChecksum.count;
}

/** Notes in the store that a move is begun, and returns that note, or the one that is there. */
const startMove = (from: Database, to: Database): Promise<Move> =>
  from.transaction(async (run) => {
    const known = await moveOf(run);
    if (known?.stage === "arriving")
      throw new Error(
        `${from.description} is itself a copy that is not complete: move ${known.place} first.`,
      );
    if (known) return known;
    const move: Move = { id: randomUUID(), stage: "leaving", place: to.description };
    await setMove(run, move);
    return move;
  });

/** Makes the tables of the new store, and empties what an earlier attempt left there. */
async function prepareTarget(run: StatementRunner, database: Database, { id }: Move): Promise<void> {
  const known = await moveOf(run);
  if (known?.stage === "left") throw storeMovedError(known.place);
  if (known?.stage === "arriving" && known.id !== id)
    throw new Error(`${database.description} is being moved to from ${known.place}. Nothing was moved.`);
  await applyMigrations(run, database.now);
  if (known?.stage === "arriving") for (const { name } of persistentTables) await run(`DELETE FROM ${name}`);
  await assertEmpty(run, database);
  await assertNotInUse(run, database, ({ name }) => name);
}

/** The new store may be used from now on. */
const completeMove = (database: Database): Promise<void> => database.transaction((run) => setMove(run));

async function copyAll(
  source: MoveEndpoint,
  target: MoveEndpoint,
  { id }: Move,
): Promise<Record<string, number>> {
  const [from, to] = [source.database, target.database];
  return from.transaction(async (sourceRun) => {
    // Other processes wait for a table that is being renamed, until everything is done or nothing.
    for (const table of tables)
      await sourceRun(`ALTER TABLE ${table.name} RENAME TO ${movedTableName(table)}`);
    await assertNotInUse(sourceRun, from, movedTableName);
    const rows = await to.transaction(async (targetRun) => {
      await prepareTarget(targetRun, to, { id, stage: "arriving", place: from.description });
      const counts: Record<string, number> = {};
      for (const table of persistentTables)
        counts[table.name] = await copyTable(table, [sourceRun, source.sealer], [targetRun, target.sealer]);
      await setMove(targetRun, { id, stage: "arriving", place: from.description });
      return counts;
    });
    await setMove(sourceRun, { id, stage: "left", place: to.description });
    return rows;
  });
}

/** What a store holds that has arrived. */
async function countRows({ run }: Database): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { name } of persistentTables) {
    const [row] = await run(`SELECT count(*) AS count FROM ${name}`);
    counts[name] = Number(row!.count);
  }
  return counts;
}

async function moveBetween(source: MoveEndpoint, target: MoveEndpoint): Promise<Record<string, number>> {
  const [from, to] = [source.database, target.database];
  const move = await startMove(from, to);
  const there = await to.transaction(moveOf);
  if (there?.id === move.id && there.stage !== "arriving")
    throw new Error(`${to.description} is the store itself. Nothing was moved.`);
  if (move.stage === "left") {
    if (there?.id !== move.id || move.place !== to.description) throw storeMovedError(move.place);
    await completeMove(to);
    return countRows(to);
  }
  await migrate(from);
  const rows = await copyAll(source, target, move);
  await completeMove(to);
  return rows;
}

/**
 * Moves everything in one store to an empty one, sealed with the key of that. Processes that still use the old one are
 * refused from then on, and told where it is. Throws an Error that says what a person can do; then nothing has moved, or the
 * same move goes on when it is begun again.
 */
export async function moveStore(from: StoreSettings, to: StoreSettings): Promise<MovedStore> {
  const source = await openDatabase(from);
  try {
    const target = await openDatabase(to);
    try {
      const rows = await moveBetween(
        { database: source, sealer: createSealer(from.key) },
        { database: target, sealer: createSealer(to.key) },
      );
      return { from: source.description, to: target.description, rows };
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}
