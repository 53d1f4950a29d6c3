/** Resource subscriptions of revision 2026-07-28: one request that stays open. */
import type { Toolbox } from "./protocol";

/** The method that subscribes. The SDK answers it without a handler, so messages are inspected instead. */
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

interface WatchedResource {
  readonly controller: AbortController;
  listeners: number;
}

/** Watches each URI once, as long as it has at least one listener. */
export class StreamListeners {
  readonly #watched = new Map<string, WatchedResource>();

  constructor(
    private readonly toolbox: Pick<Toolbox, "subscribe">,
    /** Notifies all listeners of a URI. */
    private readonly onUpdated: (uri: string) => void,
  ) {}

  /** Watches the URIs that a message names, until the signal aborts. */
  add({ params }: HostMessage, signal: AbortSignal): void {
    if (signal.aborted) return;
    const uris = new Set(params?.notifications?.resourceSubscriptions);
    for (const uri of uris) {
      const watched = this.#watched.get(uri) ?? { controller: new AbortController(), listeners: 0 };
      watched.listeners += 1;
      this.#watched.set(uri, watched);
      // Restarts for each new listener, so that it is notified of changes that are announced but not read.
      this.toolbox.subscribe(uri, () => this.onUpdated(uri), watched.controller.signal);
    }
    signal.addEventListener("abort", () => uris.forEach((uri) => this.#remove(uri)), { once: true });
  }

  #remove(uri: string): void {
    const watched = this.#watched.get(uri)!;
    watched.listeners -= 1;
    if (watched.listeners > 0) return;
    watched.controller.abort();
    this.#watched.delete(uri);
  }
}
