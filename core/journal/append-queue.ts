/** Appends to the hash chains. Appends that queue up during another operation of the store share one transaction. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { TransactionOptions } from "../store/database";
import type { StoreSession } from "../store/session";
import { type ChainOperation, writeChain } from "./chain-transaction";
import type { Checkpoints } from "./checkpoints";

interface PendingAppend extends Pick<TransactionOptions, "durable"> {
  readonly environment: string;
  readonly operation: ChainOperation<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Operations per transaction, so that other processes are not locked out for long. */
const maxBatchSize = 200;

export class AppendQueue {
  #pending: PendingAppend[] = [];
  #isScheduled = false;

  constructor(
    private readonly store: StoreSession,
    private readonly checkpoints: Checkpoints,
  ) {}

  /**
   * Applies an operation to the chain of an environment. When the promise resolves, the change is visible to all processes, and
   * durable unless `durable` is `later`.
   */
  append<T>(
    environment: string,
    operation: ChainOperation<T>,
    { durable }: Pick<TransactionOptions, "durable"> = {},
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#pending.push({
        environment,
        operation,
        ...(durable && { durable }),
        resolve: resolve as PendingAppend["resolve"],
        reject,
      });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled || this.#pending.length === 0) return;
    this.#isScheduled = true;
    void this.#append();
  }

  /** Waits for the store, then appends a batch: everything that is pending by then, if none is given. */
  async #append(batch?: readonly PendingAppend[]): Promise<void> {
    try {
      const results = await this.store.use(async (store) => {
        batch ??= await this.#takeBatch();
        const { environment } = batch[0]!;
        const durable = batch.every((each) => each.durable === "later") ? "later" : "now";
        const { checkpoints } = this;
        const operations = batch.map(({ operation }) => operation);
        return (await writeChain(store, environment, operations, { durable, checkpoints })).results;
      });
      batch!.forEach(({ resolve }, index) => resolve(results[index]));
    } catch (error) {
      if (!batch) this.#isScheduled = false;
      const failed = batch ?? this.#pending.splice(0);
      // One append may fail the shared transaction, so each is retried alone; without a connection all fail.
      if (failed.length > 1 && this.store.isConnected) for (const each of failed) void this.#append([each]);
      else for (const { reject } of failed) reject(error);
    }
  }

  /** Takes the pending appends of one environment, and schedules the others. */
  async #takeBatch(): Promise<readonly PendingAppend[]> {
    // Calls that are made side by side arrive in one turn of the event loop.
    await nextTurn();
    const { environment } = this.#pending[0]!;
    const batch = this.#pending.filter((each) => each.environment === environment).slice(0, maxBatchSize);
    const taken = new Set(batch);
    this.#pending = this.#pending.filter((each) => !taken.has(each));
    this.#isScheduled = false;
    this.#schedule();
    return batch;
  }
}
