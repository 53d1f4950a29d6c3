/** Pacing: concurrency, rate and pauses of calls to each server. */
import type { Deadline } from "./deadline";
import { PauseTooLong, QueueFull } from "./transport-errors";
import { type RateLimiter, type WaitingQueue, minIntervalMsOf, MemoryRateLimiter } from "./rate-limiter";

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
  /** Releases resources. */
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
  resolve(permit: Permit): void;
  reject(error: Error): void;
}

/** Key of the calls that are sent again. */
const retries = Symbol("retries");

/** Queue that serves users round-robin, and the calls of each user in order. Retries go first. */
class FairQueue<T> {
  readonly #callsByUser = new Map<string | symbol, Set<T>>();
  size = 0;

  enqueue(call: T, user: string | symbol): void {
    this.size += 1;
    const calls = this.#callsByUser.get(user);
    if (calls) calls.add(call);
    else this.#callsByUser.set(user, new Set([call]));
  }

  remove(call: T): void {
    for (const [user, calls] of this.#callsByUser) {
      if (!calls.delete(call)) continue;
      this.size -= 1;
      if (calls.size === 0) this.#callsByUser.delete(user);
    }
  }

  /** Removes and returns the next call. The queue must not be empty. */
  dequeue(): T {
    const [user] = this.#callsByUser.has(retries) ? [retries] : this.#callsByUser.keys();
    const calls = this.#callsByUser.get(user!)!;
    const [first] = calls;
    this.remove(first!);
    // The user goes to the end of the round.
    if (this.#callsByUser.delete(user!)) this.#callsByUser.set(user!, calls);
    return first!;
  }

  *[Symbol.iterator](): Iterator<T> {
    for (const calls of this.#callsByUser.values()) yield* calls;
  }
}

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
      this.#waiting.dequeue().resolve(this.#grant(now));
    }
  };

  #waitMs(now: number): number {
    return this.rateLimiter.waitMs(now) ?? Infinity;
  }

  #grant(sentAt: number): Permit {
    this.#inFlight += 1;
    this.rateLimiter.recordSent(sentAt);
    let isHeld = true;
    return {
      reportAccepted: () => this.rateLimiter.recordAccepted(performance.now()),
      reportRefused: (retryAfterMs) => {
        const now = performance.now();
        this.rateLimiter.recordRefused(now, sentAt, retryAfterMs);
        this.#rejectWithoutTime(now);
        this.dispatch();
      },
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        this.#inFlight -= 1;
        this.dispatch();
      },
    };
  }

  async #enqueue(deadline: Deadline, { user = "", isRetry = false }: PermitRequest): Promise<Permit> {
    assertTimeForPause(this.rateLimiter.pausedUntil - performance.now(), deadline);
    const { maxQueueLength = defaultMaxQueueLength } = this.limits;
    if (this.#waiting.size >= maxQueueLength && !isRetry) throw new QueueFull(maxQueueLength);
    const permitPromise = deadline.waitFor<Permit>((resolve, reject) => {
      const waiting = { deadline, resolve, reject };
      this.#waiting.enqueue(waiting, isRetry ? retries : user);
      return () => this.#waiting.remove(waiting);
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
      this.#waiting.remove(waiting);
      waiting.reject(new PauseTooLong(pauseMs));
    }
  }
}

function assertTimeForPause(pauseMs: number, deadline: Deadline): void {
  if (pauseMs > 0 && pauseMs >= deadline.remainingMs) throw new PauseTooLong(pauseMs);
}

/** Pacing with a queue and a rate limiter per server. */
export class RateLimitedPacing implements Pacing {
  readonly #queues = new Map<string, ServerQueue>();

  constructor(
    private readonly limits: PacingLimits,
    private readonly createRateLimiter: (server: string, queue: WaitingQueue) => RateLimiter,
  ) {}

  acquire(server: string, deadline: Deadline, request: PermitRequest = {}): Permit | Promise<Permit> {
    const known = this.#queues.get(server);
    if (known) return known.acquire(deadline, request);
    const added = new ServerQueue(this.limits, (queue) => this.createRateLimiter(server, queue));
    this.#queues.set(server, added);
    return added.acquire(deadline, request);
  }
}

/** Pacing in memory. Pass one instance to several clients to share their limits within a process. */
export class MemoryPacing extends RateLimitedPacing {
  constructor(maxConcurrent: number, limits: Omit<PacingLimits, "maxConcurrent"> = {}) {
    super({ ...limits, maxConcurrent }, () => new MemoryRateLimiter(minIntervalMsOf(limits)));
  }
}
