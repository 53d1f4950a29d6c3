/** Pacing shared by all processes that use one store. Limits learned by one apply to all. */
import { StoreSession } from "../store/session";
import type { Database } from "../store/database";
import { createPace, updatePace, openPaceStore, type Pace, reserveCalls } from "../store/shared-pace";
import type { StoreSettings } from "../store/settings";
import {
  type RateLimiter,
  type WaitingQueue,
  timerToleranceMs,
  minIntervalMsOf,
  MemoryRateLimiter,
} from "./rate-limiter";
import { RateLimitedPacing, type PacingLimits } from "./pacing";
import { increaseRate, type CallRate, createCallRate, applyRefusal } from "./call-rate";

/** Initial rate: 40 calls per second, increasing soon. */
const initialIntervalMs = 25;
/** Time span of one reservation. A process may learn of another's refusal this much later. */
const reserveAheadMs = 100;
/** Lower bound of the interval for the size of a reservation. */
const minReservedIntervalMs = 0.1;
/** Time until the next attempt after a failure of the store. */
const storeRetryMs = 5_000;
/** Age at which unused reservations expire, because late calls would collide with those of other processes. */
const maxReservationAgeMs = 100;
const maxUpdateAttempts = 10;

interface SharedPacingOptions {
  readonly settings: StoreSettings;
  /** Returns the name of the rate of a server, shared by all clients that are limited together. */
  readonly paceNameOf: (server: string) => string;
  /** Called once if the store cannot be used. */
  readonly onStoreUnavailable: (error: unknown) => void;
}

export class SharedPacing extends RateLimitedPacing {
  constructor(
    limits: PacingLimits,
    { settings, paceNameOf, onStoreUnavailable }: SharedPacingOptions,
    private readonly session = new StoreSession(settings, openPaceStore),
  ) {
    let isReported = false;
    const reportUnavailable = (error: unknown) => {
      if (!isReported) onStoreUnavailable(error);
      isReported = true;
    };
    super(
      limits,
      (server, queue) =>
        new SharedRateLimiter(session, reportUnavailable, paceNameOf(server), minIntervalMsOf(limits), queue),
    );
  }

  close(): Promise<void> {
    return this.session.close();
  }
}

class SharedRateLimiter implements RateLimiter {
  #pausedUntil = 0;
  /** Reserved calls, time of the first one, and interval. */
  #reserved = 0;
  #nextAt = 0;
  #intervalMs = initialIntervalMs;
  #wasRefused = false;
  #isReserving = false;
  /** Accepted calls that are not reported to the store yet. */
  #unreportedAccepted = 0;
  /** Clock of the store minus clock of this process. */
  #offsetMs = 0;
  /** Local rate limiter while the store is unavailable, and the time of the next attempt to use the store. */
  #fallback: MemoryRateLimiter | undefined;
  #fallbackUntil = 0;

  constructor(
    private readonly session: StoreSession,
    private readonly reportUnavailable: (error: unknown) => void,
    private readonly name: string,
    private readonly minIntervalMs: number,
    private readonly queue: WaitingQueue,
  ) {}

