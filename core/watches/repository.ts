/**
 * One consumer's access to a stored watch: the state of each entry, the changes that are not acknowledged yet, the time
 * of the next read, and the lease. All processes with the same watch share it.
 */
import { dayOf } from "../calendars/days";
import { randomUUID } from "node:crypto";
import type { Row, StatementRunner, Value, StoreAccess } from "../store/database";
import type { StoreSession } from "../store/session";
import { applyDiff, type Diff } from "./diff";
import {
  decodeChange,
  decodeGaps,
  decodeState,
  encodeChange,
  encodeStates,
  type EntryStates,
  gapsKey,
  hashOf,
  type StoredChange,
} from "./stored-rows";

/** A read that is due. */
export interface DueRead {
  /** Number of saved reads; detects concurrent ones. */
  readonly version: number;
  /** YYYY-MM-DD in UTC, by the clock of the store. */
  readonly today: string;
  /** Day of the last complete read. */
  readonly readDay: string | undefined;
}

/** The next step of a consumer. Only `deliver` and `poll` hold the lease. */
export type NextStep =
  | { readonly kind: "deliver"; readonly changes: readonly StoredChange[] }
  | { readonly kind: "poll"; readonly due: DueRead }
  /** `isHeld`: another consumer has the lease for `ms`. Otherwise the next read is due after `ms`. */
  | { readonly kind: "wait"; readonly ms: number; readonly isHeld: boolean; readonly hasFailed: boolean };

/** The result of a read, to be saved. */
interface ReadResult extends Diff {
  /** Reasons why the read was incomplete; empty if complete. */
  readonly gaps: readonly string[];
}

interface RepositoryOptions {
  /** Duration of the lease. */
  readonly holdMs: number;
  /** Minimum interval between the starts of two reads, even if the first one never reports its end. */
  readonly minIntervalMs: number;
  /** Interval between two reads; at least `minIntervalMs`. */
  readonly intervalMs: number;
}

const maxRowsPerInsert = 100;

async function insertRows(
  run: StatementRunner,
  target: string,
  rows: readonly (readonly Value[])[],
  conflictClause = "",
): Promise<void> {
  for (let start = 0; start < rows.length; start += maxRowsPerInsert) {
    const batch = rows.slice(start, start + maxRowsPerInsert);
    let parameterIndex = 0;
    const values = batch.map((row) => `(${row.map(() => `$${(parameterIndex += 1)}`).join(", ")})`);
    await run(`INSERT INTO ${target} VALUES ${values.join(", ")} ${conflictClause}`, batch.flat());
  }
}

export class WatchRepository {
  /** Hash of the watch's identity, so that the store does not reveal its input. */
  readonly id: string;
  /** Unique ID of this holder of the lease. Every write that needs the lease checks it. */
  readonly #holder = randomUUID();
  /** Stored states with their version, to avoid reading and unsealing all of them before every poll. */
  #cached: { readonly version: number; readonly states: EntryStates } | undefined;

  constructor(
    private readonly store: StoreSession,
    private readonly name: string,
    identity: string,
    private readonly options: RepositoryOptions,
  ) {
    this.id = hashOf(identity);
  }

