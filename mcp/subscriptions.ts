/** Watches as resources: their URIs, and subscriptions that poll them and store the changes until the host reads them. */
import { setTimeout as wait } from "node:timers/promises";
import type { Requester } from "../core/people/requester";
import type { Toolbox } from "./protocol";
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
  readonly everyMs: number;
  /** Whose changes are read. Default: those of the client's requester. */
  readonly requester?: Requester | undefined;
  /** Called when there are changes to read. */
  readonly onUpdated: () => void;
}

/** Reads the changes after a cursor, which acknowledges all before it. */
type ReadChanges = (
  uri: string,
  cursor: string | undefined,
  signal: AbortSignal,
  requester: Requester | undefined,
) => Promise<WatchUpdate>;

const keyOf = (uri: string, requester: Requester | undefined): string => `${requester?.name ?? ""} ${uri}`;

/** The open subscriptions: each URI is polled once for each person, as long as it has at least one listener. */
export class Subscriptions {
  readonly #open = new Map<string, Subscription>();

  constructor(private readonly readChanges: ReadChanges) {}

  /**
   * Adds a listener until the signal aborts. Polling restarts for each new listener, so that it is notified of changes that
   * are announced but not read.
   */
  add(uri: string, options: SubscriptionOptions, signal: AbortSignal): void {
    if (signal.aborted) return;
    const { requester } = options;
    const key = keyOf(uri, requester);
    const earlier = this.#open.get(key);
    earlier?.close();
    const read = (...position: [cursor: string | undefined, signal: AbortSignal]) =>
      this.readChanges(uri, ...position, requester);
    const listeners = (earlier?.listeners ?? new Set()).add(signal);
    this.#open.set(key, new Subscription(options, read, listeners));
    signal.addEventListener("abort", () => this.#remove(key, signal), { once: true });
  }

  get(uri: string, requester: Requester | undefined): Subscription | undefined {
    return this.#open.get(keyOf(uri, requester));
  }

  closeAll(): void {
    for (const subscription of this.#open.values()) subscription.close();
  }

  #remove(key: string, signal: AbortSignal): void {
    const subscription = this.#open.get(key)!;
    subscription.listeners.delete(signal);
    if (subscription.listeners.size > 0) return;
    subscription.close();
    this.#open.delete(key);
  }
}

class Subscription {
  readonly #stop = new AbortController();
  #cursor: string | undefined;
  #unread: WatchUpdate | undefined;
  #lastRead: string | undefined;
  #failure: Error | undefined;
  #pendingRead: Promise<void> = Promise.resolve();
  #wake = new AbortController();

  constructor(
    private readonly options: SubscriptionOptions,
    private readonly readAfter: (cursor: string | undefined, signal: AbortSignal) => Promise<WatchUpdate>,
    readonly listeners: Set<AbortSignal>,
  ) {
    void this.#poll();
  }

  /**
   * Returns unread changes, which the next poll acknowledges, and the time of the last poll. Throws the last error if there are no
   * changes.
   */
  async read(): Promise<JsonObject> {
    await this.#pendingRead;
    const found = this.#unread;
    const facts = { last_read: this.#lastRead };
    if (!found && this.#failure) throw this.#failure;
    if (!found) return { count: 0, ...facts, changes: [] };
    this.#unread = undefined;
    this.#cursor = found.cursor;
    if (found.next) this.#wake.abort();
    return { ...found, ...facts };
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
      const found = await this.readAfter(this.#cursor, this.#stop.signal);
      this.#failure = undefined;
      this.#lastRead = new Date().toISOString();
      if (found.count === 0) return;
      this.#unread = found;
      this.options.onUpdated();
    } catch (error) {
      this.#failure = error as Error;
    }
  }
}

/** The method that subscribes in revision 2026-07-28. The SDK answers it without a handler, so messages are inspected. */
export const listenMethod = "subscriptions/listen";

/** The parts of a message from a host that concern subscriptions. */
export interface HostMessage {
  readonly method?: string;
  readonly id?: string | number;
  readonly params?: {
    readonly notifications?: { readonly resourceSubscriptions?: readonly string[] };
    readonly requestId?: string | number;
  };
}

/** Each URI of a stream is polled, so their number is limited. */
export const maxUrisPerStream = 50;

export const namesTooManyUris = ({ params }: HostMessage): boolean =>
  (params?.notifications?.resourceSubscriptions?.length ?? 0) > maxUrisPerStream;

interface Listener {
  readonly onUpdated: (uri: string) => void;
  readonly signal: AbortSignal;
  readonly requester?: Requester | undefined;
}

/** Subscribes to the watches that a message names, until the signal aborts. */
export function subscribeToMessage(
  toolbox: Pick<Toolbox, "subscribe">,
  { params }: HostMessage,
  { onUpdated, signal, requester }: Listener,
): void {
  for (const uri of new Set(params?.notifications?.resourceSubscriptions))
    toolbox.subscribe(uri, () => onUpdated(uri), signal, requester);
}
