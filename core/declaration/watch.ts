/** What a watch is: a question that is asked again and again, of which each change is told once. */
import type { z } from "zod";
import type { Callable, ResponseDeclaration, Shape } from "./operation";
import type { ProcedureValues, RunContext } from "./procedure";

/** What counts of an entry: where it differs from what was kept, the entry has changed. */
export type WatchState = Readonly<Record<string, string | number | boolean | null>>;

/** What a read has to look at. */
export interface ReadWindow {
  /** YYYY-MM-DD, UTC, by the clock of the store. */
  readonly today: string;
  /** The first day that counts, YYYY-MM-DD; undefined for all there are. Only of a watch whose entries have a day. */
  readonly from: string | undefined;
  /** The states that are kept, by the id of the entry: what cannot change any more need not be read again. */
  readonly knownStates: ReadonlyMap<string, WatchState>;
}

/** What there is now. */
export interface Snapshot<E = unknown> {
  readonly entries: readonly E[];
  /** Why entries may be missing, for people; none where all are there: only then is what is missing gone. */
  readonly gaps: readonly string[];
}

/** Where a watch begins that nobody has started before: changes from now on, entries from a day on, or all there are. */
export type WatchStart = "now" | "beginning" | (string & {});

/** A question over a client, declared as operations are: every surface derives from it. */
export interface Watch extends Callable {
  /** All its fields are the caller's. */
  readonly input: Shape;
  /** The operations that it calls, by name; all of them only read. */
  readonly uses: readonly string[];
  readonly read: (context: RunContext, input: never, window: ReadWindow) => Promise<Snapshot>;
  /** What tells one entry from another, and stays the same. */
  readonly identify: (entry: never) => string;
  /** `previous` is what was kept of the entry; a threshold needs it, so that it is not crossed to and fro. */
  readonly state: (entry: never, input: never, previous: WatchState | undefined) => WatchState;
  /** Whether an entry that was not there before is told; it is, unless this says otherwise. */
  readonly reportsNew?: (state: WatchState) => boolean;
  /** Whether it is told that an entry is there no longer. */
  readonly reportsGone?: true;
  /** The day of an entry, YYYY-MM-DD or empty; together with how many days back are looked at again for what came late. */
  readonly day?: (entry: never) => string;
  readonly overlapDays?: number;
  /** Where it begins unless its caller says so: what tells of a condition tells also of one that is there already. */
  readonly defaultStart: "now" | "beginning";
  /** How long after one read the next is made as a rule, in milliseconds. */
  readonly everyMs: number;
}

export const isWatch = (callable: Callable): callable is Watch => "identify" in callable;

export type ChangeKind = "new" | "changed" | "gone";

/** One change. Each is told once; where nobody can know whether it was heard, once more, as `repeated`. */
export interface Change<E = unknown> {
  /** The name of the watch. */
  readonly watch: string;
  readonly kind: ChangeKind;
  /** What identifies the entry. */
  readonly id: string;
  /** As it is now; undefined where it is gone. */
  readonly entry: E | undefined;
  /** What counted of it before; undefined where it is new. */
  readonly before: WatchState | undefined;
  /** When it was found, ISO 8601 in UTC. */
  readonly at: string;
  /** It was told before, and nobody said that it was heard. */
  readonly repeated: boolean;
  /** Up to here all changes are told: `since` goes on after it. */
  readonly cursor: string;
}

type EntryOf<R extends ResponseDeclaration> = R extends { readonly schema: infer S extends z.ZodType }
  ? z.output<S>
  : unknown;

/** A watch as it is written down; what it shares with operations and never needs is filled in. */
export interface WatchDeclaration<C, S extends Shape, R extends ResponseDeclaration> extends Pick<
  Watch,
  | "name"
  | "tool"
  | "title"
  | "summary"
  | "notes"
  | "keywords"
  | "section"
  | "rules"
  | "uses"
  | "reportsNew"
  | "reportsGone"
  | "overlapDays"
  | "defaultStart"
  | "everyMs"
> {
  readonly input: S;
  /** An entry. */
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
}

/** Declares a watch over a client. */
export const watchFor =
  <C>() =>
  <const D extends Pick<Watch, "name">, const S extends Shape, const R extends ResponseDeclaration>(
    declaration: D & WatchDeclaration<C, S, R>,
  ) => {
    const { output, ...rest } = declaration;
    return Object.freeze({
      ...rest,
      effect: "read",
      responses: { 200: output },
      errors: {},
      contract: "",
      quotaBound: true,
    }) as Readonly<
      Omit<D & WatchDeclaration<C, S, R>, "output"> & {
        readonly effect: "read";
        readonly responses: { readonly 200: R };
        readonly errors: Readonly<Record<number, never>>;
        readonly contract: string;
        readonly quotaBound: true;
      }
    >;
  };
