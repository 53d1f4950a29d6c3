/** Decides when the next call to a server may be sent. */
export interface RateLimiter {
  /** End of the current pause. */
  readonly pausedUntil: number;
  /** Returns the time until the next call; 0 or less for now. Undefined if unknown yet: `dispatch` is called later. */
  waitMs(now: number): number | undefined;
  /** Records an admitted call. */
  recordSent(now: number): void;
  recordAccepted(now: number): void;
  recordRefused(now: number, sentAt: number, retryAfterMs: number | undefined): void;
  close?(): Promise<void>;
}

/** Queue in front of a rate limiter. */
export interface WaitingQueue {
  readonly size: number;
  /** Called when the rate limiter has new information. */
  dispatch(): void;
}
