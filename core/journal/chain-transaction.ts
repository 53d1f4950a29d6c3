/**
 * One transaction on the chain of an environment: it reads the entries of all its operations in one round trip, decides in
 * memory, and writes everything in another.
 */
import type {
  BatchRunner,
  MomentAccess,
  Row,
  Statement,
  StatementRunner,
  TransactionOptions,
} from "../store/database";
import { type Halt, haltQuery, toHalt } from "../store/halt";
import type { Store } from "../store/open";
import type { Sealer } from "../store/sealer";
import { closeRow, openRow } from "../store/rows";
import { assertSchemaVersion, eventsTable, schemaVersionQuery } from "../store/schema";
import { canonicalJson } from "../values/json";
import {
  anyEventQuery,
  entriesQuery,
  missingRow,
  type StoredEntry,
  toStoredEntry,
  writeEntryRow,
} from "./entry-rows";
import type { Checkpoints } from "./checkpoints";
import { restoreQueries, type RestoreState, toRestoreState } from "./restore-state";
import { environmentsQuery } from "./events";
import {
  type ChainEvent,
  type ChainHead,
  emptyHead,
  type EventDetails,
  type EventKind,
  hashDetails,
  hashStoredEvent,
  sealDetails,
} from "./hash-chain";

/** A step of an entry. It may run again if the COMMIT response was lost, so it must detect what it already wrote. */
export interface ChainOperation<T> {
  /** ID of the entry; undefined for the store itself. */
  readonly id?: string;
  /** An `entriesQuery` for other entries that it reads. */
  readonly others?: Statement | undefined;
  readonly apply: (chain: ChainTransaction, found: StoredEntry | undefined) => T | Promise<T>;
  /** True if it lets a call be sent, which a restored store does not. */
  readonly isSend?: boolean;
  /** True if it must exclude the transactions of all environments, for example because it changes a release. */
  readonly isExclusive?: boolean;
}

/** An event as appended. */
export interface AppendedEvent extends ChainHead {
  readonly at: number;
  readonly content: ChainEvent["content"];
}

export class ChainTransaction implements MomentAccess {
  readonly moment: number;
  readonly #entries = new Map<string, StoredEntry>();
  #changedIds = new Set<string>();
  #writes: Statement[] = [];

  constructor(
    readonly environment: string,
    readonly sealer: Sealer,
    private readonly runAll: BatchRunner,
    clock: Row,
    /** The halt in force. */
    readonly halt: Halt | undefined,
    /** Its missing checkpoints are those of operations that send. */
    readonly restoreState: RestoreState,
    /** The environment that has this one's address, if it is another; for operations that send. */
    readonly sameAddress: string | undefined,
  ) {
    this.moment = Number(clock.moment);
    this.#head = clock.hash === null ? emptyHead : { seq: Number(clock.seq), hash: String(clock.hash) };
  }

  #head: ChainHead;

  /** The last event, including those that are not written yet. */
  get head(): ChainHead {
    return this.#head;
  }

  /** Runs a statement after everything that was appended and saved so far. */
  readonly run: StatementRunner = async (sql, values = []) =>
    (await this.runAll([...this.takeWrites(), { sql, values }])).at(-1)!;

  find(id: string): StoredEntry | undefined {
    return this.#entries.get(id);
  }

