/** The declaration of a watch: a read that is polled, and whose changes are delivered exactly once. */
import type { z } from "zod";
import type { Callable, ResponseDeclaration, Shape } from "./operation";
import { type ProcedureValues, type RunContext, type TaskDefaults, withTaskDefaults } from "./procedure";

/** The watched part of an entry. If it differs from the stored state, the entry has changed. */
export type WatchState = Readonly<Record<string, string | number | boolean | null>>;

/** The range of one read. */
export interface ReadWindow {
  /** YYYY-MM-DD in UTC, by the clock of the store. */
  readonly today: string;
  /** First day to read, YYYY-MM-DD; undefined for all days. Only set if the watch declares `day`. */
  readonly from: string | undefined;
  /** Stored states by entry ID. A read may skip entries that are in a final state. */
  readonly knownStates: ReadonlyMap<string, WatchState>;
}

/** The result of one read: the current entries. */
export interface Snapshot<E = unknown> {
  readonly entries: readonly E[];
  /** Reasons why entries may be missing, for people. Empty if the read is complete; only then can an entry be gone. */
  readonly gaps: readonly string[];
}

/**
 * The start of a new watch: `now` for changes from now on, a day (YYYY-MM-DD) for entries from that day on, or
 * `beginning` for all.
 */
export type WatchStart = "now" | "beginning" | (string & {});

/** A read over a client with a declaration like that of an operation. Declared with `watch()` in core/watches. */
export interface Watch extends Callable {
  /** All fields are filled by the caller. */
  readonly input: Shape;
  /** Names of the operations that it calls. All have the effect `read`. */
  readonly uses: readonly string[];
  readonly read: (context: RunContext, input: never, window: ReadWindow) => Promise<Snapshot>;
  /** Returns the ID of an entry, which must be unique and never change. */
  readonly identify: (entry: never) => string;
  /**
   * Returns the watched state. `previous` is the stored state; thresholds need it to avoid reporting small
   * oscillations.
   */
  readonly state: (entry: never, input: never, previous: WatchState | undefined) => WatchState;
  /** True if an entry with this state is reported when it first appears. Default: always. */
  readonly reportsNew?: (state: WatchState) => boolean;
  /** Set if the watch reports entries that disappear. */
  readonly reportsGone?: true;
  /** Returns the day of an entry, YYYY-MM-DD or empty. Requires `overlapDays`. */
  readonly day?: (entry: never) => string;
  /** Returns the time of an entry, ISO 8601 or empty. Changes are reported oldest first. */
  readonly time?: (entry: never) => string;
  /** Number of past days that each read covers again, to find late entries. Requires `day`. */
  readonly overlapDays?: number;
  /**
   * Start if the caller sets none. A watch for a condition uses `beginning`, so that an existing condition is
   * reported.
   */
  readonly defaultStart: "now" | "beginning";
  /** Default interval between two reads, in milliseconds. */
  readonly everyMs: number;
}

export const isWatch = (callable: Callable): callable is Watch => "identify" in callable;

export type ChangeKind = "new" | "changed" | "gone";

/** A change of one entry. Delivered once; delivered again with `repeated: true` if it was not acknowledged. */
export interface Change<E = unknown> {
  /** Name of the watch. */
  readonly watch: string;
  readonly kind: ChangeKind;
  /** ID of the entry. */
  readonly id: string;
  /** Current entry; undefined if `kind` is `gone`. */
  readonly entry: E | undefined;
  /** Previous state; undefined if `kind` is `new`. */
  readonly before: WatchState | undefined;
  /** Time of detection, ISO 8601 in UTC. */
  readonly at: string;
  /** True if the change was delivered before but not acknowledged. */
  readonly repeated: boolean;
  /** Position after this change. Pass it to `since` to continue from here. */
  readonly cursor: string;
}

type EntryOf<R extends ResponseDeclaration> = R extends { readonly schema: infer S extends z.ZodType }
  ? z.output<S>
  : unknown;

/** A watch as its author writes it. `watchFor` adds the properties that every watch shares. */
export interface WatchDeclaration<C, S extends Shape, R extends ResponseDeclaration> extends Omit<
  Watch,
  keyof TaskDefaults | "input" | "effect" | "read" | "identify" | "state" | "day" | "time"
> {
  readonly input: S;
  /** One entry: its kind, description and schema. */
  readonly output: R;
  readonly read: (
    context: RunContext<C>,
    input: ProcedureValues<S>,
    window: ReadWindow,
  ) => Promise<Snapshot<EntryOf<R>>>;
  readonly identify: (entry: EntryOf<R>) => string;
  readonly state: (
    entry: EntryOf<R>,
    input: ProcedureValues<S>,
    previous: WatchState | undefined,
  ) => WatchState;
  readonly day?: (entry: EntryOf<R>) => string;
  readonly time?: (entry: EntryOf<R>) => string;
}

/** Declares a watch over a client of type `C`. */
export const watchFor =
  <C>() =>
  <const D extends Pick<Watch, "name">, const S extends Shape, const R extends ResponseDeclaration>(
    declaration: D & WatchDeclaration<C, S, R>,
  ) =>
    withTaskDefaults<D & WatchDeclaration<C, S, R> & { readonly effect: "read" }, R>({
      ...declaration,
      effect: "read",
    });
