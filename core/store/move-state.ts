/** Whether a store is where its things are: while it moves elsewhere, and afterwards, a row in it says so. */
import type { Database, StatementRunner } from "./database";

/**
 * `leaving`: a move was begun, and everything is here. `left`: everything is at the other place. `arriving`: a copy that is
 * not used before the store it comes from has left.
 */
type MoveStage = "leaving" | "left" | "arriving";

export interface Move {
  /** The same in the store that is left and in the one that is entered. */
  readonly id: string;
  readonly stage: MoveStage;
  /** What and where the other store is, in words that hold no secret. */
  readonly place: string;
}

/** At most one row. Not among the migrations: it is looked at before them. */
const table =
  "CREATE TABLE IF NOT EXISTS fxdesk_moves (id TEXT NOT NULL, stage TEXT NOT NULL, place TEXT NOT NULL)";

async function select(run: StatementRunner): Promise<Move | undefined> {
  const [row] = await run("SELECT id, stage, place FROM fxdesk_moves");
  return row as Move | undefined;
}

/** The move that a store is in. */
export async function moveOf(run: StatementRunner): Promise<Move | undefined> {
  await run(table);
  return select(run);
}

/** Says which move a store is in; none is none. */
export async function setMove(run: StatementRunner, move?: Move): Promise<void> {
  await run("DELETE FROM fxdesk_moves");
  if (move)
    await run("INSERT INTO fxdesk_moves (id, stage, place) VALUES ($1, $2, $3)", [
      move.id,
      move.stage,
      move.place,
    ]);
}

export const storeMovedError = (place: string): Error =>
  new Error(`The store moved to ${place}. Set FXDESK_STORE to that wherever this one is used.`);

/** Throws where a store is not to be used: its things are elsewhere, or not all here yet. */
export async function assertNotMoved(run: StatementRunner): Promise<void> {
  const move = await moveOf(run);
  if (move?.stage === "left") throw storeMovedError(move.place);
  if (move?.stage === "arriving")
    throw new Error(
      `The move from ${move.place} to this store did not come to its end: run fxdesk store move there again.`,
    );
}

/** The tables of a store that left have other names: what a process wants that had it open fails, and here learns why. */
export function explainMovedStore(database: Database): Database {
  const explain = async (failure: unknown): Promise<never> => {
    const move = await select(database.run).catch(() => undefined);
    throw move?.stage === "left" ? storeMovedError(move.place) : failure;
  };
  return {
    ...database,
    run: (sql, values) => database.run(sql, values).catch(explain),
    transaction: (work, options) => database.transaction(work, options).catch(explain),
  };
}
