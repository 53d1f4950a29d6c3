/** Watches as resources: their URIs, and subscriptions that poll them and store the changes until the host reads them. */
import { setTimeout as wait } from "node:timers/promises";
import type { JsonObject } from "./render/content";

export const watchMimeType = "application/json";

export const watchUriRoot = "fxdesk://watches/";

/** Parses the tool and its arguments from a URI; undefined if it is not a watch URI. */
export function parseWatchUri(
  uri: string,
): { readonly tool: string; readonly input: JsonObject } | undefined {
  if (!uri.startsWith(watchUriRoot) || !URL.canParse(uri)) return undefined;
  const { pathname, searchParams } = new URL(uri);
  const input = [...new Set(searchParams.keys())].map((name) => {
    const values = searchParams.getAll(name);
    return [name, values.length === 1 ? values[0] : values];
  });
  return { tool: pathname.slice(1), input: Object.fromEntries(input) as JsonObject };
}

/** A batch of changes. */
export interface WatchUpdate extends JsonObject {
  readonly count: number;
  readonly cursor: string;
  /** Set if more changes are waiting. */
  readonly next?: JsonObject;
}

interface SubscriptionOptions {
  /** Reads the changes after a cursor, which acknowledges all before it. */
  readonly readAfter: (cursor: string | undefined, signal: AbortSignal) => Promise<WatchUpdate>;
  readonly everyMs: number;
  /** Called when there are changes to read. */
  readonly onUpdated: () => void;
}

/** The open subscriptions by URI. */
export class Subscriptions {
  readonly #open = new Map<string, Subscription>();

  /** Polls the watch at a URI until the signal aborts. Replaces an earlier subscription. */
  add(uri: string, options: SubscriptionOptions, signal: AbortSignal): void {
    if (signal.aborted) return;
    const subscription = new Subscription(options);
    this.#open.get(uri)?.close();
    this.#open.set(uri, subscription);
    signal.addEventListener("abort", () => this.#remove(uri, subscription), { once: true });
  }

  get(uri: string): Subscription | undefined {
    return this.#open.get(uri);
  }

  closeAll(): void {
    for (const subscription of this.#open.values()) subscription.close();
  }

  #remove(uri: string, subscription: Subscription): void {
    subscription.close();
    if (this.#open.get(uri) === subscription) this.#open.delete(uri);
  }
}

class Subscription {
  readonly #stop = new AbortController();
  #cursor: string | undefined;
  #unread: WatchUpdate | undefined;
  #failure: Error | undefined;
  #pendingRead: Promise<void> = Promise.resolve();
  #wake = new AbortController();

  constructor(private readonly options: SubscriptionOptions) {
    void this.#poll();
  }

  /** Returns unread changes; the next poll acknowledges them. Throws the last error if there are none. */
  async read(): Promise<WatchUpdate | undefined> {
    await this.#pendingRead;
    const found = this.#unread;
    if (!found && this.#failure) throw this.#failure;
    if (!found) return undefined;
    this.#unread = undefined;
    this.#cursor = found.cursor;
    if (found.next) this.#wake.abort();
    return found;
  }

  close(): void {
    this.#stop.abort();
  }

  async #poll(): Promise<void> {
    const { everyMs } = this.options;
    while (!this.#stop.signal.aborted) {
      if (!this.#unread) await (this.#pendingRead = this.#readNext());
      this.#wake = new AbortController();
      const signal = AbortSignal.any([this.#stop.signal, this.#wake.signal]);
      await wait(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  async #readNext(): Promise<void> {
    try {
      const found = await this.options.readAfter(this.#cursor, this.#stop.signal);
      this.#failure = undefined;
      if (found.count === 0) return;
      this.#unread = found;
      this.options.onUpdated();
    } catch (error) {
      this.#failure = error as Error;
    }
  }
}
