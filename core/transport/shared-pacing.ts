/** The pace that all processes share which share a store: what one finds out of a service holds for all. */
import { StoreSession } from "../journal/store-session";
import type { Database } from "../store/database";
import { createPace, updatePace, openPaceStore, type Pace, reserveCalls } from "../store/shared-pace";
import type { StoreSettings } from "../store/settings";
import type { RateLimiter, WaitingQueue } from "./rate-limiter";
import { timerToleranceMs, minIntervalMsOf, MemoryRateLimiter, fullSecondMs } from "./memory-rate-limiter";
import { RateLimitedPacing, type PacingLimits } from "./pacing";
import { increaseRate, type CallRate, createCallRate, applyRefusal } from "./call-rate";

/** Where nothing is known: 40 calls a second, and soon more. */
const initialIntervalMs = 25;
/** How far ahead one process reserves: so long it may not hear that another was refused. */
const [reserveAheadMs, initialReserveAheadMs] = [100, 50];
/** As fast as anybody wants to be. */
const minReservedIntervalMs = 0.1;
/** How long the store is left alone that could not be used. */
const storeRetryMs = 5_000;
/** A reserved call that nobody made by then is lost: late ones would meet those of others. */
const maxReservationAgeMs = 100;
const maxUpdateAttempts = 10;

export interface SharedPacingOptions {
  readonly settings: StoreSettings;
  /** Names the pace of a server, for all who are limited together. */
  readonly paceNameOf: (server: string) => string;
  /** Hears once that the store cannot be used, and why. */
  readonly onStoreUnavailable: (error: unknown) => void;
}

export class SharedPacing extends RateLimitedPacing {
  constructor(limits: PacingLimits, options: SharedPacingOptions) {
    const store = new PaceStore(options);
    super(
      limits,
      (server, queue) =>
        new SharedRateLimiter(store, options.paceNameOf(server), minIntervalMsOf(limits), queue),
    );
  }
}

/** The store while it is used. */
class PaceStore {
  #session: StoreSession | undefined;
  #isUnavailable = false;

  constructor(private readonly options: SharedPacingOptions) {}

  run<T>(work: (database: Database) => Promise<T>): Promise<T> {
    this.#session ??= new StoreSession(this.options.settings, openPaceStore);
    return this.#session.use(({ database }) => work(database));
  }

  reportUnavailable(error: unknown): void {
    if (!this.#isUnavailable) this.options.onStoreUnavailable(error);
    this.#isUnavailable = true;
  }

  async close(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.close();
  }
}

class SharedRateLimiter implements RateLimiter {
  #pausedUntil = 0;
  /** Calls that are reserved, when the first of them may go, and how long from one to the next. */
  #reserved = 0;
  #nextAt = 0;
  #intervalMs = initialIntervalMs;
  #wasRefused = false;
  #isReserving = false;
  /** Calls that were taken, of which the store has not been told. */
  #unreportedAccepted = 0;
  /** The clock of the store, less the one of this process. */
  #offsetMs = 0;
  /** What keeps the pace while the store cannot be used, and until when it is left alone. */
  #fallback: MemoryRateLimiter | undefined;
  #fallbackUntil = 0;

  constructor(
    private readonly store: PaceStore,
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
    // Until the store says for how long.
    this.#pausedUntil = Math.max(this.#pausedUntil, now + (retryAfterMs ?? reserveAheadMs));
    void this.#runInStore((database) => this.#reportRefusal(database, sentAt, retryAfterMs));
  }

  close(): Promise<void> {
    return this.store.close();
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

  /** Does what needs the store; without it this process keeps the pace alone. */
  async #runInStore(work: (database: Database) => Promise<void>): Promise<void> {
    try {
      await this.store.run(work);
      this.#fallback = undefined;
    } catch (error) {
      this.store.reportUnavailable(error);
      this.#fallback ??= new MemoryRateLimiter(
        this.minIntervalMs,
        this.#wasRefused ? this.#intervalMs : this.minIntervalMs,
      );
      this.#fallbackUntil = performance.now() + storeRetryMs;
    }
    this.queue.dispatch();
  }

  async #reserve(database: Database): Promise<void> {
    const ahead = this.#wasRefused ? reserveAheadMs : initialReserveAheadMs;
    const maxCalls = Math.max(1, Math.floor(ahead / Math.max(this.#intervalMs, minReservedIntervalMs)));
    const calls = Math.min(maxCalls, Math.max(1, this.queue.size));
    const { pace, rate } = await this.#syncPace(database, calls);
    this.#applyPace(pace, calls);
    this.#wasRefused = rate.refusedAt !== undefined;
    const next = increaseRate(rate, pace.now, pace.accepted);
    if (next !== rate) await this.#updatePace(database, pace, next, 0);
  }

  /** Tells all of a refusal. */
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
        isFullSecond: now - rate.since >= fullSecondMs,
        retryAfterMs,
      });
      const isChanged = next !== rate || now + pauseMs > pausedUntil;
      const updated = isChanged ? await this.#updatePace(database, pace, next, pauseMs) : pace;
      if (!updated) continue;
      this.#applyPace(updated, 0);
      return;
    }
  }

  /** Looks at the pace, and tells of the calls that were taken. */
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

  /** What this process may do by it. */
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
