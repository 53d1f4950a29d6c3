/**
 * Books orders that are released. Any process may that has the lease of an order, the credentials and the quotes: it takes a
 * fresh quote, and books it where it is inside the order, else another one later, until the order expires. Each booking has
 * a key of its own in the journal, and none is begun before it is known that nothing came of the one before.
 */
import type { CallOptions } from "../client/call-options";
import type { Clearance } from "../client/clearance";
import type { ServiceResponse } from "../client/response";
import { FxdeskError } from "../errors";
import type { Values } from "../declaration/fields";
import type { Declaration } from "../declaration/operation";
import type { Entry, Journal } from "../journal/entry";
import type { KeptStore } from "../journal/kept-store";
import { deviationsOf, type ShownTrade } from "./booked-trade";
import { type Authority, guardOf, hasYes, notCleared } from "./release-check";
import { closed } from "./needs";
import { inputFor, outside, type Pricing, type Quoted, quotedIn } from "./quote";
import { isOver, type Release, type ReleaseProgress, type ReleaseState } from "./release";
import { decisionsOn, getRelease, momentOf, moveRelease, selectReleases, type Source } from "./rows";
import type { SealedOrder } from "./terms";

/** How orders reach the service, the journal and the policy. */
export interface OrderDesk {
  readonly store: KeptStore;
  readonly journal: Journal;
  /** The environment whose orders are booked here. */
  readonly environment: string;
  readonly pricing: Pricing;
  readonly book: Declaration;
  readonly get: Declaration;
  readonly call: (
    operation: Declaration,
    input: Values,
    options: CallOptions,
    clearance: Clearance,
  ) => Promise<ServiceResponse>;
  readonly authority: (sealed: SealedOrder) => Promise<Authority>;
  /** Whether this process may know who releases: who only asks leaves the orders to others. */
  readonly isTrusted: () => Promise<boolean>;
  /** Looks for what became of a call. */
  readonly recover: (entry: string) => Promise<unknown>;
  /** Told of what went wrong with a trade that was booked. */
  readonly onAlarm: (line: string) => void;
}

/**
 * How long nobody else takes an order that is worked on. Whoever is slower asks for a quote in vain: what leaves, leaves
 * under the newest lease alone.
 */
const holdMs = 15_000;
/** How many orders are worked on at once. */
const mostAtOnce = 8;
/** Between two looks for orders that are due. */
const lookMs = 1_000;
/** How soon it is looked again what became of a booking. */
const settleMs = 2_000;
const [firstReadMs, mostReadings] = [1_000, 10] as const;
/** Further away than any clock shows. */
export const never = 8_000_000_000_000_000;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

type Held = Release & { readonly sealed: SealedOrder };

export class OrderRunner {
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  /** Ends a wait. */
  #wake: () => void = () => undefined;

  constructor(private readonly desk: OrderDesk) {}

