/**
 * Books orders that are released. Any process may that has the lease of an order, the credentials and the quotes: it takes a
 * fresh quote, and books it where it is inside the order, else another one later, until the order expires. Each booking has
 * a key of its own in the journal, and none is begun before it is known that nothing came of the one before.
 */
import type { CallOptions } from "../client/call-options";
import type { PreAuthorization } from "../client/pre-authorization";
import type { ServiceResponse } from "../client/response";
import { FxdeskError } from "../errors";
import type { Values } from "../declaration/fields";
import type { Declaration } from "../declaration/operation";
import type { Entry, Journal } from "../journal/entry";
import type { StoreSession } from "../journal/store-session";
import { findDeviations, type BookedTrade } from "./booked-trade";
import { type Authority, createSendGuard, isApproved, findReleaseProblem } from "./release-guard";
import { findHoursViolation } from "./policy-evaluation";
import { quoteInputFor, findQuoteProblem, type QuoteOperation, type Quote, parseQuote } from "./quote";
import { isFinalState, type Release, type ReleaseProgress, type ReleaseState } from "./release";
import {
  listDecisions,
  getRelease,
  readClock,
  updateRelease,
  selectReleases,
  type StoreAccess,
} from "./release-rows";
import type { SealedOrder } from "./terms";

/** How orders reach the service, the journal and the policy. */
export interface OrderExecutorDependencies {
  readonly store: StoreSession;
  readonly journal: Journal;
  /** The environment whose orders are booked here. */
  readonly environment: string;
  readonly quoteOperation: QuoteOperation;
  readonly bookOperation: Declaration;
  readonly getOperation: Declaration;
  readonly call: (
    operation: Declaration,
    input: Values,
    options: CallOptions,
    preAuthorization: PreAuthorization,
  ) => Promise<ServiceResponse>;
  readonly authority: (sealed: SealedOrder) => Promise<Authority>;
  /** Whether this process may know who releases: who only asks leaves the orders to others. */
  readonly canReadPeople: () => Promise<boolean>;
  /** Looks for what became of a call. */
  readonly recover: (entry: string) => Promise<unknown>;
  /** Told of what went wrong with a trade that was booked. */
  readonly onAlarm: (line: string) => void;
}

/**
 * How long nobody else takes an order that is worked on. Whoever is slower asks for a quote in vain: what leaves, leaves
 * under the newest lease alone.
 */
const leaseMs = 15_000;
/** How many orders are worked on at once. */
const maxConcurrentOrders = 8;
/** Between two looks for orders that are due. */
const pollIntervalMs = 1_000;
/** How soon it is looked again what became of a booking. */
const outcomePollMs = 2_000;
const [firstReadBackMs, maxReadBacks] = [1_000, 10] as const;
/** Further away than any clock shows. */
export const neverDue = 8_000_000_000_000_000;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

type LeasedOrder = Release & { readonly sealed: SealedOrder };

export class OrderExecutor {
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  /** Ends a wait. */
  #wake: () => void = () => undefined;

  constructor(private readonly dependencies: OrderExecutorDependencies) {}

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
      const leased = await this.#leaseDue(maxConcurrentOrders - working.size).catch(() => []);
      for (const release of leased) {
        const work = this.#process(release).finally(() => working.delete(work));
        working.add(work);
      }
      if (leased.length > 0 && working.size < maxConcurrentOrders) continue;
      const waitMs = working.size < maxConcurrentOrders ? await this.#msUntilDue() : pollIntervalMs;
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

