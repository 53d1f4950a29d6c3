/** A store connection that opens on demand and closes when idle. Operations run one after the other. */
import { StoreFileLost } from "./file-identity";
import { openStore, type Store } from "./open";
import type { StoreSettings } from "./settings";

/** Time after which an idle connection is closed. */
const idleTimeoutMs = 60_000;

/** True if the connection must not be replaced: it works, or its file was lost and another one may be in its place. */
const isAlive = ({ run }: Store): Promise<boolean> =>
  run("SELECT 1").then(
    () => true,
    (error: unknown) => error instanceof StoreFileLost,
  );

export class StoreSession {
  #store: Store | undefined;
  #tail: Promise<unknown> = Promise.resolve();
  #idleTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(
    readonly settings: StoreSettings,
    private readonly open = openStore,
  ) {}

  /** True while a connection is open. It may have been lost since the last operation. */
  get isConnected(): boolean {
    return this.#store !== undefined;
  }

  /** Runs work with the open store. It may run twice if the connection is lost. */
  use<T>(work: (store: Store) => Promise<T>): Promise<T> {
    return this.#enqueue(() => this.#withConnection(work));
  }

  /** Waits for the queued operations and rejects later ones. */
  close(): Promise<void> {
    const closed = this.#tail.then(() => this.#disconnect());
    this.#isClosed = true;
    return closed;
  }

  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) return Promise.reject(new Error("The connection to the store is closed."));
    clearTimeout(this.#idleTimer);
    const task = this.#tail.then(work);
    this.#tail = this.#scheduleDisconnect(task);
    return task;
  }

  /** Starts the idle timer after a task. */
  async #scheduleDisconnect(task: Promise<unknown>): Promise<void> {
    await task.catch(() => undefined);
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      this.#tail = this.#tail.then(() => this.#disconnect());
    }, idleTimeoutMs).unref();
  }

  async #disconnect(): Promise<void> {
    clearTimeout(this.#idleTimer);
    const store = this.#store;
    this.#store = undefined;
    // Closing a lost connection fails.
    await store?.database.close().catch(() => undefined);
  }

  /** Runs work, once more on a new connection if the old one was lost. */
  async #withConnection<T>(work: (store: Store) => Promise<T>): Promise<T> {
    this.#store ??= await this.open(this.settings);
    try {
      return await work(this.#store);
    } catch (error) {
      if (await isAlive(this.#store)) throw error;
      await this.#disconnect();
      this.#store = await this.open(this.settings);
      return work(this.#store);
    }
  }
}