  get pausedUntil(): number {
    return Math.max(this.#pausedUntil, this.#fallback?.pausedUntil ?? 0);
  }

  waitMs(now: number): number | undefined {
    if (this.#fallback) {
      if (now > this.#fallbackUntil) this.#requestReservation();
      return this.#fallback.waitMs(now);
    }
    if (this.#pausedUntil > now) return this.#pausedUntil - now;
    while (this.#reserved > 0 && this.#nextAt < now - maxReservationAgeMs) this.#useReservation();
    if (this.#reserved > 0) return this.#nextAt - now;
    this.#requestReservation();
    return undefined;
  }

  recordSent(now: number): void {
    if (this.#fallback) this.#fallback.recordSent(now);
    else this.#useReservation();
  }

  recordAccepted(now: number): void {
    this.#unreportedAccepted += 1;
    this.#fallback?.recordAccepted(now);
  }

  recordRefused(now: number, sentAt: number, retryAfterMs: number | undefined): void {
    if (this.#fallback) return this.#fallback.recordRefused(now, sentAt, retryAfterMs);
    this.#reserved = 0;
    // Provisional, until the store returns the shared pause.
    this.#pausedUntil = Math.max(this.#pausedUntil, now + (retryAfterMs ?? reserveAheadMs));
    void this.#runInStore((database) => this.#reportRefusal(database, sentAt, retryAfterMs));
  }

  #useReservation(): void {
    this.#reserved -= 1;
    this.#nextAt += this.#intervalMs;
  }

  #requestReservation(): void {
    if (this.#isReserving) return;
    this.#isReserving = true;
    void this.#runInStore((database) => this.#reserve(database)).finally(() => {
      this.#isReserving = false;
      this.queue.dispatch();
    });
  }

  /** Runs work in the store. Falls back to a local rate limiter if the store fails. */
  async #runInStore(work: (database: Database) => Promise<void>): Promise<void> {
    try {
      await this.session.use(({ database }) => work(database));
      this.#fallback = undefined;
    } catch (error) {
      this.reportUnavailable(error);
      this.#fallback ??= new MemoryRateLimiter(
        this.minIntervalMs,
        this.#wasRefused ? this.#intervalMs : this.minIntervalMs,
      );
      this.#fallbackUntil = performance.now() + storeRetryMs;
    }
    this.queue.dispatch();
  }

  async #reserve(database: Database): Promise<void> {
    const maxCalls = Math.max(
      1,
      Math.floor(reserveAheadMs / Math.max(this.#intervalMs, minReservedIntervalMs)),
    );
    const calls = Math.min(maxCalls, Math.max(1, this.queue.size));
    const { pace, rate } = await this.#syncPace(database, calls);
    this.#applyPace(pace, calls);
    this.#wasRefused = rate.refusedAt !== undefined;
    const next = increaseRate(rate, pace.now, pace.accepted);
    if (next !== rate) await this.#updatePace(database, pace, next, 0);
  }

  /** Reports a refusal to all processes. */
  async #reportRefusal(database: Database, sentAt: number, retryAfterMs: number | undefined): Promise<void> {
    for (let tries = 0; tries < maxUpdateAttempts; tries += 1) {
      const { pace, rate } = await this.#syncPace(database, 0);
      const { now, accepted, pausedUntil } = pace;
      const seconds = Math.max(1, (now - rate.since) / 1_000);
      const { rate: next, pauseMs } = applyRefusal(rate, {
        now,
        sentAt: sentAt + this.#offsetMs,
        accepted,
        acceptedLastSecond: (accepted - rate.takenThen) / seconds,
        retryAfterMs,
      });
      const isChanged = next !== rate || now + pauseMs > pausedUntil;
      const updated = isChanged ? await this.#updatePace(database, pace, next, pauseMs) : pace;
      if (!updated) continue;
      this.#applyPace(updated, 0);
      return;
    }
  }

  /** Reads the shared rate, and reports accepted calls. */
  async #syncPace(
    database: Database,
    calls: number,
  ): Promise<{ readonly pace: Pace; readonly rate: CallRate }> {
    const accepted = this.#unreportedAccepted;
    let pace = await reserveCalls(database, this.name, calls, accepted, timerToleranceMs);
    if (!pace) {
      const intervalMs = Math.max(this.minIntervalMs, initialIntervalMs);
      const content = JSON.stringify(createCallRate(intervalMs, this.minIntervalMs, 0));
      await createPace(database, this.name, { intervalMs, content });
      pace = (await reserveCalls(database, this.name, calls, accepted, timerToleranceMs))!;
    }
    this.#unreportedAccepted -= accepted;
    this.#offsetMs = pace.now - performance.now();
    const rate = JSON.parse(pace.content) as CallRate;
    return { pace, rate: rate.since === 0 ? { ...rate, since: pace.now } : rate };
  }

  /** Applies the shared rate to this process. */
  #applyPace({ now, pausedUntil, nextAt, intervalMs }: Pace, calls: number): void {
    const isPaused = pausedUntil > now;
    this.#pausedUntil = isPaused ? pausedUntil - this.#offsetMs : 0;
    this.#reserved = isPaused ? 0 : calls;
    this.#nextAt = nextAt - calls * intervalMs - this.#offsetMs;
    this.#intervalMs = intervalMs;
  }

  #updatePace(database: Database, pace: Pace, rate: CallRate, pauseMs: number): Promise<Pace | undefined> {
    const content = JSON.stringify(rate);
    return updatePace(database, this.name, pace.version, { intervalMs: rate.intervalMs, content, pauseMs });
  }
}
