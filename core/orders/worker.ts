/**
 * Books released orders. Any process with the lease, the credentials and the people file can work on an order: it requests a
 * quote and books it if it is within the terms, else it tries again until the order expires. Each booking has its own journal
 * key, and none starts until the previous one has certainly failed.
 */
import type { CallOptions } from "../call/call-options";
import type { PreAuthorization } from "../call/pre-authorization";
import type { ServiceResponse } from "../call/response";
import { FxdeskError } from "../spec/errors";
import type { Values } from "../spec/fields";
import type { Declaration } from "../spec/operation";
import type { Entry, Journal } from "../journal/entry";
import type { StoreSession } from "../store/session";
import { findDeviations, type BookedTrade } from "./verify";
import { type Authority, createSendGuard, isApproved, findReleaseProblem } from "../releases/release-guard";
import { findHoursViolation } from "../releases/policy-evaluation";
import { quoteInputFor, findQuoteProblem, type QuoteOperation, type Quote, parseQuote } from "./quote";
import { isFinalState, type ReleaseState } from "../releases/states";
import type { Release, ReleaseProgress } from "../releases/release";
import {
  acquireDueOrders,
  findRelease,
  listDecisions,
  msUntilNextOrder,
  readClock,
  returnOrderLease,
  transitionRelease,
} from "../releases/repository";
import type { StoreAccess } from "../store/open";
import type { SealedOrder } from "../releases/terms";

/** Access to the service, the journal and the policy. */
export interface OrderExecutorDependencies {
  readonly store: StoreSession;
  readonly journal: Journal;
  /** Environment whose orders this executor books. */
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
  /** Resolves to false if this process cannot read the people file. It then leaves the orders to other processes. */
  readonly canReadPeople: () => Promise<boolean>;
  /** Searches for the outcome of a call. */
  readonly recover: (entry: string) => Promise<unknown>;
  /** Called if a booked trade deviates from its order. */
  readonly onAlarm: (line: string) => void;
}

/**
 * Lease of an order. If it expires, the old holder may at most request a useless quote: the booking itself checks that its
 * fence is the latest.
 */
const leaseMs = 15_000;
const maxConcurrentOrders = 8;
/** Interval between reads of due orders. */
const pollIntervalMs = 1_000;
/** Interval between checks of a booking without outcome. */
const outcomePollMs = 2_000;
const [firstReadBackMs, maxReadBacks] = [1_000, 10] as const;
/** A time that no clock reaches. */
export const neverDue = 8_000_000_000_000_000;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

type LeasedOrder = Release & { readonly sealed: SealedOrder };

export class OrderExecutor {
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  /** Ends the current wait. */
  #wake: () => void = () => undefined;

  constructor(private readonly dependencies: OrderExecutorDependencies) {}

