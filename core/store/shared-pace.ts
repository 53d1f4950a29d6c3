/** The rate limit shared by processes: one row per server, in which all of them reserve calls. */
import type { Database, Row } from "./database";
import { type Store, toStore } from "./open";
import { isPostgres, type StoreSettings } from "./settings";

/** State of a rate limit. Times are milliseconds by the clock of the store. */
export interface Pace {
  readonly now: number;
  /** Incremented by each change of the interval. */
  readonly version: number;
  readonly intervalMs: number;
  /** Time of the next unreserved call. */
  readonly nextAt: number;
  /** No call may be sent before this time. */
  readonly pausedUntil: number;
  /** Number of calls that the service accepted, as reported by all processes. */
  readonly accepted: number;
  /** History that led to the interval, in a format of the caller's. */
  readonly content: string;
}

const parsePace = (row: Row): Pace => ({
  now: Number(row.now),
  version: Number(row.version),
  intervalMs: Number(row.interval_ms),
  nextAt: Number(row.next_at),
  pausedUntil: Number(row.paused_until),
  accepted: Number(row.accepted),
  content: String(row.content),
});

/**
 * Opens the store for rate limits. They are relearned after a crash, so writes do not wait for the disk. With SQLite they are in a file of
 * their own, so that they do not block the main store.
 */
export async function openPaceStore({ location, key }: StoreSettings): Promise<Store> {
  const isShared = isPostgres(location);
  const database = isShared
    ? await (await import("./postgres.js")).openPostgres(location)
    : (await (await import("./sqlite.js")).openSqlite(`${location}-rates`)).database;
  // Rates are no secret, and a file of their own needs no key.
  const store = await toStore(database, isShared ? key : undefined);
  try {
    await store.run(isShared ? "SET synchronous_commit = off" : "PRAGMA synchronous = NORMAL");
    return store;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Creates a rate limit, unless one with this name exists. */
export async function createPace(
  { run, now }: Database,
  name: string,
  { intervalMs, content }: Pick<Pace, "intervalMs" | "content">,
): Promise<void> {
  await run(
    `INSERT INTO fxdesk_rate_limits (name, version, interval_ms, next_at, paused_until, accepted, content)
     VALUES ($1, 1, $2, ${now}, 0, 0, $3) ON CONFLICT (name) DO NOTHING`,
    [name, intervalMs, content],
  );
}

/**
 * Reserves the next calls, or none during a pause, and adds the calls accepted since the last time. The reserved calls may be
 * sent one interval apart, up to `nextAt`. Returns undefined if the rate limit does not exist.
 */
export async function reserveCalls(
  { run, now }: Database,
  name: string,
  calls: number,
  accepted: number,
  lateMs: number,
): Promise<Pace | undefined> {
  const [row] = await run(
    `UPDATE fxdesk_rate_limits SET
       next_at = CASE WHEN paused_until > ${now} THEN next_at
         WHEN next_at > ${now} - $4 THEN next_at + $2 * interval_ms ELSE ${now} - $4 + $2 * interval_ms END,
       accepted = accepted + $3
     WHERE name = $1 RETURNING *, ${now} AS now`,
    [name, calls, accepted, lateMs],
  );
  return row && parsePace(row);
}

interface PaceChange extends Pick<Pace, "intervalMs" | "content"> {
  /** Duration for which no call may be sent, reserved or not. */
  readonly pauseMs: number;
}

/** Changes a rate limit of a known version. Returns undefined if another process changed it first. */
export async function updatePace(
  { run, now }: Database,
  name: string,
  version: number,
  { intervalMs, content, pauseMs }: PaceChange,
): Promise<Pace | undefined> {
  const quiet = `CASE WHEN paused_until > ${now} + $5 THEN paused_until ELSE ${now} + $5 END`;
  // Reservations up to the end of the pause stay used: a pause never frees them.
  const next = `CASE WHEN next_at > ${quiet} THEN next_at ELSE ${quiet} END`;
  const paused = pauseMs > 0 ? `, paused_until = ${quiet}, next_at = ${next}` : "";
  const [row] = await run(
    `UPDATE fxdesk_rate_limits SET version = version + 1, interval_ms = $3, content = $4${paused}
     WHERE name = $1 AND version = $2 RETURNING *, ${now} AS now`,
    [name, version, intervalMs, content, ...(pauseMs > 0 ? [pauseMs] : [])],
  );
  return row && parsePace(row);
}
