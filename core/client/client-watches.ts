/** Watches of one client. Input is validated as for operations; the store is opened with the first watch. */
import { Lazy } from "../values/lazy";
import { checkInput } from "../spec/check";
import { type Values, withDefaults } from "../spec/fields";
import type { RunContext } from "../spec/procedure";
import type { Snapshot, Watch, ReadWindow } from "../spec/watch";
import { createError, type Violation } from "../spec/errors";
import { isDay } from "../values/values";
import type { WatchDependencies } from "../watches/poller";
import type { AnyWatch } from "../watches/watch";
import type { InitialChanges, SinceOptions, Delivery, ChangeBatch, WatchOptions } from "../api/watch-options";
import { normalizeInput } from "../call/normalize-input";
import { toFxdeskError, invalidInputError } from "../call/call-errors";
import type { ClientContext } from "../call/client-context";
import { limitViolation } from "../http/deadline";
import { RunCalls, type RunClientFactory } from "./run-procedure";

const numericOptions = ["everyMs", "readsPerDay", "holdMs", "limit"] as const;

function optionViolations(watch: Watch, options: SinceOptions): Violation[] {
  const { from } = options;
  const violations: Violation[] = numericOptions.flatMap((field) => {
    const message = options[field] === undefined ? undefined : limitViolation(options[field]);
    return message ? [{ field, message }] : [];
  });
  const isValidDay = watch.day !== undefined && from !== undefined && isDay(from);
  if (from === undefined || from === "now" || from === "beginning" || isValidDay) return violations;
  const allowed = watch.day ? "now, beginning or a day as YYYY-MM-DD" : "now or beginning";
  return [...violations, { field: "from", message: `must be ${allowed}, not ${JSON.stringify(from)}` }];
}

export class ClientWatches {
  readonly #closing = new AbortController();
  /** Opened with the first watch. */
  readonly #store = new Lazy(async () => {
    if (this.#closing.signal.aborted)
      throw createError("watch", "aborted", "not-sent", "The client is closed.");
    const { StoreSession } = await import("../store/session.js");
    return new StoreSession(this.clientContext.store);
  });
  /** Requests for changes that have not settled yet; `close` waits for them. */
  readonly #inFlight = new Set<Promise<unknown>>();

  constructor(
    private readonly clientContext: ClientContext,
    private readonly clientFor: RunClientFactory,
  ) {}

  /** Throws InvalidInput before anything is read. */
  changes(watch: Watch, input: Values, options: WatchOptions = {}): AsyncGenerator<Delivery, void, void> {
    const checked = this.#checkInput(watch, input, options);
    return this.#watchChanges(watch, checked, options);
  }

  async since(watch: Watch, input: Values, options: SinceOptions = {}): Promise<ChangeBatch> {
    const checked = this.#checkInput(watch, input, options);
    const [{ fetchChanges }, dependencies] = await Promise.all([
      import("../watches/fetch-changes.js"),
      this.#dependencies(watch, checked),
    ]);
    return this.#trackInFlight(
      fetchChanges(dependencies, options, this.#signalOf(options)).catch((error: unknown) => {
        throw toFxdeskError(watch, error, { attempts: 0, sent: false });
      }),
    );
  }

  /** Previews the first changes of a watch. Throws InvalidInput before anything is read. */
  async readInitialChanges(
    watch: Watch,
    input: Values,
    options: Pick<WatchOptions, "from"> = {},
  ): Promise<InitialChanges> {
    const checked = this.#checkInput(watch, input, options);
    const { from = watch.defaultStart } = options;
    const read = (window: ReadWindow) => this.#read(watch, checked, window, this.#closing.signal);
    const { readInitialChanges } = await import("../watches/fetch-changes.js");
    return this.#trackInFlight(readInitialChanges({ watch: watch as AnyWatch, input: checked, from, read }));
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#inFlight);
    await (await this.#store.started)?.close();
  }

  async *#watchChanges(
    watch: Watch,
    input: Values,
    options: WatchOptions,
  ): AsyncGenerator<Delivery, void, void> {
    const [{ subscribe }, dependencies] = await Promise.all([
      import("../watches/subscribe.js"),
      this.#dependencies(watch, input),
    ]);
    const changes = subscribe(dependencies, options, this.#signalOf(options));
    try {
      for (;;) {
        const { done, value } = await this.#trackInFlight(changes.next());
        if (done) return;
        yield value;
      }
    } finally {
      await this.#trackInFlight(changes.return());
    }
  }

  async #trackInFlight<T>(work: Promise<T>): Promise<T> {
    this.#inFlight.add(work);
    try {
      return await work;
    } finally {
      this.#inFlight.delete(work);
    }
  }

  #checkInput(watch: Watch, input: Values, options: SinceOptions): Values {
    const normalized = normalizeInput(watch, input);
    const violations = [...checkInput(watch, normalized, new Date()), ...optionViolations(watch, options)];
    if (violations.length > 0) throw invalidInputError(watch, violations);
    return withDefaults(watch, normalized);
  }

  async #dependencies(watch: Watch, input: Values): Promise<WatchDependencies> {
    const { secrets, settings, addresses, service } = this.clientContext;
    const servers = new Set(
      watch.uses.map((name) => service.operations.find((each) => each.name === name)?.server),
    );
    const baseUrls = [...servers].map((server) => addresses[server ?? ""]);
    return {
      watch: watch as AnyWatch,
      input,
      scope: [
        settings.environment ?? "",
        settings.clientId ?? "",
        ...baseUrls.map((address) => (address ? address.origin + address.pathPrefix : "")),
      ],
      store: await this.#store.get(),
      read: (window, signal) => this.#read(watch, input, window, signal),
      redactError: (error) => secrets.redactError(error),
    };
  }

  /** Returns a signal that also ends the watch when the client is closed. */
  #signalOf({ signal = this.#closing.signal }: WatchOptions): AbortSignal {
    return AbortSignal.any([signal, this.#closing.signal]);
  }

  async #read(watch: Watch, input: Values, window: ReadWindow, signal: AbortSignal): Promise<Snapshot> {
    const calls = new RunCalls();
    const context: RunContext<unknown> = {
      client: this.clientFor({ signal }, calls.record),
      signal,
      progress: () => undefined,
      deliver: () => Promise.reject(new Error("A watch cannot deliver files.")),
    };
    try {
      return await watch.read(context as RunContext, input as never, window);
    } catch (error) {
      throw calls.toError(watch, error);
    }
  }
}
