/**
 * The runtime of a watch. Of all processes with the same watch, one reads at a time. Changes are stored together with
 * the new states before any is delivered. A change is marked before its delivery and deleted once it is acknowledged,
 * so a delivery that is interrupted between the two is made again with `repeated: true`.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { Change, Snapshot, WatchStart, WatchState, ReadWindow } from "../spec/watch";
import { FxdeskError, InvalidInput, InvalidResponse, RateLimited, Unavailable } from "../spec/errors";
import { canonicalJson } from "../values/canonical-json";
import type { StoreSession } from "../store/session";
import { type AnyWatch, compare, firstDayToRead } from "./diff";
import {
  type DueRead,
  type EntryStates,
  type StoredChange,
  WatchRepository,
  type NextStep,
} from "./repository";
import type { SinceOptions, Delivery, ChangeBatch, WatchOptions } from "../api/watch-options";

export interface WatcherDependencies {
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
const dayMs = 86_400_000;

/** Maximum delay until the release of another process's lease is noticed. */
const maxHeldPollMs = 500;

const [initialBackoffMs, maxBackoffMs] = [1_000, 300_000];

/** Maximum number of changes fetched at once. Each is marked individually before its delivery. */
const maxChangesPerStep = 100;

/** Returns an exponential backoff with jitter. */
const backoffMs = (failures: number): number =>
  Math.min(maxBackoffMs, initialBackoffMs * 2 ** Math.min(failures - 1, 20)) * (0.5 + Math.random() / 2);

const toCursor = (repository: WatchRepository, seq: number): string => `${repository.id.slice(0, 16)}.${seq}`;

/** Runs one watch for one consumer of this process. */
export class Watcher {
  readonly #repository: WatchRepository;
  readonly #holder = randomUUID();
  readonly #start: WatchStart;
  readonly #minIntervalMs: number;
  readonly #intervalMs: number;
  readonly #holdMs: number;
  /** Stored states with their version, to avoid reading them before every poll. */
  #cachedStates: { readonly version: number; readonly states: EntryStates } | undefined;

