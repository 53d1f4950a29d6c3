/** Between a pacing and what knows the pace of one server. */

/** What says when the next call to a server may go. */
export interface RateLimiter {
  /** No call goes before. */
  readonly pausedUntil: number;
  /** How long until the next call may go, 0 or less for now; undefined where nobody knows yet, and `open` is called then. */
  waitMs(now: number): number | undefined;
  /** A call goes. */
  recordSent(now: number): void;
  recordAccepted(now: number): void;
  recordRefused(now: number, sentAt: number, retryAfterMs: number | undefined): void;
  close?(): Promise<void>;
}

/** What a gate knows of the calls before it. */
export interface WaitingQueue {
  readonly size: number;
  /** The gate knows more than before. */
  dispatch(): void;
}
