/** A watch over entries that a test makes, and consumers of it that end where the test wants. */
import { json } from "../../../core/declaration/declare";
import { watchOver } from "../../../core/declaration/watch";
import { KeptStore } from "../../../core/journal/kept-store";
import type { Store } from "../../../core/store/open";
import type { StoreSettings } from "../../../core/store/settings";
import type { AnyWatch } from "../../../core/watches/compare";
import { Watcher } from "../../../core/watches/engine";
import type { ToldChange, WatchOptions, WatchStatus } from "../../../core/watches/options";
import { z } from "zod";

export const Entry = z.object({ id: z.string(), v: z.number(), day: z.string().optional() });
export type Entry = z.infer<typeof Entry>;

const declared = watchOver<never>()({
  name: "things.watch",
  tool: "watch_things",
  title: "Watch things",
  summary: "Tells things.",
  uses: [],
  input: {},
  output: json(Entry, "A thing."),
  begins: "beginning",
  everyMs: 5,
  tellsGone: true,
  read: async () => ({ entries: [], gaps: [] }),
  identify: ({ id }) => id,
  state: ({ v }) => ({ v }),
});
export const watch = declared as unknown as AnyWatch;

/** The same of entries that have a day, looked back for three days. */
export const dated = {
  ...watch,
  day: (entry: unknown) => (entry as Entry).day ?? "",
  overlapDays: 3,
} as AnyWatch;

/** What a consumer was told. */
export type Heard = Pick<ToldChange<Entry>, "kind" | "id" | "entry" | "before" | "repeated" | "cursor">;

/** What is read: entries and gaps as they are now. */
export interface World {
  readonly entries: Map<string, Entry>;
  readonly gaps: string[];
  failure?: Error;
  reads: number;
  readonly windows: (string | undefined)[];
}

export const emptyWorld = (): World => ({ entries: new Map(), gaps: [], reads: 0, windows: [] });

/** The store of a process that dies at one of its transactions: before it, or once it is done and nobody knows. */
export class DyingStore extends KeptStore {
  #left: number;

  constructor(
    settings: StoreSettings,
    after: number,
    private readonly isDone: boolean,
  ) {
    super(settings);
    this.#left = after;
  }

  override async read<T>(work: (store: Store) => Promise<T>): Promise<T> {
    this.#left -= 1;
    if (this.#left === 0 && this.isDone) await super.read(work);
    if (this.#left <= 0) throw new Error("The process was killed.");
    return super.read(work);
  }
}

interface Consuming {
  readonly world: World;
  readonly store: KeptStore;
  readonly watch?: AnyWatch;
  readonly options?: WatchOptions;
  /** Whether the time of the next read has come. */
  readonly isDue?: boolean;
  /** Where the store of the consumer dies: that of somebody else. */
  readonly clock?: KeptStore;
  /** After so many changes nobody asks for the next one, and nobody says so. */
  readonly most?: number;
}

export const watcherOf = (
  { world, store, watch: own = watch, options = {} }: Consuming,
  signal: AbortSignal,
) =>
  new Watcher(
    {
      watch: own,
      input: {},
      scope: [],
      store,
      redacted: (error) => error,
      read: async ({ from }) => {
        world.reads += 1;
        world.windows.push(from);
        if (world.failure) throw world.failure;
        return { entries: [...world.entries.values()], gaps: [...world.gaps] };
      },
    },
    { everyMs: 3_600_000, holdMs: 30, ...options },
    signal,
  );

/** Hears all there is, until there is nothing more to tell. Returns it, and what the watch was at. */
export async function consume(consuming: Consuming): Promise<{ heard: Heard[]; statuses: WatchStatus[] }> {
  const { isDue = true, clock = consuming.store } = consuming;
  if (isDue) await clock.read(({ database: { run } }) => run("UPDATE fxdesk_watches SET next_at = 0"));
  const heard: Heard[] = [];
  const statuses: WatchStatus[] = [];
  const stop = new AbortController();
  const onStatus = (status: WatchStatus) => {
    statuses.push(status);
    if (status.state === "waiting" || status.state === "failed") stop.abort();
  };
  const changes = watcherOf(
    { ...consuming, options: { onStatus, ...consuming.options } },
    stop.signal,
  ).changes();
  try {
    for (;;) {
      const { done, value } = await changes.next();
      if (done) break;
      heard.push(value as Heard);
      if (heard.length === consuming.most) break;
    }
  } catch (error) {
    if (!(error as Error).message.includes("killed")) throw error;
  }
  return { heard, statuses };
}
