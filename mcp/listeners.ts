/** What hosts of revision 2026-07-28 listen to, by one request that stays open. */
import type { Toolbox } from "./protocol";

/** The request by which a host says what it listens to. The SDK answers it by itself, and nobody hears of it. */
export const listenMethod = "subscriptions/listen";

/** A message that a host sends, as far as it says what it listens to. */
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

/** Each address is watched once, for as long as anybody listens to it. */
export class StreamListeners {
  readonly #watched = new Map<string, WatchedResource>();

  constructor(
    private readonly toolbox: Pick<Toolbox, "subscribe">,
    /** Tells all who listen to an address. */
    private readonly onUpdated: (uri: string) => void,
  ) {}

  /** Listens to the addresses that a message names, until the signal ends it. */
  add({ params }: HostMessage, signal: AbortSignal): void {
    if (signal.aborted) return;
    const uris = new Set(params?.notifications?.resourceSubscriptions);
    for (const uri of uris) {
      const watched = this.#watched.get(uri) ?? { controller: new AbortController(), listeners: 0 };
      watched.listeners += 1;
      this.#watched.set(uri, watched);
      // It begins anew for whoever joins: what the others have been told of, and nobody has read, it tells again.
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
