/**
 * A store connection that opens on demand and closes when idle. Operations run one after the other; appends that queue up
 * during another operation share one transaction.
 */
import type { TransactionOptions } from "./database";
import { openStore, type Store } from "./open";
import type { StoreSettings } from "./settings";
import { type ChainWriter, withChain } from "../journal/hash-chain";

interface PendingAppend extends TransactionOptions {
  readonly work: (chain: ChainWriter) => Promise<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Time after which an idle connection is closed. */
const idleTimeoutMs = 60_000;

/** True if the connection still works. */
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

  /** Runs work that does not append to the chain. It may run twice if the connection is lost. */
  use<T>(work: (store: Store) => Promise<T>): Promise<T> {
    return this.#enqueue(() => this.#withConnection(work));
  }

  /**
   * Runs work that appends to the chain. When the promise resolves, the change is visible to all processes, and durable unless
   * `durable` is `later`. The work runs again if the COMMIT response was lost, so it must detect what it already wrote.
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

  /** Waits for the queued operations and rejects later ones. */
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
      // One append may fail the shared transaction, so each is retried alone; without a connection all fail.
      if (all.length > 1 && this.#store) for (const each of all) await this.#appendAll([each]);
      else for (const { reject } of all) reject(error);
    }
  }
}
