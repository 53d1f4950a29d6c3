/** The interface of a database: the same tables and statements for SQLite and PostgreSQL. */
import type { Sealer } from "./sealer";

export type Value = string | number | null;
export type Row = Readonly<Record<string, Value>>;

/** Runs one statement with parameters $1, $2 …. Its changes are durable when the promise resolves. */
export type StatementRunner = (sql: string, values?: readonly Value[]) => Promise<readonly Row[]>;

export interface Statement {
  readonly sql: string;
  readonly values?: readonly Value[];
}

/** Runs statements in order, if possible in one round trip. Returns the rows of each. */
export type BatchRunner = (statements: readonly Statement[]) => Promise<readonly (readonly Row[])[]>;

/** A transaction in two round trips: one reads, the other writes and commits. */
export interface TransactionPhases<T> {
  readonly reads: readonly Statement[];
  /** Decides what to write, given the rows of each read. `runAll` runs further statements in the transaction. */
  readonly decide: (
    rows: readonly (readonly Row[])[],
    runAll: BatchRunner,
  ) => Promise<{ readonly writes: readonly Statement[]; readonly result: T }>;
}

export interface TransactionOptions {
  /**
   * Excludes only transactions with the same scope, and those without one. By default all are excluded. SQLite always excludes
   * all.
   */
  readonly scope?: string | undefined;
  /** `later`: visible at once, durable with the next durable transaction. Default `now`. */
  readonly durable?: "now" | "later";
}

export interface Database {
  /** Engine and location, without secrets. */
  readonly description: string;
  /** SQL expression for the database's clock, in milliseconds since 1970. */
  readonly now: string;
  /** SQL query for the names of the tables. */
  readonly tablesQuery: string;
  readonly run: StatementRunner;
  /**
   * Runs statements in one transaction that excludes those of all other processes. No other statement may run on this connection
   * meanwhile. When the promise resolves, the changes are visible to all processes. With `durable: "later"` they survive a power
   * failure only after the next durable transaction.
   */
  transaction<T>(work: (run: StatementRunner) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Runs a transaction like `transaction`, in as few round trips as possible. */
  transactInPhases<T>(phases: TransactionPhases<T>, options?: TransactionOptions): Promise<T>;
  /** Removes deleted data from the engine's log, where it has one of its own. Throws if another process prevents that. */
  emptyLog(): Promise<void>;
  /** Returns faults that the engine finds in its files, one line each; empty if there are none. */
  findFaults(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Access to the tables of a store: in a transaction, or directly. */
export interface StoreAccess {
  readonly run: StatementRunner;
  readonly sealer: Sealer;
}

/** Access to a store at one moment of its clock. */
export interface MomentAccess extends StoreAccess {
  /** Milliseconds since 1970, by the clock of the store. */
  readonly moment: number;
}

/** The store transaction in which a call becomes `sent`. It excludes all other writers. */
export interface SendTransaction extends MomentAccess {
  /** ID of the call's journal entry. */
  readonly entry: string;
}

/** An amount that counts towards the limit of a day. */
export interface Commitment {
  /** What the limit is for, for example a client of a service. */
  readonly scope: string;
  /** YYYY-MM-DD in the time zone of the policy. */
  readonly day: string;
  /** Decimal number in the currency of the policy. */
  readonly amount: string;
}

/** Facts that the hash chain records with a call that is sent. */
export interface SentFacts {
  /** ID of the release that allows the call. */
  readonly release?: string | undefined;
  /** Hash of the released request, and the signatures of all decisions on it. */
  readonly request?: string | undefined;
  readonly decisions?: readonly string[] | undefined;
  /** SHA-256 of the policy file that applied, in hex. */
  readonly policy?: string | undefined;
  readonly commitments?: readonly Commitment[] | undefined;
}

/**
 * Checks and writes in the transaction in which a call becomes `sent`, and returns what to record. If it throws, the call is not
 * sent.
 */
export type SendGuard = (transaction: SendTransaction) => Promise<SentFacts | void>;

/** Returns the phases of a transaction whose statements depend on each other. */
export const wholeTransaction = <T>(
  work: (run: StatementRunner) => Promise<T>,
  run: StatementRunner,
): TransactionPhases<T> => ({ reads: [], decide: async () => ({ writes: [], result: await work(run) }) });
