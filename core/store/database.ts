/** A database as the store needs it: the same tables and statements whichever engine keeps them. */

export type Value = string | number | null;
export type Row = Readonly<Record<string, Value>>;

/** Runs one statement, whose parameters are $1, $2 …; what it changed is durable when it resolves. */
export type StatementRunner = (sql: string, values?: readonly Value[]) => Promise<readonly Row[]>;

export interface TransactionOptions {
  /** "now" by default. */
  readonly durable?: "now" | "later";
}

export interface Database {
  /** What and where it is, in words that hold no secret. */
  readonly description: string;
  /** The time by the database's clock as an expression of SQL: milliseconds since 1970. */
  readonly now: string;
  readonly run: StatementRunner;
  /**
   * Runs statements as one: all of them or none, and those of one process at a time. Nothing else may run meanwhile. What
   * they changed is in force for all when it resolves; `durable: "later"` leaves it to the next such call to make it last,
   * also where the machine stops.
   */
  transaction<T>(work: (run: StatementRunner) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** What the engine finds broken in its own files, one line each; none where it is sound. */
  findFaults(): Promise<readonly string[]>;
  close(): Promise<void>;
}
