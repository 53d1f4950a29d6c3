/** Options of watches, and the changes that consumers receive. */
import type { Change, WatchStart } from "../spec/watch";

/** The status of a watch. */
export type WatchStatus =
  /** `isContinued` is true if the watch has saved states, so that `from` has no effect. */
  | { readonly state: "reading"; readonly isContinued: boolean }
  /** Waiting for the next read, at `until`. */
  | { readonly state: "waiting"; readonly until: Date }
  /** Another process holds the lease of the same watch. */
  | { readonly state: "held" }
  /** A read failed and is retried at `until`. */
  | { readonly state: "failed"; readonly error: Error; readonly until: Date }
  /** The last read was incomplete. The next read retries what is missing. */
  | { readonly state: "incomplete"; readonly gaps: readonly string[] };

/** Options of a watch. */
export interface WatchOptions {
  /**
   * Start of a new watch: `now`, `beginning`, or a day, YYYY-MM-DD, if its entries have one. A watch that already has
   * stored states continues from there. Default: the watch's `defaultStart`.
   */
  readonly from?: WatchStart;
  /** Interval between two reads, in milliseconds. Default: the watch's `everyMs`. */
  readonly everyMs?: number;
  /** Maximum reads per day, evenly spread, over all processes and restarts. Default: no limit. */
  readonly readsPerDay?: number;
  /**
   * Name of the consumer. Consumers with different names each receive all changes; those with the same name share
   * them.
   */
  readonly consumer?: string;
  /**
   * Lease time in milliseconds: if a change is not acknowledged in time, another process may deliver it again. Default:
   * 30,000.
   */
  readonly holdMs?: number;
  /** Ends the watch and its iterator. */
  readonly signal?: AbortSignal;
  /** Called at every change of status. */
  readonly onStatus?: (status: WatchStatus) => void;
}

/** A delivered change. Requesting the next one acknowledges it. */
export interface Delivery<E = unknown> extends Change<E> {
  /** Acknowledges this change and all before it, without requesting the next one. */
  ack(): Promise<void>;
}

/** Options of `since`. */
export interface SinceOptions extends WatchOptions {
  /** `next` of the previous batch, which acknowledges its changes. Omit it in the first call. */
  readonly cursor?: string;
  /** Maximum number of changes. Default: 100. */
  readonly limit?: number;
}

/** A batch of changes, returned by `since`. */
export interface ChangeBatch<E = unknown> {
  readonly changes: readonly Change<E>[];
  /** Cursor for the next batch. Passing the previous cursor again returns the same changes with `repeated: true`. */
  readonly next: string;
  /** True if more changes may be available now. */
  readonly hasMore: boolean;
  /** Reasons why the last read was incomplete; empty if complete. */
  readonly gaps: readonly string[];
}

/** The changes that a watch would report if it started now. */
export interface InitialChanges {
  readonly changes: readonly Omit<Change, "cursor">[];
  /** Reasons why the read was incomplete; empty if complete. */
  readonly gaps: readonly string[];
}
