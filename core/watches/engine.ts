/**
 * Watches at work. Of all processes that watch the same one reads at a time; what it finds is in the store, with what it
 * compared, before anybody hears of it. A change is marked before it is told and gone when its consumer asks for the next
 * one: what was lost between the two is told again, as repeated.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { Change, Snapshot, WatchBeginning, WatchState, Window } from "../declaration/watch";
import { FxdeskError, InvalidInput, InvalidResponse, RateLimited, Unavailable } from "../errors";
import { canonicalJson } from "../journal/canonical";
import type { KeptStore } from "../journal/kept-store";
import { type AnyWatch, compare, windowFrom } from "./compare";
import { type DueRead, type Known, type KeptChange, KeptWatch, type Turn } from "./kept";
import type { SinceOptions, ToldChange, ToldChanges, WatchOptions } from "./options";

export interface Watching {
  readonly watch: AnyWatch;
  /** Checked, with defaults. */
  readonly input: Readonly<Record<string, unknown>>;
  /** What it is of beside that: environment, addresses, client. */
  readonly scope: readonly string[];
  readonly store: KeptStore;
  /** Reads what there is now. */
  readonly read: (window: Window, signal: AbortSignal) => Promise<Snapshot>;
  /** Takes what must not be shown out of an error. */
  readonly redacted: (error: Error) => Error;
}

const usualHoldMs = 30_000;
const dayMs = 86_400_000;

/** How long it takes at most until it is noticed that whoever was at it is done. */
const longestHeldMs = 500;

const [firstBackoffMs, longestBackoffMs] = [1_000, 300_000];

/** How many changes are fetched at once; each is marked by itself before it is told. */
const changesAtOnce = 100;

/** From half of the bound to all of it. */
const pauseAfter = (failures: number): number =>
  Math.min(longestBackoffMs, firstBackoffMs * 2 ** Math.min(failures - 1, 20)) * (0.5 + Math.random() / 2);

const cursorOf = (kept: KeptWatch, seq: number): string => `${kept.id.slice(0, 16)}.${seq}`;

export class Watcher {
  readonly #kept: KeptWatch;
  readonly #holder = randomUUID();
  readonly #begins: WatchBeginning;
  readonly #leastMs: number;
  readonly #everyMs: number;
  readonly #holdMs: number;
  /** What was kept with the version that it has. */
  #known: { readonly version: number; readonly states: Known } | undefined;

  constructor(
    private readonly watching: Watching,
    private readonly options: WatchOptions,
    private readonly signal: AbortSignal,
  ) {
    const { watch, input, scope, store } = watching;
    const { from = watch.begins, everyMs = watch.everyMs, readsPerDay, holdMs = usualHoldMs } = options;
    this.#begins = from;
    this.#leastMs = readsPerDay === undefined ? 0 : Math.ceil(dayMs / readsPerDay);
    this.#everyMs = Math.max(everyMs, this.#leastMs);
    this.#holdMs = holdMs;
    const { consumer = "" } = options;
    this.#kept = new KeptWatch(store, watch.name, canonicalJson([watch.name, input, scope, consumer]));
  }