  /** Returns all entries that were read or saved, oldest first. */
  list(): readonly StoredEntry[] {
    return [...this.#entries.values()].toSorted((one, other) => one.row.intent_seq - other.row.intent_seq);
  }

  /** Remembers an entry as read. */
  addRead(found: StoredEntry): void {
    this.#entries.set(found.row.id, found);
  }

  /** Writes a statement in the order of the events. */
  write(statement: Statement): void {
    this.#writes.push(statement);
  }

  /** Stores the new state of an entry. */
  save(changed: StoredEntry): void {
    this.addRead(changed);
    this.#changedIds.add(changed.row.id);
  }

  /** Appends an event whose content includes the hash of its details. */
  append(
    entry: string,
    kind: EventKind,
    facts: ChainEvent["content"],
    details?: EventDetails,
  ): AppendedEvent {
    const { environment, moment: at } = this;
    const content = details ? { ...facts, details: hashDetails(details) } : facts;
    const text = canonicalJson(content);
    const seq = this.#head.seq + 1;
    const hash = hashStoredEvent(this.#head.hash, { environment, seq, entry, kind, at, content: text });
    const row = closeRow(
      eventsTable,
      { environment, seq, entry, kind, at, content: text, hash },
      this.sealer,
    );
    this.write({
      sql: `INSERT INTO fxdesk_journal_events (environment, seq, entry, kind, at, content, hash, row_hash)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      values: Object.values(row),
    });
    if (details)
      this.write({
        sql: "INSERT INTO fxdesk_journal_details (environment, seq, content) VALUES ($1, $2, $3)",
        values: [environment, seq, sealDetails(this, environment, seq, details)],
      });
    this.#head = { seq, hash };
    return { seq, hash, at, content: JSON.parse(text) as ChainEvent["content"] };
  }

  /** Returns the statements that are not run yet. The caller runs them. */
  takeWrites(): readonly Statement[] {
    const rows = [...this.#changedIds].map((id) => writeEntryRow(this.sealer, this.#entries.get(id)!.row));
    const writes = [...this.#writes, ...rows];
    this.#changedIds = new Set();
    this.#writes = [];
    return writes;
  }
}

/** Opens an event of an outer join; undefined if there is none. Throws if it was changed or written without the store key. */
const openStoredEvent = (row: Row, sealer: Sealer): Row | undefined =>
  row.hash === null ? undefined : openRow(eventsTable, row, sealer);

/** Returns the address of an environment, which may have a name before it. */
const addressOf = (environment: string): string => environment.slice(environment.indexOf(" ") + 1);

/**
 * Returns the environment to which the address of an environment belongs, if that is another: the one with the oldest chain. A
 * key under two names of one address would be sent twice.
 */
function findSameAddress(
  environment: string,
  environments: readonly Row[],
  sealer: Sealer,
): string | undefined {
  const address = addressOf(environment);
  const [oldest] = environments
    .filter(({ chain }) => addressOf(String(chain)) === address)
    .map(({ chain, ...first }) => ({ chain, at: Number(openStoredEvent(first, sealer)?.at ?? 0) }))
    .toSorted((one, other) => one.at - other.at);
  return oldest && oldest.chain !== environment ? String(oldest.chain) : undefined;
}

const clockQuery = (now: string, environment: string): Statement => ({
  sql: `SELECT ${now} AS moment, e.* FROM (SELECT 1 AS one) AS always
    LEFT JOIN fxdesk_journal_events AS e ON e.environment = $1
      AND e.seq = (SELECT max(seq) FROM fxdesk_journal_events WHERE environment = $1)`,
  values: [environment],
});

/** Returns the statements that read an entry, and show whether its row was removed. */
const entryQueries = (environment: string, id: string): readonly Statement[] => [
  entriesQuery("WHERE e.id = $1 AND e.environment = $2", [id, environment]),
  anyEventQuery(id),
];

interface WriteOptions extends Pick<TransactionOptions, "durable"> {
  /** Needed for operations that send. */
  readonly checkpoints?: Checkpoints;
}

/**
 * Applies operations on the entries of one environment, all or none, and returns their results. No other process appends to the
 * chain meanwhile. Throws if an entry was changed in the store, or its schema is another one.
 */
export const writeChain = <const T extends readonly unknown[]>(
  { database, id: storeId, now, sealer }: Store,
  environment: string,
  operations: { readonly [Index in keyof T]: ChainOperation<T[Index]> },
  { checkpoints, durable }: WriteOptions = {},
): Promise<{ readonly results: T; readonly head: ChainHead }> => {
  const ids = [...new Set(operations.flatMap(({ id }) => id ?? []))];
  const others = operations.flatMap((operation) => operation.others ?? []);
  const isSend = operations.some((operation) => operation.isSend);
  const noted = isSend && checkpoints ? checkpoints.list(storeId) : [];
  const restoreReads = restoreQueries(environment, noted);
  return database.transactInPhases(
    {
      reads: [
        clockQuery(now, environment),
        schemaVersionQuery,
        haltQuery(environment),
        ...(isSend ? [environmentsQuery] : []),
        ...ids.flatMap((id) => entryQueries(environment, id)),
        ...others,
        ...restoreReads,
      ],
      async decide([clock, version, halts, ...read], runAll) {
        assertSchemaVersion(version!);
        const { moment: _, ...head } = clock![0]!;
        // Not for outcomes, which are recorded whatever was appended before them.
        if (isSend) openStoredEvent(head, sealer);
        const [environments = [], ...found] = isSend ? read : [[], ...read];
        const restoreState = toRestoreState(sealer, found.slice(2 * ids.length + others.length), noted);
        const chain = new ChainTransaction(
          environment,
          sealer,
          runAll,
          clock![0]!,
          toHalt({ sealer }, halts!),
          restoreState,
          findSameAddress(environment, environments, sealer),
        );
        ids.forEach((id, index) => {
          const [[row], events] = [found[2 * index]!, found[2 * index + 1]!];
          if (row) chain.addRead(toStoredEntry(chain, row));
          else if (events.length > 0) throw missingRow(id);
        });
        for (const rows of found.slice(2 * ids.length, 2 * ids.length + others.length))
          for (const row of rows) if (!chain.find(String(row.id))) chain.addRead(toStoredEntry(chain, row));
        const results: unknown[] = [];
        for (const { id, apply } of operations)
          results.push(await apply(chain, id === undefined ? undefined : chain.find(id)));
        return {
          writes: chain.takeWrites(),
          result: { results: results as unknown as T, head: chain.head },
        };
      },
    },
    {
      ...(durable && { durable }),
      scope: operations.some(({ isExclusive }) => isExclusive) ? undefined : environment,
    },
  );
};
