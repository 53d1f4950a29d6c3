/** Pacing: concurrency, rate and pauses of calls to each server. */
import type { Deadline } from "./deadline";
import { PauseTooLong, QueueFull } from "./transport-errors";
import { type RateLimiter, type WaitingQueue, minIntervalMsOf, MemoryRateLimiter } from "./rate-limiter";
import { FairQueue } from "./fair-queue";

/** Permit for one attempt to send a call. */
export interface Permit {
  /** Reports that the service accepted the call, whatever its response. */
  reportAccepted(): void;
  /** Reports a 429, with the pause requested by the service, if any. */
  reportRefused(retryAfterMs: number | undefined): void;
  /** Ends the attempt. Further calls have no effect. */
  release(): void;
}

/** Attributes of a call that affect its place in the queue. */
export interface PermitRequest {
  /** User the call is made for. Users are served round-robin. */
  readonly user?: string | undefined;
  /** True if the call is sent again. Retries go first. */
  readonly isRetry?: boolean;
}

/** Limits the calls of one or more clients, separately for each server. */
export interface Pacing {
  /**
   * Waits until a call to the server may be sent. Throws PauseTooLong immediately if a pause exceeds the deadline, QueueFull if
   * too many calls wait, or the error that ended the deadline.
   */
  acquire(server: string, deadline: Deadline, request?: PermitRequest): Permit | Promise<Permit>;
  /** Releases resources. They are acquired again on next use. */
  close?(): Promise<void>;
}

/** Limits of a MemoryPacing. */
export interface PacingLimits {
  /** Maximum number of concurrent calls per server. */
  readonly maxConcurrent: number;
  /** Calls per second and server, if known. Default: measured. */
  readonly perSecond?: number | undefined;
  /** Maximum number of waiting calls per server. Default: 10,000. */
  readonly maxQueueLength?: number;
}

export const defaultMaxQueueLength = 10_000;

interface WaitingCall {
  readonly deadline: Deadline;
  readonly user: string;
  resolve(permit: Permit): void;
  reject(error: Error): void;
}

const anonymousRequest: PermitRequest = {};

/** Queue and rate limiter of one server. */
class ServerQueue implements WaitingQueue {
  readonly rateLimiter: RateLimiter;
  readonly #waiting = new FairQueue<WaitingCall>();
  #inFlight = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly limits: PacingLimits,
    createRateLimiter: (queue: WaitingQueue) => RateLimiter,
  ) {
    this.rateLimiter = createRateLimiter(this);
  }

  get size(): number {
    return this.#waiting.size;
  }

  acquire(deadline: Deadline, request: PermitRequest): Permit | Promise<Permit> {
    const now = performance.now();
    if (this.#waiting.size === 0 && this.#inFlight < this.limits.maxConcurrent && this.#waitMs(now) <= 0)
      return this.#grant(now);
    return this.#enqueue(deadline, request);
  }

  release(): void {
    this.#inFlight -= 1;
    this.dispatch();
  }

  recordRefused(sentAt: number, retryAfterMs: number | undefined): void {
    const now = performance.now();
    this.rateLimiter.recordRefused(now, sentAt, retryAfterMs);
    this.#rejectWithoutTime(now);
    this.dispatch();
  }

  /** Admits waiting calls as far as concurrency and rate allow. */
  readonly dispatch = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#waiting.size > 0 && this.#inFlight < this.limits.maxConcurrent) {
      const now = performance.now();
      const waitMs = this.#waitMs(now);
      if (waitMs > 0) {
        this.#rejectWithoutTime(now);
        if (waitMs < Infinity && this.#waiting.size > 0)
          this.#timer = setTimeout(this.dispatch, Math.ceil(waitMs));
        return;
      }
      this.#waiting.dequeue()!.resolve(this.#grant(now));
    }
  };

  #waitMs(now: number): number {
    return this.rateLimiter.waitMs(now) ?? Infinity;
  }

  #grant(now: number): Permit {
    this.#inFlight += 1;
    this.rateLimiter.recordSent(now);
    return new ServerPermit(this, now);
  }

  async #enqueue(deadline: Deadline, { user = "", isRetry = false }: PermitRequest): Promise<Permit> {
    assertTimeForPause(this.rateLimiter.pausedUntil - performance.now(), deadline);
    const { maxQueueLength = defaultMaxQueueLength } = this.limits;
    if (this.#waiting.size >= maxQueueLength && !isRetry) throw new QueueFull(maxQueueLength);
    const permitPromise = deadline.waitFor<Permit>((resolve, reject) => {
      const waiting = { deadline, user, resolve, reject };
      this.#waiting.enqueue(waiting, user, isRetry);
      return () => this.#waiting.remove(waiting, user);
    });
    this.dispatch();
    const permit = await permitPromise;
    try {
      deadline.assertOpen();
      return permit;
    } catch (error) {
      permit.release();
      throw error;
    }
  }

  #rejectWithoutTime(now: number): void {
    const pauseMs = this.rateLimiter.pausedUntil - now;
    if (pauseMs <= 0) return;
    for (const waiting of this.#waiting) {
      if (pauseMs < waiting.deadline.remainingMs) continue;
      this.#waiting.remove(waiting, waiting.user);
      waiting.reject(new PauseTooLong(pauseMs));
    }
  }
}

function assertTimeForPause(pauseMs: number, deadline: Deadline): void {
  if (pauseMs > 0 && pauseMs >= deadline.remainingMs) throw new PauseTooLong(pauseMs);
}

class ServerPermit implements Permit {
  #isHeld = true;

  constructor(
    private readonly queue: ServerQueue,
    private readonly sentAt: number,
  ) {}

  reportAccepted(): void {
    this.queue.rateLimiter.recordAccepted(performance.now());
  }

  reportRefused(retryAfterMs: number | undefined): void {
    this.queue.recordRefused(this.sentAt, retryAfterMs);
  }

  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.queue.release();
  }
}

/** Pacing with a queue and a rate limiter per server. */
export class RateLimitedPacing implements Pacing {
  readonly #queues = new Map<string, ServerQueue>();

  constructor(
    private readonly limits: PacingLimits,
    private readonly createRateLimiter: (server: string, queue: WaitingQueue) => RateLimiter,
  ) {}

  acquire(server: string, deadline: Deadline, request = anonymousRequest): Permit | Promise<Permit> {
    let serverQueue = this.#queues.get(server);
    if (!serverQueue)
      this.#queues.set(
        server,
        (serverQueue = new ServerQueue(this.limits, (queue) => this.createRateLimiter(server, queue))),
      );
    return serverQueue.acquire(deadline, request);
  }

  async close(): Promise<void> {
    for (const { rateLimiter } of this.#queues.values()) await rateLimiter.close?.();
  }
}

/** Pacing in memory. Pass one instance to several clients to share their limits within a process. */
export class MemoryPacing extends RateLimitedPacing {
  constructor(maxConcurrent: number, limits: Omit<PacingLimits, "maxConcurrent"> = {}) {
    super({ ...limits, maxConcurrent }, () => new MemoryRateLimiter(minIntervalMsOf(limits)));
  }
}
