/** Appends to the hash chain. Appends that queue up during another operation of the store share one transaction. */
import type { TransactionOptions } from "../store/database";
import type { Store } from "../store/open";
import type { StoreSession } from "../store/session";
import { type ChainWriter, withChain } from "./hash-chain";

interface PendingAppend extends TransactionOptions {
  readonly work: (chain: ChainWriter) => Promise<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export class AppendQueue {
  #pending: PendingAppend[] = [];

  constructor(private readonly store: StoreSession) {}

  /**
   * Runs work that appends to the chain. When the promise resolves, the change is visible to all processes, and durable unless
   * `durable` is `later`. The work runs again if the COMMIT response was lost, so it must detect what it already wrote.
   */
  append<T>(work: (chain: ChainWriter) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#pending.push({ work, ...options, resolve: resolve as PendingAppend["resolve"], reject });
      if (this.#pending.length === 1) void this.#append();
    });
  }

  /** Waits for the store, then appends a batch: everything that is pending by then, if none is given. */
  async #append(batch?: readonly PendingAppend[]): Promise<void> {
    try {
      const results = await this.store.use((store) => {
        batch ??= this.#pending.splice(0);
        return appendAll(store, batch);
      });
      batch!.forEach(({ resolve }, index) => resolve(results[index]));
    } catch (error) {
      const failed = batch ?? this.#pending.splice(0);
      // One append may fail the shared transaction, so each is retried alone; without a connection all fail.
      if (failed.length > 1 && this.store.isConnected) for (const each of failed) void this.#append([each]);
      else for (const { reject } of failed) reject(error);
    }
  }
}

/** Appends all or nothing. */
const appendAll = (store: Store, batch: readonly PendingAppend[]): Promise<unknown[]> =>
  withChain(
    store,
    async (chain) => {
      const results = [];
      for (const { work } of batch) results.push(await work(chain));
      return results;
    },
    { durable: batch.every(({ durable }) => durable === "later") ? "later" : "now" },
  );
