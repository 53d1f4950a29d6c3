/**
 * Moves a store to another place, and engine, as one: what was in the old one is in the new one, or nothing has changed. Both
 * note the move, so that one that was cut off at any point goes on where it is begun again: the copy is not used before the
 * old store is left, and the old one not afterwards.
 */
import { createHash, randomUUID } from "node:crypto";
import type { Database, Row, Run, Value } from "./database";
import { applyMigrations, migrate, placeIn, type Table, tables } from "./migrations";
import { leftFor, type Move, moveOf, setMove } from "./moved";
import { openDatabase } from "./open";
import { type Seal, sealWith } from "./seal";
import type { StoreSettings } from "./settings";

export interface MovedStore {
  /** Where it was, and where it is. */
  readonly from: string;
  readonly to: string;
  /** How many rows each table brought. */
  readonly rows: Readonly<Record<string, number>>;
}

/** One end of a move. */
interface End {
  readonly database: Database;
  readonly seal: Seal;
}

const lasting = tables.filter(({ passing }) => !passing);

/** Under this name a table stays in the store that is left: a process that has it open finds nothing to read or write. */
const nameWhenLeft = ({ name }: Table) => `${name}_left`;

/** `nameOf` says what the tables are called for now. */
async function assertNotInUse(
  run: Run,
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

async function assertEmpty(run: Run, { description }: Database): Promise<void> {
  for (const { name } of lasting)
    if ((await run(`SELECT 1 FROM ${name} LIMIT 1`)).length > 0)
      throw new Error(
        `There is something in ${description} (${name}): a store moves to an empty place. Nothing was moved.`,
      );
}

/** Rows at a time: few enough for the parameters that SQLite takes in one statement. */
const batch = 200;

const placeholders = (count: number, first = 1) =>
  `(${Array.from({ length: count }, (_, index) => `$${first + index}`).join(", ")})`;

/** The rows of a table, which may have another name for now, by their key. */
async function* batchesOf(
  { name, key }: Pick<Table, "name" | "key">,
  run: Run,
): AsyncGenerator<readonly Row[]> {
  const columns = key.join(", ");
  let after: readonly Value[] = [];
  for (;;) {
    const where = after.length > 0 ? `WHERE (${columns}) > ${placeholders(after.length)}` : "";
    const rows = await run(`SELECT * FROM ${name} ${where} ORDER BY ${columns} LIMIT ${batch}`, after);
    if (rows.length > 0) yield rows;
    if (rows.length < batch) return;
    after = key.map((column) => rows.at(-1)![column]!);
  }
}

/** A row with its sealed texts read, or written, by `convert`; where there is none, none stays. */
function converted(table: Table, row: Row, convert: (text: string, place: string) => string): Row {
  const place = placeIn(table, row);
  const changed = (table.sealed ?? []).map((column) => {
    const text = row[column];
    return [column, text == null ? null : convert(String(text), place)];
  });
  return { ...row, ...(Object.fromEntries(changed) as Row) };
}

/** What tables hold, to be compared: their rows in any order, numbers as either engine gives them. */
class Tally {
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

  equals(other: Tally): boolean {
    return this.count === other.count && this.#sum === other.#sum;
  }
}

async function insert(run: Run, { name }: Table, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0]!);
  const values = rows.map((_, index) => placeholders(columns.length, index * columns.length + 1));
  await run(
    `INSERT INTO ${name} (${columns.join(", ")}) VALUES ${values.join(", ")}`,
    rows.flatMap((row) => columns.map((column) => row[column]!)),
  );
}

/** Copies the rows of a table, reads them again where they are now, and returns how many they are. */
async function copy(
  table: Table,
  [source, sourceSeal]: readonly [Run, Seal],
  [target, targetSeal]: readonly [Run, Seal],
): Promise<number> {
  const [given, arrived] = [new Tally(), new Tally()];
  for await (const rows of batchesOf({ ...table, name: nameWhenLeft(table) }, source)) {
    const opened = rows.map((row) => converted(table, row, (text, place) => sourceSeal.open(text, place)));
    for (const row of opened) given.add(row);
    const closed = opened.map((row) => converted(table, row, (text, place) => targetSeal.close(text, place)));
    await insert(target, table, closed);
  }
  for await (const rows of batchesOf(table, target))
    for (const row of rows) arrived.add(converted(table, row, (text, place) => targetSeal.open(text, place)));
  if (!arrived.equals(given))
    throw new Error(
      `${table.name} did not arrive as it was (${arrived.count} of ${given.count} rows). Nothing was moved.`,
    );
  return given.count;
}

/** Notes in the store that a move is begun, and returns that note, or the one that is there. */
const begun = (from: Database, to: Database): Promise<Move> =>
  from.exclusively(async (run) => {
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
async function prepareTarget(run: Run, database: Database, { id }: Move): Promise<void> {
  const known = await moveOf(run);
  if (known?.stage === "left") throw leftFor(known.place);
  if (known?.stage === "arriving" && known.id !== id)
    throw new Error(`${database.description} is being moved to from ${known.place}. Nothing was moved.`);
  await applyMigrations(run, database.now);
  if (known?.stage === "arriving") for (const { name } of lasting) await run(`DELETE FROM ${name}`);
  await assertEmpty(run, database);
  await assertNotInUse(run, database, ({ name }) => name);
}

/** The new store may be used from now on. */
const open = (database: Database): Promise<void> => database.exclusively((run) => setMove(run));

async function copyAll(source: End, target: End, { id }: Move): Promise<Record<string, number>> {
  const [from, to] = [source.database, target.database];
  return from.exclusively(async (sourceRun) => {
    // Other processes wait for a table that is being renamed, until everything is done or nothing.
    for (const table of tables) await sourceRun(`ALTER TABLE ${table.name} RENAME TO ${nameWhenLeft(table)}`);
    await assertNotInUse(sourceRun, from, nameWhenLeft);
    const rows = await to.exclusively(async (targetRun) => {
      await prepareTarget(targetRun, to, { id, stage: "arriving", place: from.description });
      const counts: Record<string, number> = {};
      for (const table of lasting)
        counts[table.name] = await copy(table, [sourceRun, source.seal], [targetRun, target.seal]);
      await setMove(targetRun, { id, stage: "arriving", place: from.description });
      return counts;
    });
    await setMove(sourceRun, { id, stage: "left", place: to.description });
    return rows;
  });
}

/** What a store holds that has arrived. */
async function counted({ run }: Database): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { name } of lasting) {
    const [row] = await run(`SELECT count(*) AS count FROM ${name}`);
    counts[name] = Number(row!.count);
  }
  return counts;
}

async function moveBetween(source: End, target: End): Promise<Record<string, number>> {
  const [from, to] = [source.database, target.database];
  const move = await begun(from, to);
  const there = await to.exclusively(moveOf);
  if (there?.id === move.id && there.stage !== "arriving")
    throw new Error(`${to.description} is the store itself. Nothing was moved.`);
  if (move.stage === "left") {
    if (there?.id !== move.id || move.place !== to.description) throw leftFor(move.place);
    await open(to);
    return counted(to);
  }
  await migrate(from);
  const rows = await copyAll(source, target, move);
  await open(to);
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
        { database: source, seal: sealWith(from.key) },
        { database: target, seal: sealWith(to.key) },
      );
      return { from: source.description, to: target.description, rows };
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}
