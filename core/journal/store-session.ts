/**
 * A store that stays open while it is used. What is asked of it is done in turn; what is to be appended while something else
 * is done becomes one transaction.
 */
import type { TransactionOptions } from "../store/database";
import { openStore, type Store } from "../store/open";
import type { StoreSettings } from "../store/settings";
import { type ChainWriter, withChain } from "./hash-chain";

interface PendingAppend extends TransactionOptions {
  readonly work: (chain: ChainWriter) => Promise<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** How long a connection is kept of which nothing is asked. */
const idleTimeoutMs = 60_000;

/** Whether the connection is still there. */
const isAlive = ({ database }: Store): Promise<boolean> =>
  database.run("SELECT 1").then(
    () => true,
    () => false,
  );

export class StoreSession {
  #store: Store | undefined;
  #tail: Promise<unknown> = Promise.resolve();
  #pending: PendingAppend[] = [];
  #idleTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(
    private readonly settings: StoreSettings,
    private readonly open = openStore,
  ) {}

  /** Runs what appends nothing to the chain. It may run twice, where a connection is lost meanwhile. */
  use<T>(work: (store: Store) => Promise<T>): Promise<T> {
    return this.#enqueue(() => this.#withConnection(work));
  }

  /**
   * Runs what appends; it is done for all when the promise resolves, and durable unless that is left for later. A commit whose response was lost may have happened: the
   * work runs again then, and has to find out what it did already.
   */
  append<T>(work: (chain: ChainWriter) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#pending.push({ work, ...options, resolve: resolve as PendingAppend["resolve"], reject });
      if (this.#pending.length > 1) return;
      this.#enqueue(() => this.#appendAll(this.#pending.splice(0))).catch((error: unknown) => {
        for (const pending of this.#pending.splice(0)) pending.reject(error);
      });
    });
  }

  /** Waits for what was asked; refuses what is asked later. */
  close(): Promise<void> {
    const closed = this.#tail.then(() => this.#disconnect());
    this.#isClosed = true;
    return closed;
  }

  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) return Promise.reject(new Error("The journal is closed."));
    clearTimeout(this.#idleTimer);
    const task = this.#tail.then(work);
    this.#tail = this.#scheduleDisconnect(task);
    return task;
  }

  /** Resolves when a turn is over; where it was the last one, the connection is closed in a while. */
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
    // One that was lost cannot be closed.
    await store?.database.close().catch(() => undefined);
  }

  /** On a new connection where the old one was lost. */
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

  async #appendAll(all: readonly PendingAppend[]): Promise<void> {
    const work = async (chain: ChainWriter) => {
      const results = [];
      for (const each of all) results.push(await each.work(chain));
      return results;
    };
    const durable = all.every((each) => each.durable === "later") ? "later" : "now";
    try {
      const results = await this.#withConnection((store) => withChain(store, work, { durable }));
      all.forEach(({ resolve }, index) => resolve(results[index]));
    } catch (error) {
      // One of them may be what cannot be done; without a store none can.
      if (all.length > 1 && this.#store) for (const each of all) await this.#appendAll([each]);
      else for (const { reject } of all) reject(error);
    }
  }
}