  /** Books what is due, now and from now on. */
  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#wake();
    await this.#running;
  }

  /** Takes what is due as soon as there is room for it: one that is slow holds up no other. */
  async #run(): Promise<void> {
    const { signal } = this.#stop;
    const working = new Set<Promise<void>>();
    while (!signal.aborted) {
      const taken = await this.#take(mostAtOnce - working.size).catch(() => []);
      for (const release of taken) {
        const work = this.#work(release).finally(() => working.delete(work));
        working.add(work);
      }
      if (taken.length > 0 && working.size < mostAtOnce) continue;
      const waitMs = working.size < mostAtOnce ? await this.#untilDue() : lookMs;
      await this.#wait(working, waitMs);
    }
    await Promise.all(working);
  }

  /** Waits so long, or until something that is worked on is done, or it is to stop. */
  async #wait(working: ReadonlySet<Promise<void>>, ms: number): Promise<void> {
    if (this.#stop.signal.aborted) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms).unref();
      this.#wake = resolve;
      for (const work of working) void work.then(resolve);
    });
    clearTimeout(timer);
  }

  async #untilDue(): Promise<number> {
    const [row] = await this.desk.store
      .read(({ database: { run, now } }) =>
        run(
          `SELECT min(next_at) - ${now} AS pause FROM fxdesk_releases
           WHERE kind = 'order' AND environment = $1 AND state IN ('released', 'booking', 'unknown', 'booked') AND held_until <= ${now}`,
          [this.desk.environment],
        ),
      )
      .catch(() => []);
    const waitMs = row?.pause == null ? lookMs : Number(row.pause);
    return Math.min(Math.max(waitMs, 20), lookMs);
  }

  /** Takes the lease of orders that are due. */
  async #take(most: number): Promise<readonly Held[]> {
    const { environment, store } = this.desk;
    if (!(await this.desk.isTrusted())) return [];
    return store.read(async ({ database, seal }) => {
      const { now, run } = database;
      const where = `kind = 'order' AND environment = $1 AND state IN ('waiting', 'released', 'booking', 'unknown', 'booked')
        AND next_at <= ${now} AND held_until <= ${now}`;
      const ids = await run(
        `UPDATE fxdesk_releases SET held_until = ${now} + CAST($2 AS BIGINT), fence = fence + 1
         WHERE ${where} AND id IN (
           SELECT id FROM fxdesk_releases WHERE ${where} ORDER BY next_at LIMIT ${most})
         RETURNING id`,
        [environment, holdMs],
      );
      const taken: Release[] = [];
      for (const { id } of ids)
        taken.push(...(await selectReleases({ run, seal }, "WHERE id = $1", [id!]).catch(() => [])));
      return taken as Held[];
    });
  }

  /** Takes an order as far as it goes for now. */
  async #work(release: Held): Promise<void> {
    try {
      await this.#step(release);
    } catch (error) {
      await this.#note(release, messageOf(error), lookMs).catch(() => undefined);
    } finally {
      await this.#release(release).catch(() => undefined);
    }
  }

  async #step(release: Held): Promise<void> {
    if (release.state === "booked") return this.#readBack(release);
    if (release.entry !== undefined) return this.#settle(release, release.entry);
    const authority = await this.desk.authority(release.sealed);
    const { moment, reason, isExpired, isReleased } = await this.#clearance(release, authority);
    if (isExpired) return this.#move(release, "expired", { remark: expiredRemark(release, reason!) }, never);
    if (release.state === "waiting") return undefined;
    if (!isReleased) return this.#askAgain(release);
    const everyMs = (authority.policy?.quoteEverySeconds ?? usualEverySeconds) * 1_000;
    const waits = reason ?? (authority.policy && closed(authority.policy, moment));
    if (waits !== undefined) return this.#note(release, waits, Math.max(everyMs, lookMs));
    const quote = await this.#quote(release);
    if (typeof quote === "string") return this.#note(release, quote, everyMs);
    return this.#book(release, quote, authority, everyMs);
  }

  /** Whether it may leave now, as far as that can be told before it does. */
  #clearance(release: Held, authority: Authority) {
    return this.#turn(async (turn, moment) => {
      const decisions = await decisionsOn(turn, release.id);
      const isExpired = release.sealed.validUntil <= moment;
      const reason =
        release.state === "waiting" ? waiting : notCleared(release, decisions, authority, moment);
      return { moment, reason, isExpired, isReleased: hasYes(release, decisions, authority, moment) };
    });
  }

  /** A yes lasts for a while; after that the order waits for another one. */
  #askAgain(release: Held): Promise<void> {
    return this.#exclusively(release, async (turn, moment, now) => {
      if (now.state !== "released") return;
      const progress = { ...now.progress, remark: "The yes to it does not count any more." };
      const nextAt = now.sealed.validUntil;
      await moveRelease(turn, now, moment, { state: "waiting", progress, nextAt, entry: null });
    });
  }

  /** A fresh quote that is inside the order, or why there is none. */
  async #quote({ sealed, progress, id }: Held): Promise<Quoted | string> {
    const { pricing, call } = this.desk;
    await this.#count(id, progress);
    let response: ServiceResponse;
    try {
      response = await call(pricing, inputFor(pricing, sealed.terms), optionsFor(sealed), {});
    } catch (error) {
      return `There was no quote: ${messageOf(error)}`;
    }
    if (response.status !== pricing.quotes.status) return "There was no quote that can be booked.";
    const quote = quotedIn(pricing, response.body);
    if (!quote || response.violations.length > 0) return "The quote is not as the service declares quotes.";
    const reason = outside(sealed.terms, quote);
    return reason === undefined ? quote : `The last quote was outside the order: ${reason}.`;
  }

  async #book(release: Held, quote: Quoted, authority: Authority, everyMs: number): Promise<void> {
    const { id, fence, sealed } = release;
    const { terms } = sealed;
    const { book, call } = this.desk;
    const input = {
      [book.singleUse!]: quote.quote_id,
      reason: terms.reason,
      ...(terms.reference !== undefined && { reference: terms.reference }),
    };
    const guard = guardOf(release, authority, "booking", (now) =>
      now.state === "released" && now.fence === fence && now.entry === undefined
        ? undefined
        : `${id} is ${now.state}, or another process has it.`,
    );
    try {
      await call(book, input, { ...optionsFor(sealed), key: `${id}.${fence}` }, { guard });
    } catch (error) {
      if (!(error instanceof FxdeskError) || error.outcome === "not-sent")
        if ((await this.#now(id)).entry === undefined) return this.#note(release, messageOf(error), everyMs);
    }
    const now = await this.#now(id);
    if (now.entry !== undefined && now.fence === fence) await this.#settle(now, now.entry);
  }

  /** Finds out what became of the booking that left. */
  async #settle(release: Held, id: string): Promise<void> {
    const { journal, recover } = this.desk;
    // What a process left behind that is gone ends here.
    await journal.untilEnded(id, AbortSignal.timeout(100)).catch(() => undefined);
    let entry = await journal.get(id);
    if (entry?.state === "unknown") {
      await recover(id).catch(() => undefined);
      entry = await journal.get(id);
    }
    if (!entry)
      return this.#move(release, "unknown", { remark: `Journal entry ${id} is not there.` }, settleMs);
    return this.#concluded(release, entry);
  }

  async #concluded(release: Held, entry: Entry): Promise<void> {
    const { state, ending } = entry;
    if (state === "done") {
      await this.#move(release, "booked", { identity: ending!.identity! }, 0);
      const now = await this.#now(release.id);
      // Another process may have it by now: that one finds out the same.
      return now.fence === release.fence ? this.#readBack(now) : undefined;
    }
    if (state === "unknown")
      return this.#move(
        release,
        "unknown",
        {
          remark:
            `Nobody knows what became of a booking (journal entry ${entry.id}). No other is begun until that is found ` +
            `or said: fxdesk journal resolve ${entry.id}.`,
        },
        settleMs,
      );
    if (state === "intended" || state === "sent") return this.#later(release, settleMs);
    const details = entry.endingDetails as { message?: string; remark?: string; note?: string } | undefined;
    const words = details?.message ?? details?.note ?? details?.remark ?? "";
    return this.#reopen(release, `The last booking was not made: ${words}`);
  }

  /** Nothing came of a booking: it goes on, unless it is over meanwhile. */
  #reopen(release: Held, remark: string): Promise<void> {
    return this.#exclusively(release, async (turn, moment, now) => {
      await moveRelease(turn, now, moment, {
        state: "released",
        progress: { ...now.progress, remark },
        nextAt: moment + settleMs,
        entry: null,
      });
    });
  }

  /** Compares the trade with the order. */
  async #readBack(release: Held): Promise<void> {
    const { sealed, progress } = release;
    const { readings = 0, identity } = progress;
    const { get, call, onAlarm } = this.desk;
    if (progress.deviations) return this.#move(release, "booked", {}, never);
    let deviations: readonly string[];
    try {
      const { body } = await call(get, { trade_id: identity }, optionsFor(sealed), {});
      deviations = deviationsOf(sealed.terms, body as ShownTrade);
    } catch (error) {
      if (readings + 1 < mostReadings)
        return this.#move(release, "booked", { readings: readings + 1 }, firstReadMs * 2 ** readings);
      deviations = [`It could not be read back: ${messageOf(error)}`];
    }
    await this.#move(release, "booked", { deviations }, never);
    if (deviations.length > 0)
      onAlarm(`Trade ${identity} is not as its order ${release.id} says. ${deviations.join(" ")}`);
  }

  #count(id: string, progress: ReleaseProgress): Promise<void> {
    return this.#turn(async (turn, moment) => {
      const now = await getRelease(turn, id);
      if (now?.state !== "released") return;
      await moveRelease(turn, now, moment, {
        state: now.state,
        progress: { ...now.progress, quotes: (progress.quotes ?? 0) + 1 },
        nextAt: 0,
        entry: now.entry ?? null,
      });
    });
  }

  #note(release: Held, remark: string, inMs: number): Promise<void> {
    return this.#exclusively(release, async (turn, moment, now) => {
      if (isOver(now.state)) return;
      // Who waits for a quote is looked at again when the order expires, at the latest.
      const nextAt = Math.min(moment + inMs, Math.max(now.sealed.validUntil, moment));
      await moveRelease(turn, now, moment, {
        state: now.state,
        progress: { ...now.progress, remark },
        nextAt,
        entry: now.entry ?? null,
      });
    });
  }

  #later(release: Held, inMs: number): Promise<void> {
    return this.#move(release, release.state, {}, inMs);
  }

  /** Says how it stands now, where this process still has it; `inMs` from now it is looked at again. */
  #move(release: Held, state: ReleaseState, more: ReleaseProgress, inMs: number): Promise<void> {
    return this.#exclusively(release, async (turn, moment, now) => {
      // What somebody took back meanwhile stays so.
      if (isOver(now.state) && now.state !== "booked") return;
      const { remark, ...before } = now.progress;
      // A remark is of the state in which it was made.
      const kept = remark !== undefined && state === now.state ? { remark } : {};
      await moveRelease(turn, now, moment, {
        state,
        progress: { ...before, ...kept, ...more },
        nextAt: inMs === never ? never : moment + inMs,
        entry: now.entry ?? null,
      });
    });
  }

  /** Gives the lease back. */
  async #release({ id, fence }: Held): Promise<void> {
    await this.desk.store.read(({ database: { run } }) =>
      run("UPDATE fxdesk_releases SET held_until = 0 WHERE id = $1 AND fence = $2", [id, fence]),
    );
  }

  async #now(id: string): Promise<Held> {
    return this.#turn(async (turn) => (await getRelease(turn, id)) as Held);
  }

  #turn<T>(work: (turn: Source, moment: number) => Promise<T>): Promise<T> {
    return this.desk.store.read(({ database, seal }) =>
      database.exclusively(async (run) => work({ run, seal }, await momentOf(run, database.now))),
    );
  }

  /** Writes something about an order, where this process still has it. */
  #exclusively(
    { id, fence }: Held,
    work: (turn: Source, moment: number, now: Held) => Promise<void>,
  ): Promise<void> {
    return this.#turn(async (turn, moment) => {
      const now = (await getRelease(turn, id)) as Held | undefined;
      if (now?.fence === fence) await work(turn, moment, now);
    });
  }
}

const usualEverySeconds = 10;
const waiting = "Nobody released it in time.";

const optionsFor = ({ client, contactId, asker }: SealedOrder): CallOptions => ({
  surface: "order",
  ...(asker !== undefined && { actor: asker }),
  ...(client !== "" && { clientId: client }),
  ...(contactId !== undefined && { contactId }),
});

const expiredRemark = ({ progress: { remark } }: Held, reason: string): string =>
  remark === undefined ? reason : `${reason} ${remark}`;
