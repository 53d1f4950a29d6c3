/** The watches of one client: their input is checked as that of an operation, and the store is opened with the first. */
import { checkInput } from "../declaration/check";
import { type Values, withDefaults } from "../declaration/fields";
import type { RunContext } from "../declaration/procedure";
import type { Snapshot, Watch, Window } from "../declaration/watch";
import type { Violation } from "../declaration/violation";
import { Aborted } from "../errors";
import type { KeptStore } from "../journal/kept-store";
import { isDay } from "../schema/values";
import type { AnyWatch } from "../watches/compare";
import type { Watcher } from "../watches/engine";
import type { FirstChanges, SinceOptions, ToldChange, ToldChanges, WatchOptions } from "../watches/options";
import { canonicalValues } from "../wire/spelling";
import { errorFrom, invalidInput } from "./call-errors";
import type { Connection } from "./connection";
import { limitViolation } from "./limits";
import { CallsOfRun, type ClientFor } from "./run-procedure";

const numbers = ["everyMs", "readsPerDay", "holdMs", "limit"] as const;

function optionViolations(watch: Watch, options: SinceOptions): Violation[] {
  const { from } = options;
  const found: Violation[] = numbers.flatMap((field) => {
    const message = options[field] === undefined ? undefined : limitViolation(options[field]);
    return message ? [{ field, message }] : [];
  });
  const isDayHere = watch.day !== undefined && from !== undefined && isDay(from);
  if (from === undefined || from === "now" || from === "beginning" || isDayHere) return found;
  const words = watch.day ? "now, beginning or a day as YYYY-MM-DD" : "now or beginning";
  return [...found, { field: "from", message: `must be ${words}, not ${JSON.stringify(from)}` }];
}

export class WatchesOfClient {
  readonly #ending = new AbortController();
  #store: Promise<KeptStore> | undefined;
  /** Changes that somebody has asked for, each until there is one or none any more. */
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(
    private readonly connection: Connection,
    private readonly clientFor: ClientFor,
  ) {}

  /** Throws InvalidInput before anything is read. */
  changes(watch: Watch, input: Values, options: WatchOptions = {}): AsyncGenerator<ToldChange, void, void> {
    const checked = this.#checked(watch, input, options);
    return this.#changes(watch, checked, options);
  }

  async since(watch: Watch, input: Values, options: SinceOptions = {}): Promise<ToldChanges> {
    const checked = this.#checked(watch, input, options);
    return this.#awaited(
      (await this.#watcher(watch, checked, options)).since(options).catch((error: unknown) => {
        throw errorFrom(watch, error, { attempts: 0, sent: false });
      }),
    );
  }

  /** What it would tell if it began now. Throws InvalidInput before anything is read. */
  async first(watch: Watch, input: Values, options: Pick<WatchOptions, "from"> = {}): Promise<FirstChanges> {
    const checked = this.#checked(watch, input, options);
    const { from = watch.begins } = options;
    const read = (window: Window) => this.#read(watch, checked, window, this.#ending.signal);
    const { firstChanges } = await import("../watches/first.js");
    return this.#awaited(firstChanges({ watch: watch as AnyWatch, input: checked, from, read }));
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await Promise.allSettled(this.#underWay);
    await (await this.#store)?.close();
  }

  async *#changes(
    watch: Watch,
    input: Values,
    options: WatchOptions,
  ): AsyncGenerator<ToldChange, void, void> {
    const changes = (await this.#watcher(watch, input, options)).changes();
    try {
      for (;;) {
        const { done, value } = await this.#awaited(changes.next());
        if (done) return;
        yield value;
      }
    } finally {
      await this.#awaited(changes.return());
    }
  }

  async #awaited<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work);
    try {
      return await work;
    } finally {
      this.#underWay.delete(work);
    }
  }

  #checked(watch: Watch, input: Values, options: SinceOptions): Values {
    const given = canonicalValues(watch, input);
    const violations = [...checkInput(watch, given, new Date()), ...optionViolations(watch, options)];
    if (violations.length > 0) throw invalidInput(watch, violations);
    return withDefaults(watch, given);
  }

  async #watcher(watch: Watch, input: Values, options: WatchOptions): Promise<Watcher> {
    const { signal = this.#ending.signal } = options;
    const { secrets, settings, addresses, service } = this.connection;
    const [{ Watcher }, store] = await Promise.all([import("../watches/engine.js"), this.#opened()]);
    const servers = new Set(
      watch.uses.map((name) => service.operations.find((each) => each.name === name)?.server),
    );
    const places = [...servers].map((server) => addresses[server ?? ""]);
    const scope = [
      settings.environment ?? "",
      settings.clientId ?? "",
      ...places.map((place) => (place ? place.origin + place.prefix : "")),
    ];
    const watching = {
      watch: watch as AnyWatch,
      input,
      scope,
      store,
      read: (window: Parameters<Watch["read"]>[2], ending: AbortSignal) =>
        this.#read(watch, input, window, ending),
      redacted: (error: Error) => secrets.redactError(error),
    };
    return new Watcher(watching, options, AbortSignal.any([signal, this.#ending.signal]));
  }

  async #read(
    watch: Watch,
    input: Values,
    window: Parameters<Watch["read"]>[2],
    signal: AbortSignal,
  ): Promise<Snapshot> {
    const calls = new CallsOfRun();
    const context: RunContext<unknown> = {
      client: this.clientFor({ signal }, calls.note),
      signal,
      progress: () => undefined,
      deliver: () => Promise.reject(new Error("A watch delivers no files.")),
    };
    try {
      return await watch.read(context as RunContext, input as never, window);
    } catch (error) {
      throw calls.failure(watch, error);
    }
  }

  #opened(): Promise<KeptStore> {
    this.#store ??= this.#ending.signal.aborted
      ? Promise.reject(
          new Aborted("The client is closed.", { operation: "watch", code: "aborted", outcome: "not-sent" }),
        )
      : import("../journal/kept-store.js").then(({ KeptStore }) => new KeptStore(this.connection.store));
    return this.#store;
  }
}
