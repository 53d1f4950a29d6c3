/** When a call may go: how many at once, how fast one after the other, and not while the service wants none. */
import type { Deadline } from "./deadline";
import { PauseTooLong, QueueFull } from "./transport-errors";
import type { RateLimiter, WaitingQueue } from "./rate-limiter";
import { minIntervalMsOf, MemoryRateLimiter } from "./memory-rate-limiter";
import { FairQueue } from "./fair-queue";

/** The place of a call among those that are under way. */
export interface Permit {
  /** The service took the call, whatever it responded. */
  reportAccepted(): void;
  /** The service refused it as one too many (429), and asks for this pause where it says how long. */
  reportRefused(retryAfterMs: number | undefined): void;
  /** Gives the place back. */
  release(): void;
}

/** For whom a call is made, and whether it is one that had its turn and is sent again. */
export interface PermitRequest {
  readonly user?: string | undefined;
  readonly isRetry?: boolean;
}

/** Keeps the calls of one or more clients to a pace, for each server by itself. */
export interface Pacing {
  /**
   * Waits until a call to a server may go. Throws Paused at once when that is later than the deadline, QueueFull when too
   * many calls wait, or what the deadline ends the wait with.
   */
  acquire(server: string, deadline: Deadline, request?: PermitRequest): Permit | Promise<Permit>;
  /** Lets go of what it holds until it is used again. */
  close?(): Promise<void>;
}

export interface PacingLimits {
  /** Calls to one server at once. */
  readonly maxConcurrent: number;
  /** Calls a second to one server, where that is known; else it is found out. */
  readonly perSecond?: number | undefined;
  /** Calls that wait at most. */
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

/** The calls to one server. */
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

  /** Lets go who may. */
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

/** Calls wait in the order in which they came, users in turn, for places and for a gate. */
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

/** The pace of this process. */
export class MemoryPacing extends RateLimitedPacing {
  constructor(maxConcurrent: number, limits: Omit<PacingLimits, "maxConcurrent"> = {}) {
    super({ ...limits, maxConcurrent }, () => new MemoryRateLimiter(minIntervalMsOf(limits)));
  }
}
