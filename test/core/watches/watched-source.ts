/** A watch over entries of a test, with consumers that stop where the test wants. */
import { json } from "../../../core/spec/declare";
import { watchFor } from "../../../core/spec/watch";
import { StoreSession } from "../../../core/store/session";
import type { Store } from "../../../core/store/open";
import type { StoreSettings } from "../../../core/store/settings";
import { fetchChanges } from "../../../core/watches/fetch-changes";
import type { WatchDependencies } from "../../../core/watches/poller";
import { subscribe } from "../../../core/watches/subscribe";
import type { AnyWatch } from "../../../core/watches/watch";
import type { Delivery, SinceOptions, WatchOptions, WatchStatus } from "../../../core/api/watch-options";
import { z } from "zod";

export const Entry = z.object({ id: z.string(), v: z.number(), day: z.string().optional() });
export type Entry = z.infer<typeof Entry>;

const declaredWatch = watchFor<never>()({
  name: "things.watch",
  tool: "watch_things",
  title: "Watch things",
  summary: "Tells things.",
  uses: [],
  input: {},
  output: json(Entry, "A thing."),
  defaultStart: "beginning",
  everyMs: 5,
  reportsGone: true,
  read: async () => ({ entries: [], gaps: [] }),
  identify: ({ id }) => id,
  state: ({ v }) => ({ v }),
});
export const watch = declaredWatch as unknown as AnyWatch;

/** The same watch for entries with a day and an overlap of three days. */
export const datedWatch = {
  ...watch,
  day: (entry: unknown) => (entry as Entry).day ?? "",
  overlapDays: 3,
} as AnyWatch;

/** A change that a consumer received. */
export type ReceivedChange = Pick<
  Delivery<Entry>,
  "kind" | "id" | "entry" | "before" | "repeated" | "cursor"
>;

/** The source: current entries and gaps. */
export interface WatchedSource {
  readonly entries: Map<string, Entry>;
  readonly gaps: string[];
  failure?: Error;
  reads: number;
  readonly windows: (string | undefined)[];
}

export const emptySource = (): WatchedSource => ({ entries: new Map(), gaps: [], reads: 0, windows: [] });

/** The store of a process that dies before or right after one of its transactions. */
export class DyingStore extends StoreSession {
  #remaining: number;

  constructor(
    settings: StoreSettings,
    after: number,
    private readonly runsLastTransaction: boolean,
  ) {
    super(settings);
    this.#remaining = after;
  }

  override async use<T>(work: (store: Store) => Promise<T>): Promise<T> {
    this.#remaining -= 1;
    if (this.#remaining === 0 && this.runsLastTransaction) await super.use(work);
    if (this.#remaining <= 0) throw new Error("The process was killed.");
    return super.use(work);
  }
}

interface ConsumerOptions {
  readonly world: WatchedSource;
  readonly store: StoreSession;
  readonly watch?: AnyWatch;
  readonly options?: WatchOptions;
  /** True if the next read is due. */
  readonly isDue?: boolean;
  /** Store that sets the clock, if the consumer's own store dies. */
  readonly clock?: StoreSession;
  /** Number of changes after which the consumer stops without acknowledging the last. */
  readonly maxChanges?: number;
}

const dependenciesOf = ({ world, store, watch: own = watch }: ConsumerOptions): WatchDependencies => ({
  watch: own,
  input: {},
  scope: [],
  store,
  redactError: (error) => error,
  read: async ({ from }) => {
    world.reads += 1;
    world.windows.push(from);
    if (world.failure) throw world.failure;
    return { entries: [...world.entries.values()], gaps: [...world.gaps] };
  },
});

const defaults = { everyMs: 3_600_000, holdMs: 30 };

export const subscribeTo = (consumer: ConsumerOptions, signal: AbortSignal) =>
  subscribe(dependenciesOf(consumer), { ...defaults, ...consumer.options }, signal);

export const fetchFrom = (consumer: ConsumerOptions, since: SinceOptions) =>
  fetchChanges(
    dependenciesOf(consumer),
    { ...defaults, ...consumer.options, ...since },
    new AbortController().signal,
  );

/** Consumes all changes until none is left. Returns them with the statuses of the watch. */
export async function consume(
  options: ConsumerOptions,
): Promise<{ changes: ReceivedChange[]; statuses: WatchStatus[] }> {
  const { isDue = true, clock = options.store } = options;
  if (isDue) await clock.use(({ database: { run } }) => run("UPDATE fxdesk_watches SET next_at = 0"));
  const received: ReceivedChange[] = [];
  const statuses: WatchStatus[] = [];
  const stop = new AbortController();
  const onStatus = (status: WatchStatus) => {
    statuses.push(status);
    if (status.state === "waiting" || status.state === "failed") stop.abort();
  };
  const changes = subscribeTo({ ...options, options: { onStatus, ...options.options } }, stop.signal);
  try {
    for (;;) {
      const { done, value } = await changes.next();
      if (done) break;
      received.push(value as ReceivedChange);
      if (received.length === options.maxChanges) break;
    }
  } catch (error) {
    if (!(error as Error).message.includes("killed")) throw error;
  }
  return { changes: received, statuses };
}
