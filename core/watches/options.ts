/** What a watch is told when it is started, and what its consumer gets. */
import type { Change, WatchStart } from "../declaration/watch";

/** What a watch is at. */
export type WatchStatus =
  | { readonly state: "reading" }
  /** The next read is made then. */
  | { readonly state: "waiting"; readonly until: Date }
  /** Another process is at the same watch. */
  | { readonly state: "held" }
  /** A read failed, and is tried again then. */
  | { readonly state: "failed"; readonly error: Error; readonly until: Date }
  /** Something could not be read, which is looked for again with the next read. */
  | { readonly state: "incomplete"; readonly gaps: readonly string[] };

export interface WatchOptions {
  /**
   * Where it begins the first time: `now`, `beginning`, or a day, YYYY-MM-DD, for a watch whose entries have one. Later it
   * goes on where it was.
   */
  readonly from?: WatchStart;
  /** How long after one read the next is made, in milliseconds. */
  readonly everyMs?: number;
  /** Reads a day at most, over all processes and restarts, evenly over the day. */
  readonly readsPerDay?: number;
  /** Consumers of different names are each told all changes; those of one name share them. */
  readonly consumer?: string;
  /** How long a consumer may be at a change before another process tells it again, in milliseconds; 30 s by default. */
  readonly holdMs?: number;
  /** Ends it: the iterator is done. */
  readonly signal?: AbortSignal;
  /** Hears what it is at. */
  readonly onStatus?: (status: WatchStatus) => void;
}

/** A change that its consumer has in hand. It counts as heard when the consumer asks for the next one. */
export interface Delivery<E = unknown> extends Change<E> {
  /** It was heard, as were all before it: so says who does not ask for the next one. */
  ack(): Promise<void>;
}

export interface SinceOptions extends WatchOptions {
  /** The `next` of the response before, whose changes were all heard; none for the first. */
  readonly cursor?: string;
  /** How many changes at most; 100 by default. */
  readonly limit?: number;
}

/** Changes for who asks from time to time. */
export interface ChangeBatch<E = unknown> {
  readonly changes: readonly Change<E>[];
  /** Goes on after them. The same cursor again gives the same changes again, as repeated. */
  readonly next: string;
  /** Whether there may be more at once. */
  readonly hasMore: boolean;
  /** What the last read could not read. */
  readonly gaps: readonly string[];
}

/** What a watch would tell if it began now. */
export interface InitialChanges {
  readonly changes: readonly Omit<Change, "cursor">[];
  /** What could not be read. */
  readonly gaps: readonly string[];
}
