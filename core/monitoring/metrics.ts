/** The metrics of a process that calls the service. None contains a secret, an ID, an amount, or the name of a person. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import {
  type AttemptEvent,
  type CallEvent,
  channels,
  type ConsentEvent,
  type PauseEvent,
  type TokenEvent,
} from "../call/diagnostics-channels";
import { FxdeskError } from "../spec/errors";
import { type CommitEvent, commitChannel } from "../store/commit-duration";
import { type MetricFamily, MetricValues } from "../values/metric-values";

export const metrics = {
  fxdesk_unknown_outcomes: {
    type: "gauge",
    help: "Money calls whose outcome is unknown, in the store.",
    labels: ["environment", "operation"],
  },
  fxdesk_oldest_unknown_outcome_age_seconds: {
    type: "gauge",
    help: "Age of the oldest money call whose outcome is unknown.",
    labels: ["environment"],
  },
  fxdesk_releases: {
    type: "gauge",
    help: "Requests in the store by state: waiting for release, released and not sent yet, or unknown.",
    labels: ["environment", "state"],
  },
  fxdesk_oldest_waiting_release_age_seconds: {
    type: "gauge",
    help: "Age of the oldest request that waits for release.",
    labels: ["environment"],
  },
  fxdesk_halted: {
    type: "gauge",
    help: "1 if a halt stops changes and money calls in the environment, or in all.",
    labels: ["environment"],
  },
  fxdesk_failing_watches: { type: "gauge", help: "Watches in the store whose last read failed." },
  fxdesk_store_up: {
    type: "gauge",
    help: "1 if every store can be read or does not exist yet, otherwise 0.",
  },
  fxdesk_store_commit_duration_seconds: {
    type: "histogram",
    help: "Duration of transactions of the store, including the wait for other processes.",
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
  },
  fxdesk_calls_total: {
    type: "counter",
    help: "Calls by operation and outcome: done, rejected, unknown or not-sent.",
    labels: ["operation", "outcome"],
  },
  fxdesk_call_duration_seconds: {
    type: "histogram",
    help: "Duration of calls, including the time in the queue.",
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  },
  fxdesk_calls_in_progress: { type: "gauge", help: "Calls in progress, including those in the queue." },
  fxdesk_calls_queued: { type: "gauge", help: "Calls that wait for the rate limiter." },
  fxdesk_attempts_total: {
    type: "counter",
    help: "Attempts to send a request, by operation and HTTP status; none without a response.",
    labels: ["operation", "status"],
  },
  fxdesk_pauses_total: {
    type: "counter",
    help: "Pauses requested by the service (429 with Retry-After).",
    labels: ["server"],
  },
  fxdesk_token_refreshes_total: {
    type: "counter",
    help: "Refreshes of the access token by result: done or failed.",
    labels: ["result"],
  },
  fxdesk_access_token_expiry_timestamp_seconds: {
    type: "gauge",
    help: "End of the access token that was refreshed last. Calls refresh it before.",
  },
  fxdesk_consent_expiry_timestamp_seconds: {
    type: "gauge",
    help: "Earliest end of the valid consents that this process watches.",
  },
  process_start_time_seconds: { type: "gauge", help: "Start of the process." },
  process_resident_memory_bytes: { type: "gauge", help: "Memory of the process." },
  process_cpu_seconds_total: { type: "counter", help: "CPU time of the process." },
} as const satisfies Readonly<Record<string, MetricFamily>>;

export type MetricName = keyof typeof metrics;

type CallContext = CallEvent & { readonly error?: unknown };

const outcomeOf = ({ error }: CallContext): string => {
  if (error === undefined) return "done";
  return error instanceof FxdeskError ? error.outcome : "unknown";
};

/** Midnight after the last day of validity, in seconds since 1970. */
const endOfDay = (day: string): number => Date.parse(`${day}T00:00:00Z`) / 1_000 + 86_400;

