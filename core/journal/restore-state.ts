/** Whether a store was restored: the last event of the store itself, and the checkpoints that the store does not contain. */
import type { Row, Statement, StoreAccess } from "../store/database";
import { openRow } from "../store/rows";
import { eventsTable } from "../store/schema";
import type { Sealer } from "../store/sealer";
import { type Checkpoint, digest } from "./checkpoints";
import { withEnvironments } from "./events";
import { storeEvents } from "./hash-chain";

/** Thrown if the store was restored, so that the call may have been sent before. It is not sent. */
export class StoreRestored extends Error {}

const unconfirmedError = (reason: string) =>
  new StoreRestored(
    `${reason} It may not know calls that were sent. Find out why; then a person confirms it with ` +
      "`fxdesk store confirm --by <name>`.",
  );

/** Error for a call that cannot be looked up at the service. */
export const uncheckedError = (reason: string): StoreRestored =>
  new StoreRestored(
    `The store was restored, and this call may have been sent before: ${reason} Compare the calls since the backup with the ` +
      "service; then run `fxdesk store confirm --by <name> --payments-checked`.",
  );

export interface RestoreState {
  /** Last event of the store itself. */
  readonly last: "restored" | "confirmed" | "checked" | undefined;
  /** Checkpoints that the store does not contain. */
  readonly missing: readonly Checkpoint[];
  /**
   * Time from which calls may be missing in the store, in milliseconds since 1970: that of the last event before a restore that a
   * person has confirmed and not checked. Undefined without such a restore.
   */
  readonly uncheckedSince: number | undefined;
}

/**
 * Returns the queries for `toRestoreState`, for calls of an environment. The checkpoints of all environments count: limits sum over
 * several, so none may lack events.
 */
export const restoreQueries = (
  environment: string,
  noted: readonly Checkpoint[],
): readonly [Statement, Statement, Statement] => [
  {
    sql: "SELECT * FROM fxdesk_journal_events WHERE environment = $1 ORDER BY seq",
    values: [storeEvents],
  },
  {
    sql: `SELECT e.* FROM fxdesk_journal_events AS e WHERE e.environment = $2 AND e.at <= (
            SELECT min(s.at) FROM fxdesk_journal_events AS s WHERE s.environment = $1 AND s.seq > coalesce(
              (SELECT max(c.seq) FROM fxdesk_journal_events AS c WHERE c.environment = $1 AND c.kind = 'checked'), 0))
          ORDER BY e.at DESC LIMIT 1`,
    values: [storeEvents, environment],
  },
  {
    sql: `${withEnvironments}
          SELECT e.environment, e.seq, e.hash FROM found JOIN fxdesk_journal_events AS e ON e.environment = found.environment
          WHERE e.seq IN (${noted.map((_, index) => `$${index + 1}`).join(", ") || "NULL"})`,
    values: noted.map(({ seq }) => seq),
  },
];

/** Throws if an event that it follows from was changed or written without the store key. */
export function toRestoreState(
  sealer: Sealer,
  [ofStore, since, found]: readonly (readonly Row[])[],
  noted: readonly Checkpoint[],
): RestoreState {
  const known = new Set(
    found!.map((row) => `${digest(String(row.environment))} ${Number(row.seq)} ${String(row.hash)}`),
  );
  const kind = ofStore!.map((row) => openRow(eventsTable, row, sealer)).at(-1)?.kind as RestoreState["last"];
  const [before] = since!.map((row) => openRow(eventsTable, row, sealer));
  return {
    last: kind,
    uncheckedSince: kind === "confirmed" ? Number(before?.at ?? 0) : undefined,
    missing: noted.filter(({ chain, seq, hash }) => !known.has(`${chain} ${seq} ${hash}`)),
  };
}

/** Reads whether the store may lack calls of an environment. */
export async function readRestoreState(
  { run, sealer }: StoreAccess,
  environment: string,
  noted: readonly Checkpoint[],
): Promise<RestoreState> {
  const rows = [];
  for (const { sql, values } of restoreQueries(environment, noted)) rows.push(await run(sql, values));
  return toRestoreState(sealer, rows, noted);
}

/** True if the store may lack calls that were sent. */
export const mayLackCalls = ({ last, missing }: RestoreState): boolean =>
  missing.length > 0 || last === "restored" || last === "confirmed";

/**
 * Throws StoreRestored if the store does not contain what this machine has seen, or was restored and not confirmed. Until a person
 * has checked, also unless the call was looked up.
 */
export function assertNotRestored({ last, missing }: RestoreState, isLookedUp: boolean): void {
  const [seen] = missing.toSorted((one, other) => other.seq - one.seq);
  if (seen)
    throw unconfirmedError(
      `The store was restored, replaced or copied: it does not contain event ${seen.seq}, which this machine has seen.`,
    );
  if (last === "restored") throw unconfirmedError("The store was restored from a backup.");
  if (last === "confirmed" && !isLookedUp) throw uncheckedError("it was not looked up.");
}