  /** Records the acknowledgement and returns the next step. Acquires the lease if there is one to do. */
  acquireNextStep(acknowledged: number, maxChanges: number): Promise<NextStep> {
    return this.store.use(({ database, sealer }) =>
      database.transaction<NextStep>(async (run) => {
        const watch = await this.#acquireLease(run, database.now, acknowledged);
        if (!watch) return this.#waitForLease(run, database.now, acknowledged);
        const changes = await this.#pendingChanges({ run, sealer }, watch, maxChanges);
        if (changes.length > 0) return { kind: "deliver", changes };
        const now = Number(watch.moment);
        const waitMs = (await this.#scheduledAt(run, watch)) - now;
        if (waitMs > 0) {
          await this.#releaseLease(run);
          return { kind: "wait", ms: waitMs, isHeld: false, hasFailed: Number(watch.failures) > 0 };
        }
        const nextAt = now + this.options.minIntervalMs;
        await run("UPDATE fxdesk_watches SET next_at = $2 WHERE id = $1", [this.id, nextAt]);
        const today = dayOf(now);
        const readDay = watch.read_day === null ? undefined : String(watch.read_day);
        return { kind: "poll", due: { version: Number(watch.version), today, readDay } };
      }),
    );
  }

  /** Restarts the lease time. */
  async extendLease(): Promise<void> {
    await this.store.use(({ database: { run, now } }) =>
      run(`UPDATE fxdesk_watches SET lease_expires_at = ${now} + $3 WHERE id = $1 AND lease_holder = $2`, [
        this.id,
        this.#holder,
        this.options.holdMs,
      ]),
    );
  }

  async releaseLease(): Promise<void> {
    await this.store.use(({ database: { run } }) => this.#releaseLease(run));
  }

  /** Marks changes as delivered before their delivery. Returns false if the lease was lost. */
  markDelivered(delivered: number, acknowledged: number): Promise<boolean> {
    return this.store.use(async ({ database: { run, now } }) => {
      const rows = await run(
        `UPDATE fxdesk_watches SET lease_expires_at = ${now} + $3,
           delivered_seq = CASE WHEN $4 > delivered_seq THEN $4 ELSE delivered_seq END,
           acknowledged_seq = CASE WHEN $5 > acknowledged_seq THEN $5 ELSE acknowledged_seq END
         WHERE id = $1 AND lease_holder = $2 AND lease_expires_at > ${now} RETURNING id`,
        [this.id, this.#holder, this.options.holdMs, delivered, acknowledged],
      );
      return rows.length > 0;
    });
  }

  /** Returns true if a change with this sequence number or a later one was delivered. */
  wasDelivered(seq: number): Promise<boolean> {
    return this.store.use(async ({ database: { run } }) => {
      const rows = await run("SELECT id FROM fxdesk_watches WHERE id = $1 AND delivered_seq >= $2", [
        this.id,
        seq,
      ]);
      return rows.length > 0;
    });
  }

  /** Acknowledges all changes up to this one. */
  async acknowledge(seq: number): Promise<void> {
    await this.store.use(({ database: { run } }) => this.#acknowledge(run, seq));
  }

  /** Returns the states by entry ID, as the reads up to this version left them. */
  async loadStates(version: number): Promise<EntryStates> {
    if (this.#cached?.version === version) return this.#cached.states;
    const states = await this.store.use(async ({ database: { run }, sealer }) => {
      const rows = await run(
        "SELECT entry, content FROM fxdesk_watch_states WHERE watch = $1 AND entry <> $2",
        [this.id, gapsKey],
      );
      return new Map(rows.map((row) => decodeState(sealer, this.id, row)));
    });
    this.#cached = { version, states };
    return states;
  }

  /** Returns the gaps of the last read; empty if it was complete. */
  loadGaps(): Promise<readonly string[]> {
    return this.store.use(async ({ database: { run }, sealer }) => {
      const [row] = await run("SELECT content FROM fxdesk_watch_states WHERE watch = $1 AND entry = $2", [
        this.id,
        gapsKey,
      ]);
      return row ? decodeGaps(sealer, this.id, row) : [];
    });
  }

  /** Saves a read and schedules the next one. Does nothing if the lease was lost. */
  async saveRead({ version, today }: DueRead, result: ReadResult): Promise<void> {
    const { changes, gaps } = result;
    const isSaved = await this.store.use(({ database, sealer }) =>
      database.transaction(async (run) => {
        const readDay = gaps.length > 0 ? null : today;
        const [row] = await run(
          `UPDATE fxdesk_watches SET version = version + 1, last_seq = last_seq + $4, read_day = coalesce($5, read_day), failures = 0,
             next_at = CASE WHEN ${database.now} + $6 > next_at THEN ${database.now} + $6 ELSE next_at END
           WHERE id = $1 AND lease_holder = $2 AND version = $3 RETURNING last_seq, ${database.now} AS moment`,
          [this.id, this.#holder, version, changes.length, readDay, this.options.intervalMs],
        );
        if (!row) return this.#isReadSaved(run, version);
        await this.#saveStates({ run, sealer }, result);
        const firstSeq = Number(row.last_seq) - changes.length + 1;
        const rows = changes.map((change, index) =>
          encodeChange(sealer, this.id, firstSeq + index, row.moment!, change),
        );
        await insertRows(run, "fxdesk_watch_changes (watch, seq, found_at, content)", rows);
        return true;
      }),
    );
    this.#cached =
      isSaved && this.#cached
        ? { version: version + 1, states: applyDiff(this.#cached.states, result) }
        : undefined;
  }

  /** Records a failed read, releases the lease and schedules a retry. Returns the pause in milliseconds. */
  recordFailure(backoffMs: (failures: number) => number): Promise<number> {
    return this.store.use(({ database }) =>
      database.transaction(async (run) => {
        const [row] = await run(
          `UPDATE fxdesk_watches SET failures = failures + 1, lease_expires_at = 0 WHERE id = $1 AND lease_holder = $2
           RETURNING failures, next_at, ${database.now} AS moment`,
          [this.id, this.#holder],
        );
        if (!row) return 0;
        const now = Number(row.moment);
        const nextAt = Math.max(Number(row.next_at), now + Math.ceil(backoffMs(Number(row.failures))));
        await run("UPDATE fxdesk_watches SET next_at = $2 WHERE id = $1", [this.id, nextAt]);
        return nextAt - now;
      }),
    );
  }

  /** Returns the row of the watch, which is created if missing; undefined if another consumer has the lease. */
  async #acquireLease(run: StatementRunner, now: string, acknowledged: number): Promise<Row | undefined> {
    const acquire = () =>
      run(
        `UPDATE fxdesk_watches SET lease_holder = $2, lease_expires_at = ${now} + $3,
           acknowledged_seq = CASE WHEN $4 > acknowledged_seq THEN $4 ELSE acknowledged_seq END
         WHERE id = $1 AND (lease_holder = $2 OR lease_expires_at <= ${now})
         RETURNING *, ${now} AS moment`,
        [this.id, this.#holder, this.options.holdMs, acknowledged],
      );
    const [row] = await acquire();
    if (row) return row;
    const created = await run(
      `INSERT INTO fxdesk_watches (id, name, version, last_seq, delivered_seq, acknowledged_seq, next_at, failures, lease_holder, lease_expires_at)
       VALUES ($1, $2, 0, 0, 0, 0, 0, 0, '', 0) ON CONFLICT (id) DO NOTHING RETURNING id`,
      [this.id, this.name],
    );
    return created.length > 0 ? (await acquire())[0] : undefined;
  }

  /** Returns the time of the next read, which is earlier if the interval was shortened. The pause after a failure stays. */
  async #scheduledAt(run: StatementRunner, { next_at, failures, moment }: Row): Promise<number> {
    const latest = Number(moment) + this.options.intervalMs;
    if (Number(failures) > 0 || Number(next_at) <= latest) return Number(next_at);
    await run("UPDATE fxdesk_watches SET next_at = $2 WHERE id = $1", [this.id, latest]);
    return latest;
  }

  async #releaseLease(run: StatementRunner): Promise<void> {
    await run(
      "UPDATE fxdesk_watches SET lease_expires_at = 0 WHERE id = $1 AND lease_holder = $2 AND lease_expires_at > 0",
      [this.id, this.#holder],
    );
  }

  /** Records the acknowledgement and returns the remaining time of the other consumer's lease. */
  async #waitForLease(run: StatementRunner, now: string, acknowledged: number): Promise<NextStep> {
    await this.#acknowledge(run, acknowledged);
    const [row] = await run(
      `SELECT lease_expires_at - ${now} AS held_ms, failures FROM fxdesk_watches WHERE id = $1`,
      [this.id],
    );
    const { held_ms: ms, failures } = row!;
    return { kind: "wait", ms: Math.max(1, Number(ms)), isHeld: true, hasFailed: Number(failures) > 0 };
  }

  async #acknowledge(run: StatementRunner, acknowledged: number): Promise<void> {
    await run("UPDATE fxdesk_watches SET acknowledged_seq = $2 WHERE id = $1 AND acknowledged_seq < $2", [
      this.id,
      acknowledged,
    ]);
  }

  /** Deletes acknowledged changes and returns the others, oldest first. */
  async #pendingChanges(
    { run, sealer }: StoreAccess,
    { acknowledged_seq: acknowledged, delivered_seq: delivered }: Row,
    maxChanges: number,
  ): Promise<StoredChange[]> {
    await run("DELETE FROM fxdesk_watch_changes WHERE watch = $1 AND seq <= $2", [this.id, acknowledged!]);
    const rows = await run(
      "SELECT seq, found_at, content FROM fxdesk_watch_changes WHERE watch = $1 ORDER BY seq LIMIT $2",
      [this.id, maxChanges],
    );
    return rows.map((row) => decodeChange(sealer, this.id, row, Number(delivered)));
  }

  /** Replaces the stored states and gaps by those of a read. */
  async #saveStates(
    { run, sealer }: StoreAccess,
    { updatedStates, removedIds, gaps }: ReadResult,
  ): Promise<void> {
    for (const key of [...removedIds.map(hashOf), ...(gaps.length > 0 ? [] : [gapsKey])])
      await run("DELETE FROM fxdesk_watch_states WHERE watch = $1 AND entry = $2", [this.id, key]);
    await insertRows(
      run,
      "fxdesk_watch_states (watch, entry, content)",
      encodeStates(sealer, this.id, updatedStates, gaps),
      "ON CONFLICT (watch, entry) DO UPDATE SET content = excluded.content",
    );
  }

  /** Detects a retry after a COMMIT whose response was lost. */
  async #isReadSaved(run: StatementRunner, version: number): Promise<boolean> {
    const rows = await run(
      "SELECT id FROM fxdesk_watches WHERE id = $1 AND lease_holder = $2 AND version = $3",
      [this.id, this.#holder, version + 1],
    );
    return rows.length > 0;
  }
}
