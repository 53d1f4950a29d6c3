/** The pace that all processes share which share a store: what one finds out of a service holds for all. */
import { KeptStore } from "../journal/kept-store";
import type { Database } from "../store/database";
import { beginPace, changePace, openPaces, type Pace, reserve } from "../store/shared-pace";
import type { StoreSettings } from "../store/settings";
import type { Gate, Queue } from "./gate";
import { lateMs, leastMsOf, MemoryGate, wholeMs } from "./memory-gate";
import { GatedPacing, type PacingLimits } from "./pacing";
import { climbed, type Rate, rateOf, refused } from "./rate";

/** Where nothing is known: 40 calls a second, and soon more. */
const firstIntervalMs = 25;
/** How far ahead one process reserves: so long it may not hear that another was refused. */
const [aheadMs, aheadAtFirstMs] = [100, 50];
/** As fast as anybody wants to be. */
const leastIntervalMs = 0.1;
/** How long the store is left alone that could not be used. */
const awayMs = 5_000;
/** A reserved call that nobody made by then is lost: late ones would meet those of others. */
const staleMs = 100;
const mostTries = 10;

export interface SharedPlace {
  readonly settings: StoreSettings;
  /** Names the pace of a server, for all who are limited together. */
  readonly nameOf: (server: string) => string;
  /** Hears once that the store cannot be used, and why. */
  readonly onAway: (error: unknown) => void;
}

export class SharedPacing extends GatedPacing {
  constructor(limits: PacingLimits, place: SharedPlace) {
    const store = new PaceStore(place);
    super(limits, (server, queue) => new SharedGate(store, place.nameOf(server), leastMsOf(limits), queue));
  }
}

/** The store while it is used. */
class PaceStore {
  #kept: KeptStore | undefined;
  #isAway = false;

  constructor(private readonly place: SharedPlace) {}

  run<T>(work: (database: Database) => Promise<T>): Promise<T> {
    this.#kept ??= new KeptStore(this.place.settings, openPaces);
    return this.#kept.read(({ database }) => work(database));
  }

  away(error: unknown): void {
    if (!this.#isAway) this.place.onAway(error);
    this.#isAway = true;
  }

  async close(): Promise<void> {
    const kept = this.#kept;
    this.#kept = undefined;
    await kept?.close();
  }
}

class SharedGate implements Gate {
  #quietUntil = 0;
  /** Calls that are reserved, when the first of them may go, and how long from one to the next. */
  #left = 0;
  #nextAt = 0;
  #intervalMs = firstIntervalMs;
  #wasRefused = false;
  #isAsking = false;
  /** Calls that were taken, of which the store has not been told. */
  #taken = 0;
  /** The clock of the store, less the one of this process. */
  #offsetMs = 0;
  /** What keeps the pace while the store cannot be used, and until when it is left alone. */
  #alone: MemoryGate | undefined;
  #aloneUntil = 0;

  constructor(
    private readonly store: PaceStore,
    private readonly name: string,
    private readonly leastMs: number,
    private readonly queue: Queue,
  ) {}

