/** The pace that processes share: one row for each server, in whose time all of them reserve. */
import type { Database, Row } from "./database";
import { migrate } from "./migrations";
import type { Store } from "./open";
import { createSealer } from "./sealer";
import { isPostgres, type StoreSettings } from "./settings";

/** Where a pace stands; times by the clock of the store. */
export interface Pace {
  readonly now: number;
  /** Grows with each change of the interval. */
  readonly version: number;
  readonly intervalMs: number;
  /** When the next call may go that nobody has reserved yet. */
  readonly nextAt: number;
  /** No call goes before. */
  readonly pausedUntil: number;
  /** Calls of which it was told that the service took them. */
  readonly accepted: number;
  /** What led to the interval, as whoever changes it wants to find it. */
  readonly content: string;
}

const parsePace = (row: Row): Pace => ({
  now: Number(row.now),
  version: Number(row.version),
  intervalMs: Number(row.interval_ms),
  nextAt: Number(row.next_at),
  pausedUntil: Number(row.quiet_until),
  accepted: Number(row.taken),
  content: String(row.content),
});

/**
 * Opens the store of paces. What a crash takes of a pace is found out again, so nothing waits for the disk, and the embedded
 * engine keeps them in a file of their own, where they hold up nothing else.
 */
export async function openPaceStore({ location, key }: StoreSettings): Promise<Store> {
  const isShared = isPostgres(location);
  const database = isShared
    ? await (await import("./postgres.js")).openPostgres(location)
    : (await (await import("./sqlite.js")).openSqlite(`${location}-pace`)).database;
  try {
    const migration = await migrate(database);
    await database.run(isShared ? "SET synchronous_commit = off" : "PRAGMA synchronous = NORMAL");
    return { database, sealer: createSealer(key), migration };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Begins a pace, where there is none of this name. */
export async function createPace(
  { run, now }: Database,
  name: string,
  { intervalMs, content }: Pick<Pace, "intervalMs" | "content">,
): Promise<void> {
  await run(
    `INSERT INTO fxdesk_paces (name, version, interval_ms, next_at, quiet_until, taken, content)
     VALUES ($1, 1, $2, ${now}, 0, 0, $3) ON CONFLICT (name) DO NOTHING`,
    [name, intervalMs, content],
  );
}

/**
 * Reserves the next calls, none while no call goes, and tells of those that were taken since. They may go one interval after
 * the other, up to `nextAt`. Undefined where the pace has not begun.
 */
export async function reserveCalls(
  { run, now }: Database,
  name: string,
  calls: number,
  accepted: number,
  lateMs: number,
): Promise<Pace | undefined> {
  const [row] = await run(
    `UPDATE fxdesk_paces SET
       next_at = CASE WHEN quiet_until > ${now} THEN next_at
         WHEN next_at > ${now} - $4 THEN next_at + $2 * interval_ms ELSE ${now} - $4 + $2 * interval_ms END,
       taken = taken + $3
     WHERE name = $1 RETURNING *, ${now} AS now`,
    [name, calls, accepted, lateMs],
  );
  return row && parsePace(row);
}

/** How a pace changes. */
export interface PaceChange extends Pick<Pace, "intervalMs" | "content"> {
  /** For how long no call goes, whatever was reserved. */
  readonly pauseMs: number;
}

/** Changes a pace from the version that was seen; undefined where another process changed it first. */
export async function updatePace(
  { run, now }: Database,
  name: string,
  version: number,
  { intervalMs, content, pauseMs }: PaceChange,
): Promise<Pace | undefined> {
  const quiet = `CASE WHEN quiet_until > ${now} + $5 THEN quiet_until ELSE ${now} + $5 END`;
  // What is reserved up to then may still go: a pause that is shorter forgives none of it.
  const next = `CASE WHEN next_at > ${quiet} THEN next_at ELSE ${quiet} END`;
  const paused = pauseMs > 0 ? `, quiet_until = ${quiet}, next_at = ${next}` : "";
  const [row] = await run(
    `UPDATE fxdesk_paces SET version = version + 1, interval_ms = $3, content = $4${paused}
     WHERE name = $1 AND version = $2 RETURNING *, ${now} AS now`,
    [name, version, intervalMs, content, ...(pauseMs > 0 ? [pauseMs] : [])],
  );
  return row && parsePace(row);
}
