/**
 * Moves a store to another location and engine, all or nothing. Source and target both record the move, so an interrupted move
 * continues when it is started again. The copy is not usable before the source is marked `left`, the source not afterwards.
 */
import { createHash, randomUUID } from "node:crypto";
import type { Database, Row, StatementRunner, StoreAccess } from "./database";
import { storeMovedError, type Move, moveOf, setMove } from "./move-state";
import { openDatabase } from "./open";
import { closeRow, openRow, placeholders, readBatches } from "./rows";
import { createTables, prepareStore, readMeta, type Table, tables, writeMeta } from "./schema";
import { type Sealer, createSealer } from "./sealer";
import type { StoreSettings } from "./settings";

interface MovedStore {
  /** Old and new location. */
  readonly from: string;
  readonly to: string;
  /** Number of copied rows by table. */
  readonly rows: Readonly<Record<string, number>>;
}

/** One end of a move. */
interface MoveEndpoint extends Database {
  readonly sealer: Sealer;
}

const persistentTables = tables.filter(({ isTransient }) => !isTransient);

/** Name of a table in a moved store. Renaming makes every statement of processes that still use the store fail. */
const movedTableName = ({ name }: Table) => `${name}_left`;

/** Throws if a process is working on the store. `nameOf` returns the current name of a table. */
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
        `A process is using ${description} (${table.name}). Nothing was moved. Try again in a minute.`,
      );
  }
}

async function assertEmpty(run: StatementRunner, { description }: Database): Promise<void> {
  for (const { name } of persistentTables)
    if ((await run(`SELECT 1 FROM ${name} LIMIT 1`)).length > 0)
      throw new Error(
        `${description} is not empty (${name}): the target of a move must be empty. Nothing was moved.`,
      );
}

/** Checksum of rows, independent of their order and of the engine's number types. */
class RowChecksum {
  count = 0;
  #sum = 0n;

  add(row: Row): void {
    const values = Object.entries(row)
      .map(([column, value]) => [column, value === null ? null : String(value)] as const)
      .toSorted(([one], [other]) => (one < other ? -1 : 1));
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

/** Copies a table, and reads the copy back to compare it. */
async function copyTable(table: Table, source: StoreAccess, target: StoreAccess): Promise<void> {
  const [sourceChecksum, targetChecksum] = [new RowChecksum(), new RowChecksum()];
  for await (const rows of readBatches({ ...table, name: movedTableName(table) }, source.run)) {
    const opened = rows.map((row) => openRow(table, row, source.sealer));
    for (const row of opened) sourceChecksum.add(row);
    await insert(
      target.run,
      table,
      opened.map((row) => closeRow(table, row, target.sealer)),
    );
  }
  for await (const rows of readBatches(table, target.run))
    for (const row of rows) targetChecksum.add(openRow(table, row, target.sealer));
  if (!targetChecksum.equals(sourceChecksum))
    throw new Error(
      `The copy of ${table.name} differs from its source (${targetChecksum.count} of ${sourceChecksum.count} rows). Nothing was moved.`,
    );
}

/** Records the start of a move in the source, and returns it or the move already recorded. */
const startMove = (from: Database, to: Database): Promise<Move> =>
  from.transaction(async (run) => {
    const known = await moveOf(run);
    if (known?.stage === "arriving")
      throw new Error(
        `${from.description} is an incomplete copy of ${known.place}. Complete that move first: run \`fxdesk store move\` with FXDESK_STORE set to ${known.place}.`,
      );
    if (known) return known;
    const move: Move = { id: randomUUID(), stage: "leaving", place: to.description };
    await setMove(run, move);
    return move;
  });

/** Creates the tables of the target and removes rows that an earlier attempt copied. */
async function prepareTarget(run: StatementRunner, database: MoveEndpoint, { id }: Move): Promise<void> {
  const known = await moveOf(run);
  if (known?.stage === "left") throw storeMovedError(known.place);
  if (known?.stage === "arriving" && known.id !== id)
    throw new Error(
      `${database.description} is already the target of another move, from ${known.place}. Nothing was moved.`,
    );
  await createTables(run, database, database.sealer);
  if (known?.stage === "arriving") for (const { name } of persistentTables) await run(`DELETE FROM ${name}`);
  await assertEmpty(run, database);
  await assertNotInUse(run, database, ({ name }) => name);
}

/** Copies all tables in one transaction at both ends. Afterwards the source counts as moved; the target cannot be used yet. */
const copyAll = (from: MoveEndpoint, to: MoveEndpoint, { id }: Move): Promise<void> =>
  from.transaction(async (sourceRun) => {
    // Renaming locks the tables: other processes wait until the transaction ends.
    for (const table of tables)
      await sourceRun(`ALTER TABLE ${table.name} RENAME TO ${movedTableName(table)}`);
    await assertNotInUse(sourceRun, from, movedTableName);
    await to.transaction(async (targetRun) => {
      const arrival: Move = { id, stage: "arriving", place: from.description };
      await prepareTarget(targetRun, to, arrival);
      for (const table of persistentTables)
        await copyTable(
          table,
          { run: sourceRun, sealer: from.sealer },
          { run: targetRun, sealer: to.sealer },
        );
      await writeMeta(targetRun, "store_id", (await readMeta(sourceRun, "store_id"))!);
      await setMove(targetRun, arrival);
    });
    await setMove(sourceRun, { id, stage: "left", place: to.description });
  });

async function countRows({ run }: Database): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { name } of persistentTables) {
    const [row] = await run(`SELECT count(*) AS count FROM ${name}`);
    counts[name] = Number(row!.count);
  }
  return counts;
}

async function moveBetween(from: MoveEndpoint, to: MoveEndpoint): Promise<Record<string, number>> {
  const move = await startMove(from, to);
  const there = await to.transaction(moveOf);
  if (there?.id === move.id && there.stage !== "arriving")
    throw new Error(`${to.description} is both the source and the target of the move. Nothing was moved.`);
  if (move.stage === "left") {
    if (there?.id !== move.id || move.place !== to.description) throw storeMovedError(move.place);
  } else {
    await prepareStore(from, from.sealer);
    await copyAll(from, to, move);
  }
  const rows = await countRows(to);
  await to.transaction((run) => setMove(run));
  return rows;
}

/**
 * Moves all data of a store to an empty one and seals it with the target's key. Processes that still use the source are
 * refused from then on, with an error that names the target. Throws an Error that tells a person what to do; then nothing was
 * moved, or starting the same move again completes it.
 */
export const moveStore = (from: StoreSettings, to: StoreSettings): Promise<MovedStore> =>
  withEndpoint(from, (source) =>
    withEndpoint(to, async (target) => {
      const rows = await moveBetween(source, target);
      return { from: source.description, to: target.description, rows };
    }),
  );

async function withEndpoint<T>(
  settings: StoreSettings,
  work: (endpoint: MoveEndpoint) => Promise<T>,
): Promise<T> {
  const database = await openDatabase(settings);
  try {
    return await work({ ...database, sealer: createSealer(settings.key) });
  } finally {
    await database.close();
  }
}