  get pausedUntil(): number {
    return Math.max(this.#quietUntil, this.#alone?.pausedUntil ?? 0);
  }

  waitMs(now: number): number | undefined {
    if (this.#alone) {
      if (now > this.#aloneUntil) this.#ask();
      return this.#alone.waitMs(now);
    }
    if (this.#quietUntil > now) return this.#quietUntil - now;
    while (this.#left > 0 && this.#nextAt < now - staleMs) this.#skip();
    if (this.#left > 0) return this.#nextAt - now;
    this.#ask();
    return undefined;
  }

  pass(now: number): void {
    if (this.#alone) this.#alone.pass(now);
    else this.#skip();
  }

  taken(now: number): void {
    this.#taken += 1;
    this.#alone?.taken(now);
  }

  refused(now: number, sentAt: number, retryAfterMs: number | undefined): void {
    if (this.#alone) return this.#alone.refused(now, sentAt, retryAfterMs);
    this.#left = 0;
    // Until the store says for how long.
    this.#quietUntil = Math.max(this.#quietUntil, now + (retryAfterMs ?? aheadMs));
    void this.#run((database) => this.#tell(database, sentAt, retryAfterMs));
  }

  close(): Promise<void> {
    return this.store.close();
  }

  #skip(): void {
    this.#left -= 1;
    this.#nextAt += this.#intervalMs;
  }

  #ask(): void {
    if (this.#isAsking) return;
    this.#isAsking = true;
    void this.#run((database) => this.#reserve(database)).finally(() => {
      this.#isAsking = false;
      this.queue.open();
    });
  }

  /** Does what needs the store; without it this process keeps the pace alone. */
  async #run(work: (database: Database) => Promise<void>): Promise<void> {
    try {
      await this.store.run(work);
      this.#alone = undefined;
    } catch (error) {
      this.store.away(error);
      this.#alone ??= new MemoryGate(this.leastMs, this.#wasRefused ? this.#intervalMs : this.leastMs);
      this.#aloneUntil = performance.now() + awayMs;
    }
    this.queue.open();
  }

  async #reserve(database: Database): Promise<void> {
    const ahead = this.#wasRefused ? aheadMs : aheadAtFirstMs;
    const most = Math.max(1, Math.floor(ahead / Math.max(this.#intervalMs, leastIntervalMs)));
    const calls = Math.min(most, Math.max(1, this.queue.size));
    const { pace, rate } = await this.#seen(database, calls);
    this.#take(pace, calls);
    this.#wasRefused = rate.refusedAt !== undefined;
    const next = climbed(rate, pace.now, pace.taken);
    if (next !== rate) await this.#change(database, pace, next, 0);
  }

  /** Tells all of a refusal. */
  async #tell(database: Database, sentAt: number, retryAfterMs: number | undefined): Promise<void> {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const { pace, rate } = await this.#seen(database, 0);
      const { now, taken, quietUntil } = pace;
      const seconds = Math.max(1, (now - rate.since) / 1_000);
      const { rate: next, pauseMs } = refused(rate, {
        now,
        sentAt: sentAt + this.#offsetMs,
        taken,
        lastSecond: (taken - rate.takenThen) / seconds,
        isWhole: now - rate.since >= wholeMs,
        retryAfterMs,
      });
      const isNews = next !== rate || now + pauseMs > quietUntil;
      const seen = isNews ? await this.#change(database, pace, next, pauseMs) : pace;
      if (!seen) continue;
      this.#take(seen, 0);
      return;
    }
  }

  /** Looks at the pace, and tells of the calls that were taken. */
  async #seen(database: Database, calls: number): Promise<{ readonly pace: Pace; readonly rate: Rate }> {
    const taken = this.#taken;
    let pace = await reserve(database, this.name, calls, taken, lateMs);
    if (!pace) {
      const intervalMs = Math.max(this.leastMs, firstIntervalMs);
      const content = JSON.stringify(rateOf(intervalMs, this.leastMs, 0));
      await beginPace(database, this.name, { intervalMs, content });
      pace = (await reserve(database, this.name, calls, taken, lateMs))!;
    }
    this.#taken -= taken;
    this.#offsetMs = pace.now - performance.now();
    const rate = JSON.parse(pace.content) as Rate;
    return { pace, rate: rate.since === 0 ? { ...rate, since: pace.now } : rate };
  }

  /** What this process may do by it. */
  #take({ now, quietUntil, nextAt, intervalMs }: Pace, calls: number): void {
    const isQuiet = quietUntil > now;
    this.#quietUntil = isQuiet ? quietUntil - this.#offsetMs : 0;
    this.#left = isQuiet ? 0 : calls;
    this.#nextAt = nextAt - calls * intervalMs - this.#offsetMs;
    this.#intervalMs = intervalMs;
  }

  #change(database: Database, pace: Pace, rate: Rate, pauseMs: number): Promise<Pace | undefined> {
    const content = JSON.stringify(rate);
    return changePace(database, this.name, pace.version, { intervalMs: rate.intervalMs, content, pauseMs });
  }
}
