/** Polls a watch for one consumer: reads, compares with the stored states and saves the difference. Waits in between. */
import { dayMs } from "../calendars/days";
import { inSpan } from "../call/spans";
import { setTimeout as wait } from "node:timers/promises";
import type { Snapshot, WatchStart, ReadWindow } from "../spec/watch";
import type { WatchOptions, WatchStatus } from "../api/watch-options";
import { RateLimited } from "../spec/errors";
import { canonicalJson } from "../values/json";
import type { StoreSession } from "../store/session";
import { diff, firstDayToRead } from "./diff";
import { type DueRead, type NextStep, WatchRepository } from "./repository";
import type { AnyWatch } from "./watch";
import { incompleteStart, storeFailed } from "./watch-errors";

/** A watch with its input, and its access to the store and the service. */
export interface WatchDependencies {
  readonly watch: AnyWatch;
  /** Validated input with defaults. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Further parts of the identity: environment, addresses, client. */
  readonly scope: readonly string[];
  readonly store: StoreSession;
  /** Reads the current entries. */
  readonly read: (window: ReadWindow, signal: AbortSignal) => Promise<Snapshot>;
  /** Removes secrets from an error. */
  readonly redactError: (error: Error) => Error;
}

const defaultHoldMs = 30_000;
const [initialBackoffMs, maxBackoffMs] = [1_000, 300_000];

/** Maximum delay until the release of another process's lease is noticed. */
const maxHeldPollMs = 500;

/** Returns a time between half and the whole, so that processes do not act in step. */
const withJitter = (ms: number): number => ms * (0.5 + Math.random() / 2);

const backoffMs = (failures: number): number =>
  withJitter(Math.min(maxBackoffMs, initialBackoffMs * 2 ** Math.min(failures - 1, 20)));

export class Poller {
  readonly repository: WatchRepository;
  readonly holdMs: number;
  readonly #start: WatchStart;

  constructor(
    private readonly dependencies: WatchDependencies,
    private readonly options: WatchOptions,
    private readonly signal: AbortSignal,
  ) {
    const { watch, input, scope, store } = dependencies;
    const { everyMs = watch.everyMs, readsPerDay, consumer = "" } = options;
    const minIntervalMs = readsPerDay === undefined ? 0 : Math.ceil(dayMs / readsPerDay);
    this.holdMs = options.holdMs ?? defaultHoldMs;
    this.#start = options.from ?? watch.defaultStart;
    const intervalMs = Math.max(everyMs, minIntervalMs);
    const identity = canonicalJson([watch.name, input, scope, consumer]);
    const { holdMs } = this;
    this.repository = new WatchRepository(store, watch.name, identity, { holdMs, minIntervalMs, intervalMs });
  }

  /** Acknowledges changes and returns the next step. Throws Unavailable if the store fails. */
  acquireNextStep(acknowledged: number, maxChanges: number): Promise<NextStep> {
    return this.withStoreErrors(this.repository.acquireNextStep(acknowledged, maxChanges));
  }

  /** Reads and saves, and extends the lease meanwhile. If that fails, schedules a retry and returns the error. */
  async poll(due: DueRead): Promise<Error | undefined> {
    this.#reportStatus({ state: "reading", isContinued: due.version > 0 });
    const leaseTimer = setInterval(() => {
      this.repository.extendLease().catch(() => undefined);
    }, this.holdMs / 3).unref();
    try {
      const { name } = this.dependencies.watch;
      await inSpan(
        () => ({ name: `watch ${name}`, kind: "INTERNAL", attributes: { "fxdesk.watch": name } }),
        () => this.#readAndSave(due),
      );
      return undefined;
    } catch (error) {
      const failure = this.dependencies.redactError(error as Error);
      if (this.signal.aborted) return failure;
      const retryAfterMs = (failure instanceof RateLimited && failure.retryAfterMs) || 0;
      const pauseMs = await this.repository
        .recordFailure((failures) => Math.max(retryAfterMs, backoffMs(failures)))
        .catch(() => 0);
      this.#reportFailure(failure, pauseMs);
      return failure;
    } finally {
      clearInterval(leaseTimer);
    }
  }

  async #readAndSave(due: DueRead): Promise<void> {
    const { watch, read } = this.dependencies;
    const { version, today, readDay } = due;
    const stored = await this.repository.loadStates(version);
    const knownStates = new Map([...stored].map(([id, { state }]) => [id, state]));
    const from = firstDayToRead(watch, today, readDay, this.#start);
    const snapshot = await read({ today, from, knownStates }, this.signal);
    const { gaps } = snapshot;
    const start = version === 0 ? this.#start : undefined;
    if (gaps.length > 0 && start !== undefined && start !== "beginning")
      throw incompleteStart(watch.name, gaps[0]!);
    const found = diff(this.dependencies, stored, snapshot, { from, start });
    await this.repository.saveRead(due, { ...found, gaps });
    if (gaps.length > 0) this.#reportStatus({ state: "incomplete", gaps });
  }

  /** Waits until the next read is due, or another consumer may have released the lease. */
  async wait({ ms, isHeld }: NextStep & { readonly kind: "wait" }): Promise<void> {
    this.#reportStatus(isHeld ? { state: "held" } : { state: "waiting", until: new Date(Date.now() + ms) });
    // Another process may end with undelivered changes, so the wait is limited.
    await this.#pause(Math.min(ms, isHeld ? withJitter(maxHeldPollMs) : this.holdMs));
  }

  /** Reports a failure of the store and waits before the next attempt. */
  async waitAfterFailure(error: Error, failures: number): Promise<void> {
    const pauseMs = backoffMs(failures);
    this.#reportFailure(error, pauseMs);
    await this.#pause(pauseMs);
  }

  /** Waits for a result of the store. Throws Unavailable if the store fails. */
  async withStoreErrors<T>(result: Promise<T>): Promise<T> {
    try {
      return await result;
    } catch (error) {
      throw storeFailed(this.dependencies.watch.name, this.dependencies.redactError(error as Error));
    }
  }

  async #pause(ms: number): Promise<void> {
    await wait(ms, undefined, { signal: this.signal }).catch(() => undefined);
  }

  #reportFailure(error: Error, pauseMs: number): void {
    this.#reportStatus({ state: "failed", error, until: new Date(Date.now() + pauseMs) });
  }

  #reportStatus(status: WatchStatus): void {
    this.options.onStatus?.(status);
  }
}
