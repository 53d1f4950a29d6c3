/**
 * The stored part of a watch, shared by all processes: the state of each entry, the changes that are not acknowledged
 * yet, the time of the next read, and the lease.
 */
import { createHash } from "node:crypto";
import type { ChangeKind, WatchState } from "../spec/watch";
import type { StoreSession } from "../store/session";
import type { Row, StatementRunner, Value } from "../store/database";
import type { StoreAccess } from "../store/open";

/** The stored state of an entry. */
export interface EntryState {
  readonly state: WatchState;
  /** YYYY-MM-DD, or empty. */
  readonly day: string;
}

export type EntryStates = ReadonlyMap<string, EntryState>;

/** A change found by a read. */
export interface FoundChange {
  readonly kind: ChangeKind;
  readonly id: string;
  readonly entry?: unknown;
  readonly before?: WatchState;
}

/** A stored change with its sequence number. */
export interface StoredChange extends FoundChange {
  readonly seq: number;
  /** Milliseconds since 1970 by the clock of the store. */
  readonly at: number;
  readonly repeated: boolean;
}

/** A read that is due. */
export interface DueRead {
  /** Milliseconds since 1970 by the clock of the store. */
  readonly now: number;
  /** Number of saved reads; detects concurrent ones. */
  readonly version: number;
  /** Day of the last complete read. */
  readonly readDay: string | undefined;
}

/** The next step of a watcher: deliver changes, read, or wait for the lease or the next read. */
export type NextStep =
  | { readonly kind: "deliver"; readonly changes: readonly StoredChange[] }
  | ({ readonly kind: "poll" } & DueRead)
  | { readonly kind: "wait"; readonly ms: number; readonly isHeld: boolean; readonly hasFailed: boolean };

/** The result of a read, to be saved. */
export interface ReadResult {
  readonly changes: readonly FoundChange[];
  readonly updatedStates: ReadonlyMap<string, EntryState>;
  readonly removedIds: readonly string[];
  /** Day of the read, if it was complete. */
  readonly readDay: string | undefined;
  /** Reasons why the read was incomplete; empty if complete. */
  readonly gaps: readonly string[];
}

interface StepRequest {
  /** Unique ID of the lease holder. */
  readonly holder: string;
  /** Duration of the lease. */
  readonly holdMs: number;
  /** Sequence number of the last acknowledged change. */
  readonly acknowledged: number;
  /** Maximum number of changes to return. */
  readonly maxChanges: number;
  /** Minimum interval between the starts of two reads, even if the first one never reports its end. */
  readonly minIntervalMs: number;
}

/** Key of the gaps of the last read in the table of states. Entries have hashes as keys, so it cannot collide. */
const gapsEntry = "gaps";

const maxRowsPerInsert = 100;

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

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

/** Acquires the lease atomically, unless another holder has it. */
const acquireLeaseSql = (now: string) => `
  UPDATE fxdesk_watches SET holder = $2, held_until = ${now} + $3,
    heard = CASE WHEN $4 > heard THEN $4 ELSE heard END
  WHERE id = $1 AND (holder = $2 OR held_until <= ${now})
  RETURNING *, ${now} AS moment`;

/** Repository of one watch in the store. */
export class WatchRepository {
  /** Hash of the watch's identity, so that the store does not reveal its input. */
  readonly id: string;

  constructor(
    private readonly store: StoreSession,
    private readonly name: string,
    identity: string,
  ) {
    this.id = hashOf(identity);
  }