  async #msUntilDue(): Promise<number> {
    const [row] = await this.dependencies.store
      .use(({ database: { run, now } }) =>
        run(
          `SELECT min(next_at) - ${now} AS pause FROM fxdesk_releases
           WHERE kind = 'order' AND environment = $1 AND state IN ('released', 'booking', 'unknown', 'booked') AND held_until <= ${now}`,
          [this.dependencies.environment],
        ),
      )
      .catch(() => []);
    const waitMs = row?.pause == null ? pollIntervalMs : Number(row.pause);
    return Math.min(Math.max(waitMs, 20), pollIntervalMs);
  }

  /** Takes the lease of orders that are due. */
  async #leaseDue(limit: number): Promise<readonly LeasedOrder[]> {
    const { environment, store } = this.dependencies;
    if (!(await this.dependencies.canReadPeople())) return [];
    return store.use(async ({ database, sealer }) => {
      const { now, run } = database;
      const where = `kind = 'order' AND environment = $1 AND state IN ('waiting', 'released', 'booking', 'unknown', 'booked')
        AND next_at <= ${now} AND held_until <= ${now}`;
      const ids = await run(
        `UPDATE fxdesk_releases SET held_until = ${now} + CAST($2 AS BIGINT), fence = fence + 1
         WHERE ${where} AND id IN (
           SELECT id FROM fxdesk_releases WHERE ${where} ORDER BY next_at LIMIT ${limit})
         RETURNING id`,
        [environment, leaseMs],
      );
      const leased: Release[] = [];
      for (const { id } of ids)
        leased.push(...(await selectReleases({ run, sealer }, "WHERE id = $1", [id!]).catch(() => [])));
      return leased as LeasedOrder[];
    });
  }

  /** Takes an order as far as it goes for now. */
  async #process(release: LeasedOrder): Promise<void> {
    try {
      await this.#advance(release);
    } catch (error) {
      await this.#recordRemark(release, messageOf(error), pollIntervalMs).catch(() => undefined);
    } finally {
      await this.#returnLease(release).catch(() => undefined);
    }
  }

  async #advance(release: LeasedOrder): Promise<void> {
    if (release.state === "booked") return this.#readBack(release);
    if (release.entry !== undefined) return this.#resolveBooking(release, release.entry);
    const authority = await this.dependencies.authority(release.sealed);
    const { moment, reason, isExpired, isReleased } = await this.#checkRelease(release, authority);
    if (isExpired)
      return this.#update(release, "expired", { remark: expiredRemark(release, reason!) }, neverDue);
    if (release.state === "waiting") return undefined;
    if (!isReleased) return this.#returnToWaiting(release);
    const everyMs = (authority.policy?.quoteEverySeconds ?? defaultQuoteSeconds) * 1_000;
    const blockReason = reason ?? (authority.policy && findHoursViolation(authority.policy, moment));
    if (blockReason !== undefined)
      return this.#recordRemark(release, blockReason, Math.max(everyMs, pollIntervalMs));
    const quote = await this.#fetchQuote(release);
    if (typeof quote === "string") return this.#recordRemark(release, quote, everyMs);
    return this.#book(release, quote, authority, everyMs);
  }

  /** Whether it may leave now, as far as that can be told before it does. */
  #checkRelease(release: LeasedOrder, authority: Authority) {
    return this.#transaction(async (access, moment) => {
      const decisions = await listDecisions(access, release.id);
      const isExpired = release.sealed.validUntil <= moment;
      const reason =
        release.state === "waiting"
          ? notReleasedRemark
          : findReleaseProblem(release, decisions, authority, moment);
      return { moment, reason, isExpired, isReleased: isApproved(release, decisions, authority, moment) };
    });
  }

  /** A yes lasts for a while; after that the order waits for another one. */
  #returnToWaiting(release: LeasedOrder): Promise<void> {
    return this.#updateLeased(release, async (access, moment, current) => {
      if (current.state !== "released") return;
      const progress = { ...current.progress, remark: "The yes to it does not count any more." };
      const nextAt = current.sealed.validUntil;
      await updateRelease(access, current, moment, { state: "waiting", progress, nextAt, entry: null });
    });
  }

  /** A fresh quote that is inside the order, or why there is none. */
  async #fetchQuote({ sealed, progress, id }: LeasedOrder): Promise<Quote | string> {
    const { quoteOperation, call } = this.dependencies;
    await this.#countQuote(id, progress);
    let response: ServiceResponse;
    try {
      response = await call(
        quoteOperation,
        quoteInputFor(quoteOperation, sealed.terms),
        optionsFor(sealed),
        {},
      );
    } catch (error) {
      return `There was no quote: ${messageOf(error)}`;
    }
    if (response.status !== quoteOperation.quotes.status) return "There was no quote that can be booked.";
    const quote = parseQuote(quoteOperation, response.body);
    if (!quote || response.violations.length > 0) return "The quote is not as the service declares quotes.";
    const reason = findQuoteProblem(sealed.terms, quote);
    return reason === undefined ? quote : `The last quote was outside the order: ${reason}.`;
  }

  async #book(release: LeasedOrder, quote: Quote, authority: Authority, everyMs: number): Promise<void> {
    const { id, fence, sealed } = release;
    const { terms } = sealed;
    const { bookOperation, call } = this.dependencies;
    const input = {
      [bookOperation.singleUseField!]: quote.quote_id,
      reason: terms.reason,
      ...(terms.reference !== undefined && { reference: terms.reference }),
    };
    const guard = createSendGuard(release, authority, "booking", (current) =>
      current.state === "released" && current.fence === fence && current.entry === undefined
        ? undefined
        : `${id} is ${current.state}, or another process has it.`,
    );
    try {
      await call(bookOperation, input, { ...optionsFor(sealed), key: `${id}.${fence}` }, { guard });
    } catch (error) {
      if (!(error instanceof FxdeskError) || error.outcome === "not-sent")
        if ((await this.#reload(id)).entry === undefined)
          return this.#recordRemark(release, messageOf(error), everyMs);
    }
    const current = await this.#reload(id);
    if (current.entry !== undefined && current.fence === fence)
      await this.#resolveBooking(current, current.entry);
  }

  /** Finds out what became of the booking that left. */
  async #resolveBooking(release: LeasedOrder, id: string): Promise<void> {
    const { journal, recover } = this.dependencies;
    // What a process left behind that is gone ends here.
    await journal.waitForOutcome(id, AbortSignal.timeout(100)).catch(() => undefined);
    let entry = await journal.get(id);
    if (entry?.state === "unknown") {
      await recover(id).catch(() => undefined);
      entry = await journal.get(id);
    }
    if (!entry)
      return this.#update(release, "unknown", { remark: `Journal entry ${id} is not there.` }, outcomePollMs);
    return this.#applyOutcome(release, entry);
  }

  async #applyOutcome(release: LeasedOrder, entry: Entry): Promise<void> {
    const { state, ending } = entry;
    if (state === "done") {
      await this.#update(release, "booked", { identity: ending!.identity! }, 0);
      const current = await this.#reload(release.id);
      // Another process may have it by now: that one finds out the same.
      return current.fence === release.fence ? this.#readBack(current) : undefined;
    }
    if (state === "unknown")
      return this.#update(
        release,
        "unknown",
        {
          remark:
            `Nobody knows what became of a booking (journal entry ${entry.id}). No other is begun until that is found ` +
            `or said: fxdesk journal resolve ${entry.id}.`,
        },
        outcomePollMs,
      );
    if (state === "intended" || state === "sent") return this.#reschedule(release, outcomePollMs);
    const details = entry.endingDetails as { message?: string; remark?: string; note?: string } | undefined;
    const words = details?.message ?? details?.note ?? details?.remark ?? "";
    return this.#reopen(release, `The last booking was not made: ${words}`);
  }

  /** Nothing came of a booking: it goes on, unless it is over meanwhile. */
  #reopen(release: LeasedOrder, remark: string): Promise<void> {
    return this.#updateLeased(release, async (access, moment, current) => {
      await updateRelease(access, current, moment, {
        state: "released",
        progress: { ...current.progress, remark },
        nextAt: moment + outcomePollMs,
        entry: null,
      });
    });
  }

  /** Compares the trade with the order. */
  async #readBack(release: LeasedOrder): Promise<void> {
    const { sealed, progress } = release;
    const { readings = 0, identity } = progress;
    const { getOperation, call, onAlarm } = this.dependencies;
    if (progress.deviations) return this.#update(release, "booked", {}, neverDue);
    let deviations: readonly string[];
    try {
      const { body } = await call(getOperation, { trade_id: identity }, optionsFor(sealed), {});
      deviations = findDeviations(sealed.terms, body as BookedTrade);
    } catch (error) {
      if (readings + 1 < maxReadBacks)
        return this.#update(release, "booked", { readings: readings + 1 }, firstReadBackMs * 2 ** readings);
      deviations = [`It could not be read back: ${messageOf(error)}`];
    }
    await this.#update(release, "booked", { deviations }, neverDue);
    if (deviations.length > 0)
      onAlarm(`Trade ${identity} is not as its order ${release.id} says. ${deviations.join(" ")}`);
  }

  #countQuote(id: string, progress: ReleaseProgress): Promise<void> {
    return this.#transaction(async (access, moment) => {
      const current = await getRelease(access, id);
      if (current?.state !== "released") return;
      await updateRelease(access, current, moment, {
        state: current.state,
        progress: { ...current.progress, quotes: (progress.quotes ?? 0) + 1 },
        nextAt: 0,
        entry: current.entry ?? null,
      });
    });
  }

  #recordRemark(release: LeasedOrder, remark: string, delayMs: number): Promise<void> {
    return this.#updateLeased(release, async (access, moment, current) => {
      if (isFinalState(current.state)) return;
      // Who waits for a quote is looked at again when the order expires, at the latest.
      const nextAt = Math.min(moment + delayMs, Math.max(current.sealed.validUntil, moment));
      await updateRelease(access, current, moment, {
        state: current.state,
        progress: { ...current.progress, remark },
        nextAt,
        entry: current.entry ?? null,
      });
    });
  }

  #reschedule(release: LeasedOrder, delayMs: number): Promise<void> {
    return this.#update(release, release.state, {}, delayMs);
  }

  /** Says how it stands now, where this process still has it; `inMs` from now it is looked at again. */
  #update(release: LeasedOrder, state: ReleaseState, more: ReleaseProgress, delayMs: number): Promise<void> {
    return this.#updateLeased(release, async (access, moment, current) => {
      // What somebody took back meanwhile stays so.
      if (isFinalState(current.state) && current.state !== "booked") return;
      const { remark, ...before } = current.progress;
      // A remark is of the state in which it was made.
      const keptRemark = remark !== undefined && state === current.state ? { remark } : {};
      await updateRelease(access, current, moment, {
        state,
        progress: { ...before, ...keptRemark, ...more },
        nextAt: delayMs === neverDue ? neverDue : moment + delayMs,
        entry: current.entry ?? null,
      });
    });
  }

  /** Gives the lease back. */
  async #returnLease({ id, fence }: LeasedOrder): Promise<void> {
    await this.dependencies.store.use(({ database: { run } }) =>
      run("UPDATE fxdesk_releases SET held_until = 0 WHERE id = $1 AND fence = $2", [id, fence]),
    );
  }

  async #reload(id: string): Promise<LeasedOrder> {
    return this.#transaction(async (access) => (await getRelease(access, id)) as LeasedOrder);
  }

  #transaction<T>(work: (access: StoreAccess, moment: number) => Promise<T>): Promise<T> {
    return this.dependencies.store.use(({ database, sealer }) =>
      database.transaction(async (run) => work({ run, sealer }, await readClock(run, database.now))),
    );
  }

  /** Writes something about an order, where this process still has it. */
  #updateLeased(
    { id, fence }: LeasedOrder,
    work: (access: StoreAccess, moment: number, current: LeasedOrder) => Promise<void>,
  ): Promise<void> {
    return this.#transaction(async (access, moment) => {
      const current = (await getRelease(access, id)) as LeasedOrder | undefined;
      if (current?.fence === fence) await work(access, moment, current);
    });
  }
}

const defaultQuoteSeconds = 10;
const notReleasedRemark = "Nobody released it in time.";

const optionsFor = ({ client, contactId, asker }: SealedOrder): CallOptions => ({
  surface: "order",
  ...(asker !== undefined && { actor: asker }),
  ...(client !== "" && { clientId: client }),
  ...(contactId !== undefined && { contactId }),
});

const expiredRemark = ({ progress: { remark } }: LeasedOrder, reason: string): string =>
  remark === undefined ? reason : `${reason} ${remark}`;