/** Counts what the calls of this process publish, until it is closed. */
export class ProcessMetrics {
  readonly values = new MetricValues<MetricName>(metrics);
  readonly #startTimes = new WeakMap<object, number>();
  /** Ends of valid consents by their IDs, which are not exported. */
  readonly #consents = new Map<string, number>();

  constructor() {
    this.values.set("fxdesk_calls_in_progress", 0);
    this.values.set("fxdesk_calls_queued", 0);
    channels.call.subscribe(this.#call);
    channels.queue.subscribe(this.#queue);
    for (const [channel, listener] of this.#listeners) subscribe(channel, listener);
  }

  close(): void {
    channels.call.unsubscribe(this.#call);
    channels.queue.unsubscribe(this.#queue);
    for (const [channel, listener] of this.#listeners) unsubscribe(channel, listener);
  }

  /** Sets the values that are read when they are asked for. */
  readProcess(): void {
    const { user, system } = process.cpuUsage();
    this.values.set("process_start_time_seconds", (Date.now() - process.uptime() * 1_000) / 1_000);
    this.values.set("process_resident_memory_bytes", process.memoryUsage.rss());
    this.values.set("process_cpu_seconds_total", (user + system) / 1_000_000);
  }

  readonly #call = {
    start: (event: CallContext) => {
      this.#startTimes.set(event, performance.now());
      this.values.add("fxdesk_calls_in_progress", 1);
    },
    asyncEnd: (event: CallContext) => {
      const startedAt = this.#startTimes.get(event);
      // The call started before this object was created.
      if (startedAt === undefined) return;
      this.values.add("fxdesk_calls_in_progress", -1);
      this.values.observe("fxdesk_call_duration_seconds", (performance.now() - startedAt) / 1_000);
      this.values.add("fxdesk_calls_total", 1, { operation: event.operation, outcome: outcomeOf(event) });
    },
    end: () => undefined,
    asyncStart: () => undefined,
    error: () => undefined,
  };

  readonly #queue = {
    start: (event: object) => {
      this.#startTimes.set(event, performance.now());
      this.values.add("fxdesk_calls_queued", 1);
    },
    asyncEnd: (event: object) => {
      if (this.#startTimes.has(event)) this.values.add("fxdesk_calls_queued", -1);
    },
    end: () => undefined,
    asyncStart: () => undefined,
    error: () => undefined,
  };

  readonly #onConsent = ({ consent, validUntil }: ConsentEvent) => {
    const name = "fxdesk_consent_expiry_timestamp_seconds";
    if (validUntil === undefined) this.#consents.delete(consent);
    else this.#consents.set(consent, endOfDay(validUntil));
    if (this.#consents.size > 0) this.values.set(name, Math.min(...this.#consents.values()));
    else this.values.clear(name);
  };

  readonly #onToken = ({ renewed, expiresAt }: TokenEvent) => {
    this.values.add("fxdesk_token_refreshes_total", 1, { result: renewed ? "done" : "failed" });
    if (expiresAt !== undefined)
      this.values.set("fxdesk_access_token_expiry_timestamp_seconds", expiresAt / 1_000);
  };

  readonly #listeners = (
    [
      [
        channels.attempt,
        ({ operation, status }: AttemptEvent) =>
          this.values.add("fxdesk_attempts_total", 1, { operation, status: String(status ?? "none") }),
      ],
      [channels.pause, ({ server }: PauseEvent) => this.values.add("fxdesk_pauses_total", 1, { server })],
      [channels.token, this.#onToken],
      [channels.consent, this.#onConsent],
      [
        commitChannel,
        ({ milliseconds }: CommitEvent) =>
          this.values.observe("fxdesk_store_commit_duration_seconds", milliseconds / 1_000),
      ],
    ] as const
  ).map(([{ name }, listener]) => [name, listener as (event: unknown) => void] as const);
}