  /** Starts booking due orders. */
  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#wake();
    await this.#running;
  }

  /** Fills free slots with due orders, so that a slow order delays no other. */
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

  /** Waits for `ms`, until an order is finished or until stop. */
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
    const { environment, store } = this.dependencies;
    const waitMs = await store.use((opened) => msUntilNextOrder(opened, environment)).catch(() => undefined);
    return Math.min(Math.max(waitMs ?? pollIntervalMs, 20), pollIntervalMs);
  }

  /** Leases due orders. */
  async #leaseDue(limit: number): Promise<readonly LeasedOrder[]> {
    const { environment, store, canReadPeople } = this.dependencies;
    if (!(await canReadPeople())) return [];
    return store.use((opened) => acquireDueOrders(opened, environment, { limit, leaseMs }));
  }

  /** Advances an order as far as currently possible, then returns the lease. */
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

  /** Checks the release before a quote is requested. The booking checks it again in its own transaction. */
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

  /** Returns the order to `waiting` once its approvals have expired. */
  #returnToWaiting(release: LeasedOrder): Promise<void> {
    return this.#updateLeased(release, async (access, moment, current) => {
      if (current.state !== "released") return;
      const progress = { ...current.progress, remark: "The release has expired; the order needs a new one." };
      const nextAt = current.sealed.validUntil;
      await transitionRelease({ ...access, moment }, current, "waiting", { progress, nextAt, entry: null });
    });
  }

  /** Requests a quote. Returns it if it is within the terms, else the reason. */
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
      return `The quote request failed: ${messageOf(error)}`;
    }
    if (response.status !== quoteOperation.quotes.status)
      return "The service gave no quote that can be booked.";
    const quote = parseQuote(quoteOperation, response.body);
    if (!quote || response.violations.length > 0) return "The quote does not have the declared format.";
    const reason = findQuoteProblem(sealed.terms, quote);
    return reason === undefined ? quote : `The last quote is outside the terms of the order: ${reason}.`;
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
        : `${id} is ${current.state}, or another process holds its lease.`,
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

  /** Determines the outcome of a booking that was sent. */
  async #resolveBooking(release: LeasedOrder, id: string): Promise<void> {
    const { journal, recover } = this.dependencies;
    // Ends the journal entry if its process died.
    await journal.waitForOutcome(id, AbortSignal.timeout(100)).catch(() => undefined);
    let entry = await journal.get(id);
    if (entry?.state === "unknown") {
      await recover(id).catch(() => undefined);
      entry = await journal.get(id);
    }
    if (!entry)
      return this.#update(release, "unknown", { remark: `Journal entry ${id} is missing.` }, outcomePollMs);
    return this.#applyOutcome(release, entry);
  }

  async #applyOutcome(release: LeasedOrder, entry: Entry): Promise<void> {
    const { state, ending } = entry;
    if (state === "done") {
      await this.#update(release, "booked", { identity: ending!.identity! }, 0);
      const current = await this.#reload(release.id);
      // If another process holds the lease by now, it reads the trade back.
      return current.fence === release.fence ? this.#readBack(current) : undefined;
    }
    if (state === "unknown")
      return this.#update(
        release,
        "unknown",
        {
          remark:
            `The outcome of a booking is unknown (journal entry ${entry.id}). No other booking starts until it is found ` +
            `or resolved with \`fxdesk journal resolve ${entry.id}\`.`,
        },
        outcomePollMs,
      );
    if (state === "intended" || state === "sent") return this.#reschedule(release, outcomePollMs);
    const details = entry.endingDetails as { message?: string; remark?: string; note?: string } | undefined;
    const words = details?.message ?? details?.note ?? details?.remark ?? "";
    return this.#reopen(release, `The last booking failed: ${words}`);
  }

  /** Makes an order bookable again after a booking that was certainly not carried out. */
  #reopen(release: LeasedOrder, remark: string): Promise<void> {
    return this.#updateLeased(release, async (access, moment, current) => {
      await transitionRelease({ ...access, moment }, current, "released", {
        progress: { ...current.progress, remark },
        nextAt: moment + outcomePollMs,
        entry: null,
      });
    });
  }

  /** Reads the booked trade and compares it with the order. */
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
      deviations = [`The trade could not be read back: ${messageOf(error)}`];
    }
    await this.#update(release, "booked", { deviations }, neverDue);
    if (deviations.length > 0)
      onAlarm(`Trade ${identity} deviates from its order ${release.id}. ${deviations.join(" ")}`);
  }

  #countQuote(id: string, progress: ReleaseProgress): Promise<void> {
    return this.#transaction(async (access, moment) => {
      const current = await findRelease(access, id);
      if (current?.state !== "released") return;
      await transitionRelease({ ...access, moment }, current, current.state, {
        progress: { ...current.progress, quotes: (progress.quotes ?? 0) + 1 },
        nextAt: 0,
        entry: current.entry ?? null,
      });
    });
  }

  #recordRemark(release: LeasedOrder, remark: string, delayMs: number): Promise<void> {
    return this.#updateLeased(release, async (access, moment, current) => {
      if (isFinalState(current.state)) return;
      // An order that waits for a quote is processed at its expiry at the latest.
      const nextAt = Math.min(moment + delayMs, Math.max(current.sealed.validUntil, moment));
      await transitionRelease({ ...access, moment }, current, current.state, {
        progress: { ...current.progress, remark },
        nextAt,
        entry: current.entry ?? null,
      });
    });
  }

  #reschedule(release: LeasedOrder, delayMs: number): Promise<void> {
    return this.#update(release, release.state, {}, delayMs);
  }

  /** Updates the order if this process still holds its lease. It is due again after `delayMs`. */
  #update(release: LeasedOrder, state: ReleaseState, more: ReleaseProgress, delayMs: number): Promise<void> {
    return this.#updateLeased(release, async (access, moment, current) => {
      // A cancelled order stays cancelled.
      if (isFinalState(current.state) && current.state !== "booked") return;
      const { remark, ...before } = current.progress;
      // A remark belongs to the state in which it was written.
      const keptRemark = remark !== undefined && state === current.state ? { remark } : {};
      await transitionRelease({ ...access, moment }, current, state, {
        progress: { ...before, ...keptRemark, ...more },
        nextAt: delayMs === neverDue ? neverDue : moment + delayMs,
        entry: current.entry ?? null,
      });
    });
  }

  async #returnLease(order: LeasedOrder): Promise<void> {
    await this.dependencies.store.use(({ database: { run } }) => returnOrderLease({ run }, order));
  }

  async #reload(id: string): Promise<LeasedOrder> {
    return this.#transaction(async (access) => (await findRelease(access, id)) as LeasedOrder);
  }

  #transaction<T>(work: (access: StoreAccess, moment: number) => Promise<T>): Promise<T> {
    return this.dependencies.store.use(({ database, sealer }) =>
      database.transaction(async (run) => work({ run, sealer }, await readClock(run, database.now))),
    );
  }

  /** Runs `work` in a transaction if this process still holds the lease of the order. */
  #updateLeased(
    { id, fence }: LeasedOrder,
    work: (access: StoreAccess, moment: number, current: LeasedOrder) => Promise<void>,
  ): Promise<void> {
    return this.#transaction(async (access, moment) => {
      const current = (await findRelease(access, id)) as LeasedOrder | undefined;
      if (current?.fence === fence) await work(access, moment, current);
    });
  }
}

const defaultQuoteSeconds = 10;
const notReleasedRemark = "The request was not released in time.";

const optionsFor = ({ client, contactId, asker }: SealedOrder): CallOptions => ({
  surface: "order",
  ...(asker !== undefined && { actor: asker }),
  ...(client !== "" && { clientId: client }),
  ...(contactId !== undefined && { contactId }),
});

const expiredRemark = ({ progress: { remark } }: LeasedOrder, reason: string): string =>
  remark === undefined ? reason : `${reason} ${remark}`;