  /** Tells each change, until the signal ends it. */
  async *changes(): AsyncGenerator<ToldChange, void, void> {
    let heard = 0;
    let hasRead = false;
    try {
      while (!this.signal.aborted) {
        const turn = await this.#take(heard, changesAtOnce, hasRead);
        if (turn.kind === "tell")
          for (const change of turn.changes) {
            if (!(await this.#mark(change.seq, heard))) break;
            yield this.#told(change);
            heard = change.seq;
            if (this.signal.aborted) break;
          }
        else if (turn.kind === "read") {
          const failure = await this.#read(turn);
          // What cannot succeed is told at once; what did before may do so again.
          if (failure instanceof FxdeskError && !failure.retryable && !hasRead) throw failure;
          hasRead ||= failure === undefined;
        } else await this.#wait(turn);
      }
    } finally {
      if (heard > 0) await this.#kept.heard(heard).catch(() => undefined);
      await this.#kept.release(this.#holder).catch(() => undefined);
    }
  }

  /** The changes after a cursor; those up to it were heard. Reads where a read is due. */
  async since({ cursor, limit = 100 }: SinceOptions): Promise<ToldChanges> {
    const heard = cursor === undefined ? 0 : await this.#seqIn(cursor);
    const begun = performance.now();
    const gaps = () => this.#stored(() => this.#kept.gaps());
    const none = async (mayBeMore: boolean) => ({
      changes: [],
      next: cursor ?? cursorOf(this.#kept, 0),
      mayBeMore,
      gaps: await gaps(),
    });
    for (let hasRead = false; ;) {
      this.signal.throwIfAborted();
      const turn = await this.#take(heard, limit, false);
      if (turn.kind === "tell") {
        const last = turn.changes.at(-1)!;
        if (!(await this.#mark(last.seq, heard))) continue;
        await this.#kept.release(this.#holder);
        const changes = turn.changes.map((change) => this.#change(change));
        const next = cursorOf(this.#kept, last.seq);
        return { changes, next, mayBeMore: changes.length === limit, gaps: await gaps() };
      }
      if (turn.kind === "read") {
        if (hasRead) {
          await this.#kept.release(this.#holder);
          return none(false);
        }
        const failure = await this.#read(turn);
        if (failure) throw failure;
        hasRead = true;
      } else if (turn.isHeld && performance.now() - begun < this.#holdMs) await this.#wait(turn);
      else if (turn.hasFailed) throw this.#notRead(turn.ms);
      else return none(turn.isHeld);
    }
  }

  /** False where somebody else tells it: it took too long. */
  async #mark(told: number, heard: number): Promise<boolean> {
    try {
      return await this.#kept.tell(this.#holder, this.#holdMs, told, heard);
    } catch {
      // What the store does not take now is taken again from the beginning, which says what is wrong.
      return false;
    }
  }

  /** A number that nobody was told would pass over what is found next. */
  async #seqIn(cursor: string): Promise<number> {
    const { name } = this.watching.watch;
    const [id, text] = cursor.split(".");
    const seq = id === this.#kept.id.slice(0, 16) && /^\d{1,15}$/.test(text ?? "") ? Number(text) : undefined;
    if (seq === 0 || (seq !== undefined && (await this.#stored(() => this.#kept.wasTold(seq))))) return seq;
    const message = "must come from an earlier result for the same watch and input";
    throw new InvalidInput(`${name}: cursor ${message}.`, {
      operation: name,
      code: "invalid_input",
      outcome: "not-sent",
      violations: [{ field: "cursor", message }],
    });
  }

  /** What there is to do. Where the store fails it is asked again, once it has worked; before, it throws Unavailable. */
  async #take(heard: number, most: number, isPatient: boolean): Promise<Turn> {
    const taking = { holder: this.#holder, holdMs: this.#holdMs, heard, most, leastMs: this.#leastMs };
    for (let failures = 1; ; failures += 1) {
      try {
        return await this.#kept.take(taking);
      } catch (error) {
        const failure = this.#storeFailure(error as Error);
        if (!isPatient || this.signal.aborted) throw failure;
        const pauseMs = pauseAfter(failures);
        this.#say({ state: "failed", error: failure, until: new Date(Date.now() + pauseMs) });
        await this.#pause(pauseMs);
      }
    }
  }

  async #stored<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.#storeFailure(error as Error);
    }
  }

  #storeFailure(error: Error): FxdeskError {
    const { name } = this.watching.watch;
    const cause = this.watching.redacted(error);
    return new Unavailable(
      `${name}: The store cannot be used (${cause.message}), which keeps what was told. fxdesk store check looks through it.`,
      { operation: name, code: "unavailable", outcome: "not-sent", retryable: true, cause },
    );
  }

  /** No changes are found while reads fail: that there are none would not be true. */
  #notRead(ms: number): FxdeskError {
    const { name } = this.watching.watch;
    const inSeconds = Math.ceil(ms / 1_000);
    return new Unavailable(
      `${name}: The last read failed; the next one is made in ${inSeconds} s at the earliest.`,
      {
        operation: name,
        code: "unavailable",
        outcome: "not-sent",
        retryable: true,
      },
    );
  }

  /** Reads, compares and keeps what was found. Returns why that failed; then it is tried again later. */
  async #read(due: DueRead): Promise<Error | undefined> {
    this.#say({ state: "reading" });
    const holding = setInterval(() => {
      this.#kept.extend(this.#holder, this.#holdMs).catch(() => undefined);
    }, this.#holdMs / 3).unref();
    try {
      await this.#find(due);
      return undefined;
    } catch (error) {
      const failure = this.watching.redacted(error as Error);
      if (this.signal.aborted) return failure;
      const retryAfterMs = (failure instanceof RateLimited && failure.retryAfterMs) || 0;
      const pauseMs = await this.#kept
        .fail(this.#holder, (failures) => Math.max(retryAfterMs, pauseAfter(failures)))
        .catch(() => 0);
      this.#say({ state: "failed", error: failure, until: new Date(Date.now() + pauseMs) });
      return failure;
    } finally {
      clearInterval(holding);
    }
  }

  async #find(due: DueRead): Promise<void> {
    const { watch, input, read } = this.watching;
    const { version, readDay, now } = due;
    if (this.#known?.version !== version) this.#known = { version, states: await this.#kept.states() };
    const known = this.#known.states;
    const today = new Date(now).toISOString().slice(0, "YYYY-MM-DD".length);
    const from = windowFrom(watch, today, readDay, this.#begins);
    const states = new Map<string, WatchState>([...known].map(([id, { state }]) => [id, state]));
    const snapshot = await read({ today, from, known: states }, this.signal);
    const first = version === 0 ? this.#begins : undefined;
    const { gaps } = snapshot;
    if (gaps.length > 0 && first !== undefined && first !== "beginning")
      throw this.#incompleteBeginning(gaps[0]!);
    const finding = compare(watch, { input, known, snapshot, today, from, first });
    const isKept = await this.#kept.keep(this.#holder, due, finding, this.#everyMs);
    this.#known = undefined;
    if (isKept) {
      const next = new Map(known);
      for (const [id, entry] of finding.kept) next.set(id, entry);
      for (const id of finding.dropped) next.delete(id);
      this.#known = { version: version + 1, states: next };
    }
    if (gaps.length > 0) this.#say({ state: "incomplete", gaps });
  }

  /** Whoever does not know what there is cannot tell later what is new. */
  #incompleteBeginning(gap: string): FxdeskError {
    const { name } = this.watching.watch;
    return new InvalidResponse(
      `${name}: It cannot begin before all that is there was read. ${gap} From "beginning" it begins all the same.`,
      {
        operation: name,
        code: "invalid_response",
        outcome: "unknown",
        retryable: true,
      },
    );
  }

  async #wait({ ms, isHeld }: Turn & { readonly kind: "wait" }): Promise<void> {
    this.#say(isHeld ? { state: "held" } : { state: "waiting", until: new Date(Date.now() + ms) });
    // A process that ends may leave changes that nobody has heard.
    await this.#pause(
      isHeld ? Math.min(ms, longestHeldMs * (0.5 + Math.random() / 2)) : Math.min(ms, this.#holdMs),
    );
  }

  async #pause(ms: number): Promise<void> {
    await wait(ms, undefined, { signal: this.signal }).catch(() => undefined);
  }

  #change({ seq, kind, id, entry, before, at, repeated }: KeptChange): Change {
    return {
      watch: this.watching.watch.name,
      kind,
      id,
      entry,
      before,
      at: new Date(at).toISOString(),
      repeated,
      cursor: cursorOf(this.#kept, seq),
    };
  }

  #told(change: KeptChange): ToldChange {
    return { ...this.#change(change), done: () => this.#kept.heard(change.seq) };
  }

  #say(status: Parameters<NonNullable<WatchOptions["onStatus"]>>[0]): void {
    this.options.onStatus?.(status);
  }
}