  constructor(
    private readonly dependencies: WatcherDependencies,
    private readonly options: WatchOptions,
    private readonly signal: AbortSignal,
  ) {
    const { watch, input, scope, store } = dependencies;
    const {
      from = watch.defaultStart,
      everyMs = watch.everyMs,
      readsPerDay,
      holdMs = defaultHoldMs,
    } = options;
    this.#start = from;
    this.#minIntervalMs = readsPerDay === undefined ? 0 : Math.ceil(dayMs / readsPerDay);
    this.#intervalMs = Math.max(everyMs, this.#minIntervalMs);
    this.#holdMs = holdMs;
    const { consumer = "" } = options;
    this.#repository = new WatchRepository(
      store,
      watch.name,
      canonicalJson([watch.name, input, scope, consumer]),
    );
  }

  /** Yields every change until the signal is aborted. */
  async *changes(): AsyncGenerator<Delivery, void, void> {
    let acknowledged = 0;
    let hasRead = false;
    try {
      while (!this.signal.aborted) {
        const step = await this.#nextStep(acknowledged, maxChangesPerStep, hasRead);
        if (step.kind === "deliver")
          for (const change of step.changes) {
            if (!(await this.#markDelivered(change.seq, acknowledged))) break;
            yield this.#toDelivery(change);
            acknowledged = change.seq;
            if (this.signal.aborted) break;
          }
        else if (step.kind === "poll") {
          const failure = await this.#read(step);
          // A permanent failure of the first read is thrown; later ones are retried, because reads worked before.
          if (failure instanceof FxdeskError && !failure.retryable && !hasRead) throw failure;
          hasRead ||= failure === undefined;
        } else await this.#wait(step);
      }
    } finally {
      if (acknowledged > 0) await this.#repository.acknowledge(acknowledged).catch(() => undefined);
      await this.#repository.releaseLease(this.#holder).catch(() => undefined);
    }
  }

  /** Acknowledges the changes up to the cursor and returns those after it. Reads if a read is due. */
  async since({ cursor, limit = 100 }: SinceOptions): Promise<ChangeBatch> {
    const acknowledged = cursor === undefined ? 0 : await this.#parseCursor(cursor);
    const startedAt = performance.now();
    const gaps = () => this.#withStoreErrors(() => this.#repository.gaps());
    const emptyBatch = async (hasMore: boolean) => ({
      changes: [],
      next: cursor ?? toCursor(this.#repository, 0),
      hasMore,
      gaps: await gaps(),
    });
    for (let hasRead = false; ;) {
      this.signal.throwIfAborted();
      const step = await this.#nextStep(acknowledged, limit, false);
      if (step.kind === "deliver") {
        const last = step.changes.at(-1)!;
        if (!(await this.#markDelivered(last.seq, acknowledged))) continue;
        await this.#repository.releaseLease(this.#holder);
        const changes = step.changes.map((change) => this.#toChange(change));
        const next = toCursor(this.#repository, last.seq);
        return { changes, next, hasMore: changes.length === limit, gaps: await gaps() };
      }
      if (step.kind === "poll") {
        if (hasRead) {
          await this.#repository.releaseLease(this.#holder);
          return emptyBatch(false);
        }
        const failure = await this.#read(step);
        if (failure) throw failure;
        hasRead = true;
      } else if (step.isHeld && performance.now() - startedAt < this.#holdMs) await this.#wait(step);
      else if (step.hasFailed) throw this.#lastReadFailedError(step.ms);
      else return emptyBatch(step.isHeld);
    }
  }

  /** Marks a change before its delivery. Returns false if the lease has expired. */
  async #markDelivered(delivered: number, acknowledged: number): Promise<boolean> {
    try {
      return await this.#repository.markDelivered(this.#holder, this.#holdMs, delivered, acknowledged);
    } catch {
      // The next step fails in the same way and reports the store error.
      return false;
    }
  }

  /** Parses a cursor. Refuses numbers that were never delivered, because they would skip changes. */
  async #parseCursor(cursor: string): Promise<number> {
    const { name } = this.dependencies.watch;
    const [id, text] = cursor.split(".");
    const seq =
      id === this.#repository.id.slice(0, 16) && /^\d{1,15}$/.test(text ?? "") ? Number(text) : undefined;
    if (
      seq === 0 ||
      (seq !== undefined && (await this.#withStoreErrors(() => this.#repository.wasDelivered(seq))))
    )
      return seq;
    const message = "must come from an earlier result for the same watch and input";
    throw new InvalidInput(`${name}: cursor ${message}.`, {
      operation: name,
      code: "invalid_input",
      outcome: "not-sent",
      violations: [{ field: "cursor", message }],
    });
  }

  /** Returns the next step. Throws Unavailable if the store fails, or retries if `retriesStoreErrors` is set. */
  async #nextStep(acknowledged: number, maxChanges: number, retriesStoreErrors: boolean): Promise<NextStep> {
    const request = {
      holder: this.#holder,
      holdMs: this.#holdMs,
      acknowledged,
      maxChanges,
      minIntervalMs: this.#minIntervalMs,
    };
    for (let failures = 1; ; failures += 1) {
      try {
        return await this.#repository.nextStep(request);
      } catch (error) {
        const failure = this.#storeError(error as Error);
        if (!retriesStoreErrors || this.signal.aborted) throw failure;
        const pauseMs = backoffMs(failures);
        this.#reportStatus({ state: "failed", error: failure, until: new Date(Date.now() + pauseMs) });
        await this.#pause(pauseMs);
      }
    }
  }

  async #withStoreErrors<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.#storeError(error as Error);
    }
  }

  #storeError(error: Error): FxdeskError {
    const { name } = this.dependencies.watch;
    const cause = this.dependencies.redactError(error);
    return new Unavailable(
      `${name}: The store of the watch failed: ${cause.message}. Check it with \`fxdesk store check\`.`,
      { operation: name, code: "unavailable", outcome: "not-sent", retryable: true, cause },
    );
  }

  /** An empty batch would wrongly mean that nothing has changed, so failing reads are an error. */
  #lastReadFailedError(ms: number): FxdeskError {
    const { name } = this.dependencies.watch;
    const inSeconds = Math.ceil(ms / 1_000);
    return new Unavailable(
      `${name}: The last read failed. The next read starts in ${inSeconds} s at the earliest.`,
      {
        operation: name,
        code: "unavailable",
        outcome: "not-sent",
        retryable: true,
      },
    );
  }

  /** Reads, compares and saves. Returns the error if that failed; a retry is then scheduled. */
  async #read(due: DueRead): Promise<Error | undefined> {
    this.#reportStatus({ state: "reading" });
    const leaseTimer = setInterval(() => {
      this.#repository.extendLease(this.#holder, this.#holdMs).catch(() => undefined);
    }, this.#holdMs / 3).unref();
    try {
      await this.#readAndSave(due);
      return undefined;
    } catch (error) {
      const failure = this.dependencies.redactError(error as Error);
      if (this.signal.aborted) return failure;
      const retryAfterMs = (failure instanceof RateLimited && failure.retryAfterMs) || 0;
      const pauseMs = await this.#repository
        .recordFailure(this.#holder, (failures) => Math.max(retryAfterMs, backoffMs(failures)))
        .catch(() => 0);
      this.#reportStatus({ state: "failed", error: failure, until: new Date(Date.now() + pauseMs) });
      return failure;
    } finally {
      clearInterval(leaseTimer);
    }
  }

  async #readAndSave(due: DueRead): Promise<void> {
    const { watch, input, read } = this.dependencies;
    const { version, readDay, now } = due;
    if (this.#cachedStates?.version !== version)
      this.#cachedStates = { version, states: await this.#repository.states() };
    const knownStates = this.#cachedStates.states;
    const today = new Date(now).toISOString().slice(0, "YYYY-MM-DD".length);
    const from = firstDayToRead(watch, today, readDay, this.#start);
    const states = new Map<string, WatchState>([...knownStates].map(([id, { state }]) => [id, state]));
    const snapshot = await read({ today, from, knownStates: states }, this.signal);
    const start = version === 0 ? this.#start : undefined;
    const { gaps } = snapshot;
    if (gaps.length > 0 && start !== undefined && start !== "beginning")
      throw this.#incompleteStartError(gaps[0]!);
    const result = compare(watch, { input, knownStates, snapshot, today, from, start });
    const isSaved = await this.#repository.saveRead(this.#holder, due, result, this.#intervalMs);
    this.#cachedStates = undefined;
    if (isSaved) {
      const nextStates = new Map(knownStates);
      for (const [id, entry] of result.updatedStates) nextStates.set(id, entry);
      for (const id of result.removedIds) nextStates.delete(id);
      this.#cachedStates = { version: version + 1, states: nextStates };
    }
    if (gaps.length > 0) this.#reportStatus({ state: "incomplete", gaps });
  }

  /** Without a complete first read, later reads could not tell which entries are new. */
  #incompleteStartError(gap: string): FxdeskError {
    const { name } = this.dependencies.watch;
    return new InvalidResponse(
      `${name}: The watch cannot start, because its first read was incomplete. ${gap} Start from "beginning" to accept gaps.`,
      {
        operation: name,
        code: "invalid_response",
        outcome: "unknown",
        retryable: true,
      },
    );
  }

  async #wait({ ms, isHeld }: NextStep & { readonly kind: "wait" }): Promise<void> {
    this.#reportStatus(isHeld ? { state: "held" } : { state: "waiting", until: new Date(Date.now() + ms) });
    // Another process may end with undelivered changes, so the wait is limited.
    await this.#pause(
      isHeld ? Math.min(ms, maxHeldPollMs * (0.5 + Math.random() / 2)) : Math.min(ms, this.#holdMs),
    );
  }

  async #pause(ms: number): Promise<void> {
    await wait(ms, undefined, { signal: this.signal }).catch(() => undefined);
  }

  #toChange({ seq, kind, id, entry, before, at, repeated }: StoredChange): Change {
    return {
      watch: this.dependencies.watch.name,
      kind,
      id,
      entry,
      before,
      at: new Date(at).toISOString(),
      repeated,
      cursor: toCursor(this.#repository, seq),
    };
  }

  #toDelivery(change: StoredChange): Delivery {
    return { ...this.#toChange(change), ack: () => this.#repository.acknowledge(change.seq) };
  }

  #reportStatus(status: Parameters<NonNullable<WatchOptions["onStatus"]>>[0]): void {
    this.options.onStatus?.(status);
  }
}