  /** Records the acknowledgement and returns the next step. Acquires the lease if there is one to do. */
  nextStep({ holder, holdMs, acknowledged, maxChanges, minIntervalMs }: StepRequest): Promise<NextStep> {
    return this.store.use(({ database, sealer }) =>
      database.transaction<NextStep>(async (run) => {
        const acquireLease = () =>
          run(acquireLeaseSql(database.now), [this.id, holder, holdMs, acknowledged]);
        let [row] = await acquireLease();
        if (!row && (await this.#create(run))) [row] = await acquireLease();
        if (!row) return this.#leaseHeldByOther(run, database.now, acknowledged);
        const moment = Number(row.moment);
        const changes = await this.#pendingChanges({ run, sealer }, row, maxChanges);
        if (changes.length > 0) return { kind: "deliver", changes };
        const waitMs = Number(row.next_at) - moment;
        if (waitMs > 0) {
          await this.#releaseLease(run, holder);
          return { kind: "wait", ms: waitMs, isHeld: false, hasFailed: Number(row.failures) > 0 };
        }
        await run("UPDATE fxdesk_watches SET next_at = $2 WHERE id = $1", [this.id, moment + minIntervalMs]);
        const readDay = row.read_day === null ? undefined : String(row.read_day);
        return { kind: "poll", now: moment, version: Number(row.version), readDay };
      }),
    );
  }

  /** Marks changes as delivered before their delivery. Returns false if the holder has lost the lease. */
  markDelivered(holder: string, holdMs: number, delivered: number, acknowledged: number): Promise<boolean> {
    return this.store.use(async ({ database: { run, now } }) => {
      const rows = await run(
        `UPDATE fxdesk_watches SET held_until = ${now} + $3,
           told = CASE WHEN $4 > told THEN $4 ELSE told END, heard = CASE WHEN $5 > heard THEN $5 ELSE heard END
         WHERE id = $1 AND holder = $2 AND held_until > ${now} RETURNING id`,
        [this.id, holder, holdMs, delivered, acknowledged],
      );
      return rows.length > 0;
    });
  }

  /** Restarts the lease time of a holder. */
  async extendLease(holder: string, holdMs: number): Promise<void> {
    await this.store.use(({ database: { run, now } }) =>
      run(`UPDATE fxdesk_watches SET held_until = ${now} + $3 WHERE id = $1 AND holder = $2`, [
        this.id,
        holder,
        holdMs,
      ]),
    );
  }

  /** Returns the stored states by entry ID. */
  states(): Promise<EntryStates> {
    return this.store.use(async ({ database: { run }, sealer }) => {
      const rows = await run(
        "SELECT entry, content FROM fxdesk_watch_states WHERE watch = $1 AND entry <> $2",
        [this.id, gapsEntry],
      );
      return new Map(
        rows.map(({ entry, content }) => {
          const { id, ...known } = JSON.parse(
            sealer.unseal(String(content), this.#stateSealContext(String(entry))),
          ) as EntryState & { id: string };
          return [id, known];
        }),
      );
    });
  }

  /** Returns the gaps of the last read; empty if it was complete. */
  gaps(): Promise<readonly string[]> {
    return this.store.use(async ({ database: { run }, sealer }) => {
      const [row] = await run("SELECT content FROM fxdesk_watch_states WHERE watch = $1 AND entry = $2", [
        this.id,
        gapsEntry,
      ]);
      return row
        ? (JSON.parse(sealer.unseal(String(row.content), this.#stateSealContext(gapsEntry))) as string[])
        : [];
    });
  }

  /** Returns true if a change with this sequence number or a later one was delivered. */
  wasDelivered(seq: number): Promise<boolean> {
    return this.store.use(async ({ database: { run } }) => {
      const rows = await run("SELECT id FROM fxdesk_watches WHERE id = $1 AND told >= $2", [this.id, seq]);
      return rows.length > 0;
    });
  }

  /** Saves a read and schedules the next one. Returns false if the holder has lost the lease. */
  saveRead(
    holder: string,
    { version }: DueRead,
    { changes, updatedStates, removedIds, readDay, gaps }: ReadResult,
    nextReadAfterMs: number,
  ): Promise<boolean> {
    return this.store.use(({ database, sealer }) =>
      database.transaction(async (run) => {
        const [row] = await run(
          `UPDATE fxdesk_watches SET version = version + 1, seq = seq + $4, read_day = coalesce($5, read_day), failures = 0,
             next_at = CASE WHEN ${database.now} + $6 > next_at THEN ${database.now} + $6 ELSE next_at END
           WHERE id = $1 AND holder = $2 AND version = $3 RETURNING seq, ${database.now} AS moment`,
          [this.id, holder, version, changes.length, readDay ?? null, nextReadAfterMs],
        );
        if (!row) return this.#isReadSaved(run, holder, version);
        const before = Number(row.seq) - changes.length;
        for (const entry of [...removedIds.map(hashOf), ...(gaps.length > 0 ? [] : [gapsEntry])])
          await run("DELETE FROM fxdesk_watch_states WHERE watch = $1 AND entry = $2", [this.id, entry]);
        const stateRow = (entry: string, state: unknown) => [
          this.id,
          entry,
          sealer.seal(JSON.stringify(state), this.#stateSealContext(entry)),
        ];
        const states = [...updatedStates].map(([id, known]) => stateRow(hashOf(id), { id, ...known }));
        if (gaps.length > 0) states.push(stateRow(gapsEntry, gaps));
        await insertRows(
          run,
          "fxdesk_watch_states (watch, entry, content)",
          states,
          "ON CONFLICT (watch, entry) DO UPDATE SET content = excluded.content",
        );
        const found = changes.map((change, index) => {
          const number = before + 1 + index;
          const content = sealer.seal(JSON.stringify(change), this.#changeSealContext(number));
          return [this.id, number, row.moment!, content];
        });
        await insertRows(run, "fxdesk_watch_changes (watch, seq, found_at, content)", found);
        return true;
      }),
    );
  }

  /** Records a failed read and schedules a retry with backoff. Returns the pause in milliseconds. */
  recordFailure(holder: string, backoffMs: (failures: number) => number): Promise<number> {
    return this.store.use(({ database }) =>
      database.transaction(async (run) => {
        const [row] = await run(
          `UPDATE fxdesk_watches SET failures = failures + 1, held_until = 0 WHERE id = $1 AND holder = $2
           RETURNING failures, next_at, ${database.now} AS moment`,
          [this.id, holder],
        );
        if (!row) return 0;
        const moment = Number(row.moment);
        const nextAt = Math.max(Number(row.next_at), moment + Math.ceil(backoffMs(Number(row.failures))));
        await run("UPDATE fxdesk_watches SET next_at = $2 WHERE id = $1", [this.id, nextAt]);
        return nextAt - moment;
      }),
    );
  }

  /** Acknowledges all changes up to this one. */
  async acknowledge(seq: number): Promise<void> {
    await this.store.use(({ database: { run } }) => this.#recordAcknowledged(run, seq));
  }

  /** Releases the lease. */
  async releaseLease(holder: string): Promise<void> {
    await this.store.use(({ database: { run } }) => this.#releaseLease(run, holder));
  }

  #stateSealContext(entry: string): string {
    return `fxdesk_watch_states ${this.id} ${entry}`;
  }

  #changeSealContext(seq: number): string {
    return `fxdesk_watch_changes ${this.id} ${seq}`;
  }

  /** Creates the watch. Returns false if it exists. */
  async #create(run: StatementRunner): Promise<boolean> {
    const rows = await run(
      `INSERT INTO fxdesk_watches (id, name, version, seq, told, heard, next_at, failures, holder, held_until)
       VALUES ($1, $2, 0, 0, 0, 0, 0, 0, '', 0) ON CONFLICT (id) DO NOTHING RETURNING id`,
      [this.id, this.name],
    );
    return rows.length > 0;
  }

  /** Records the acknowledgement and returns the remaining time of the other holder's lease. */
  async #leaseHeldByOther(run: StatementRunner, now: string, acknowledged: number): Promise<NextStep> {
    await this.#recordAcknowledged(run, acknowledged);
    const [row] = await run(
      `SELECT held_until - ${now} AS held_ms, failures FROM fxdesk_watches WHERE id = $1`,
      [this.id],
    );
    const { held_ms: ms, failures } = row!;
    return { kind: "wait", ms: Math.max(1, Number(ms)), isHeld: true, hasFailed: Number(failures) > 0 };
  }

  /** Detects a retry after a COMMIT whose response was lost. */
  async #isReadSaved(run: StatementRunner, holder: string, version: number): Promise<boolean> {
    const rows = await run("SELECT id FROM fxdesk_watches WHERE id = $1 AND holder = $2 AND version = $3", [
      this.id,
      holder,
      version + 1,
    ]);
    return rows.length > 0;
  }

  async #recordAcknowledged(run: StatementRunner, acknowledged: number): Promise<void> {
    await run("UPDATE fxdesk_watches SET heard = $2 WHERE id = $1 AND heard < $2", [this.id, acknowledged]);
  }

  async #releaseLease(run: StatementRunner, holder: string): Promise<void> {
    await run("UPDATE fxdesk_watches SET held_until = 0 WHERE id = $1 AND holder = $2 AND held_until > 0", [
      this.id,
      holder,
    ]);
  }

  /** Deletes acknowledged changes and returns the others, oldest first. */
  async #pendingChanges(
    { run, sealer }: StoreAccess,
    { heard, told }: Row,
    maxChanges: number,
  ): Promise<StoredChange[]> {
    await run("DELETE FROM fxdesk_watch_changes WHERE watch = $1 AND seq <= $2", [this.id, heard!]);
    const rows = await run(
      "SELECT seq, found_at, content FROM fxdesk_watch_changes WHERE watch = $1 ORDER BY seq LIMIT $2",
      [this.id, maxChanges],
    );
    return rows.map(({ seq, found_at: at, content }) => ({
      ...(JSON.parse(sealer.unseal(String(content), this.#changeSealContext(Number(seq)))) as FoundChange),
      seq: Number(seq),
      at: Number(at),
      repeated: Number(seq) <= Number(told),
    }));
  }
}
