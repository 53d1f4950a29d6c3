/**
 * What the store keeps of a watch, for all processes that share it: what counted of each entry, the changes that nobody has
 * heard yet, when the next read is due, and who is at it.
 */
import { createHash } from "node:crypto";
import type { ChangeKind, WatchState } from "../declaration/watch";
import type { StoreSession } from "../journal/store-session";
import type { Row, StatementRunner, Value } from "../store/database";
import type { StoreAccess } from "../journal/entry-rows";

/** What is kept of an entry. */
export interface EntryState {
  readonly state: WatchState;
  /** YYYY-MM-DD, or empty. */
  readonly day: string;
}

export type EntryStates = ReadonlyMap<string, EntryState>;

/** A change as it was found. */
export interface FoundChange {
  readonly kind: ChangeKind;
  readonly id: string;
  readonly entry?: unknown;
  readonly before?: WatchState;
}

/** A change as it is told. */
export interface StoredChange extends FoundChange {
  readonly seq: number;
  /** Milliseconds since 1970 by the clock of the store. */
  readonly at: number;
  readonly repeated: boolean;
}

/** A read that is to be made. */
export interface DueRead {
  /** Milliseconds since 1970 by the clock of the store. */
  readonly now: number;
  /** Grows with each read that is kept; 0 where there was none. */
  readonly version: number;
  /** The day of the last one that was complete. */
  readonly readDay: string | undefined;
}

/** What there is to do: changes to tell, a read to make, or nothing for so long, because somebody else is at it or by time. */
export type NextStep =
  | { readonly kind: "deliver"; readonly changes: readonly StoredChange[] }
  | ({ readonly kind: "poll" } & DueRead)
  | { readonly kind: "wait"; readonly ms: number; readonly isHeld: boolean; readonly hasFailed: boolean };

/** What a read found, as it is kept. */
export interface ReadResult {
  readonly changes: readonly FoundChange[];
  readonly updatedStates: ReadonlyMap<string, EntryState>;
  readonly removedIds: readonly string[];
  /** The day of the read, where it was complete. */
  readonly readDay: string | undefined;
  /** What could not be read. */
  readonly gaps: readonly string[];
}

interface StepRequest {
  /** Who takes the turn: a name that nobody else has. */
  readonly holder: string;
  /** How long it is his. */
  readonly holdMs: number;
  /** The number of the last change that was heard. */
  readonly acknowledged: number;
  /** How many changes are taken at once at most. */
  readonly maxChanges: number;
  /** How long after a read that was begun the next may begin, even where nobody hears how the first one ended. */
  readonly minIntervalMs: number;
}

/** What the last read could not read is kept as an entry is, at a place that no hash has. */
const gapsEntry = "gaps";

/** How many rows one statement writes. */
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

/** Gives the watch to a holder, unless it is somebody else's. Also where two want it at once it is one's alone. */
const acquireLeaseSql = (now: string) => `
  UPDATE fxdesk_watches SET holder = $2, held_until = ${now} + $3,
    heard = CASE WHEN $4 > heard THEN $4 ELSE heard END
  WHERE id = $1 AND (holder = $2 OR held_until <= ${now})
  RETURNING *, ${now} AS moment`;

export class WatchRepository {
  /** Whatever it is of: nobody can tell that from it. */
  readonly id: string;

  constructor(
    private readonly store: StoreSession,
    private readonly name: string,
    identity: string,
  ) {
    this.id = hashOf(identity);
  }

  /** Notes what was heard, and takes what there is to do. */
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

  /** Marks changes as told up to a number, before they are; false where they are no longer the holder's to tell. */
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

  /** Begins the time of a holder anew. */
  async extendLease(holder: string, holdMs: number): Promise<void> {
    await this.store.use(({ database: { run, now } }) =>
      run(`UPDATE fxdesk_watches SET held_until = ${now} + $3 WHERE id = $1 AND holder = $2`, [
        this.id,
        holder,
        holdMs,
      ]),
    );
  }

  /** What was kept of the entries. */
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

  /** What the last read could not read; none where it was complete. */
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

  /** Whether anybody was told a change of this number, or of a later one. */
  wasDelivered(seq: number): Promise<boolean> {
    return this.store.use(async ({ database: { run } }) => {
      const rows = await run("SELECT id FROM fxdesk_watches WHERE id = $1 AND told >= $2", [this.id, seq]);
      return rows.length > 0;
    });
  }

  /** Keeps what a read found; false where it is no longer the holder's. The next read is due after so long. */
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

  /** A read has failed: it is tried again after a pause that grows with each failure. Returns that pause, in milliseconds. */
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

  /** All changes up to this one were heard. */
  async acknowledge(seq: number): Promise<void> {
    await this.store.use(({ database: { run } }) => this.#recordAcknowledged(run, seq));
  }

  /** Leaves the rest to whoever comes next. */
  async releaseLease(holder: string): Promise<void> {
    await this.store.use(({ database: { run } }) => this.#releaseLease(run, holder));
  }

  #stateSealContext(entry: string): string {
    return `fxdesk_watch_states ${this.id} ${entry}`;
  }

  #changeSealContext(seq: number): string {
    return `fxdesk_watch_changes ${this.id} ${seq}`;
  }

  /** Whether the watch was begun just now. */
  async #create(run: StatementRunner): Promise<boolean> {
    const rows = await run(
      `INSERT INTO fxdesk_watches (id, name, version, seq, told, heard, next_at, failures, holder, held_until)
       VALUES ($1, $2, 0, 0, 0, 0, 0, 0, '', 0) ON CONFLICT (id) DO NOTHING RETURNING id`,
      [this.id, this.name],
    );
    return rows.length > 0;
  }

  /** Somebody else is at it; what was heard counts all the same. */
  async #leaseHeldByOther(run: StatementRunner, now: string, acknowledged: number): Promise<NextStep> {
    await this.#recordAcknowledged(run, acknowledged);
    const [row] = await run(
      `SELECT held_until - ${now} AS held_ms, failures FROM fxdesk_watches WHERE id = $1`,
      [this.id],
    );
    const { held_ms: ms, failures } = row!;
    return { kind: "wait", ms: Math.max(1, Number(ms)), isHeld: true, hasFailed: Number(failures) > 0 };
  }

  /** A commit whose response was lost has happened. */
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

  /** The changes that nobody has heard, oldest first; those that were are removed. */
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
