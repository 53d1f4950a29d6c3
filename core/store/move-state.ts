/** The marker row that records a move of the store to another location. */
import type { Database, StatementRunner } from "./database";

/**
 * `leaving`: a move has started and this store still has all data. `left`: the data is at the new location. `arriving`: an
 * incomplete copy, not used until its source is `left`.
 */
type MoveStage = "leaving" | "left" | "arriving";

export interface Move {
  /** The same ID in the source and the target. */
  readonly id: string;
  readonly stage: MoveStage;
  /** Engine and location of the other store, without secrets. */
  readonly place: string;
}

/** Holds at most one row. Created apart from the other tables, because it is read before them. */
const table =
  "CREATE TABLE IF NOT EXISTS fxdesk_moves (id TEXT NOT NULL, stage TEXT NOT NULL, place TEXT NOT NULL)";

async function select(run: StatementRunner): Promise<Move | undefined> {
  const [row] = await run("SELECT id, stage, place FROM fxdesk_moves");
  return row as Move | undefined;
}

/** Returns the move that a store takes part in. */
export async function moveOf(run: StatementRunner): Promise<Move | undefined> {
  await run(table);
  return select(run);
}

/** Stores the move, or removes it if undefined. */
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
  new Error(`The store moved to ${place}. Set FXDESK_STORE to the new location wherever this store is used.`);

/** Throws if the store has moved, or is an incomplete copy. */
export async function assertNotMoved(run: StatementRunner): Promise<void> {
  const move = await moveOf(run);
  if (move?.stage === "left") throw storeMovedError(move.place);
  if (move?.stage === "arriving")
    throw new Error(
      `The move from ${move.place} to this store is incomplete. Run \`fxdesk store move\` again, with FXDESK_STORE set to ${move.place}.`,
    );
}

/** Replaces the errors of a process that still has a moved store open. Its tables were renamed, so every statement fails. */
export function explainMovedStore(database: Database): Database {
  const explain = async (failure: unknown): Promise<never> => {
    const move = await select(database.run).catch(() => undefined);
    throw move?.stage === "left" ? storeMovedError(move.place) : failure;
  };
  return {
    ...database,
    run: (sql, values) => database.run(sql, values).catch(explain),
    transaction: (work, options) => database.transaction(work, options).catch(explain),
    transactInPhases: (phases, options) => database.transactInPhases(phases, options).catch(explain),
  };
}
