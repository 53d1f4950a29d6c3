/**
 * A store that stays open while it is used. What is asked of it is done in turn; what is to be appended while something else
 * is done becomes one transaction.
 */
import type { Exclusively } from "../store/database";
import { openStore, type Store } from "../store/open";
import type { StoreSettings } from "../store/settings";
import { type OpenChain, withChain } from "./chain";

interface Waiting extends Exclusively {
  readonly work: (chain: OpenChain) => Promise<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** How long a connection is kept of which nothing is asked. */
const idleMs = 60_000;

/** Whether the connection is still there. */
const responds = ({ database }: Store): Promise<boolean> =>
  database.run("SELECT 1").then(
    () => true,
    () => false,
  );

export class KeptStore {
  #store: Store | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #waiting: Waiting[] = [];
  #idle: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(
    private readonly settings: StoreSettings,
    private readonly open = openStore,
  ) {}

  /** Runs what appends nothing to the chain. It may run twice, where a connection is lost meanwhile. */
  read<T>(work: (store: Store) => Promise<T>): Promise<T> {
    return this.#inTurn(() => this.#connected(work));
  }

  /**
   * Runs what appends; it is done for all when the promise resolves, and durable unless that is left for later. A commit whose response was lost may have happened: the
   * work runs again then, and has to find out what it did already.
   */
  append<T>(work: (chain: OpenChain) => Promise<T>, options: Exclusively = {}): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, ...options, resolve: resolve as Waiting["resolve"], reject });
      if (this.#waiting.length > 1) return;
      this.#inTurn(() => this.#appendAll(this.#waiting.splice(0))).catch((error: unknown) => {
        for (const waiting of this.#waiting.splice(0)) waiting.reject(error);
      });
    });
  }

  /** Waits for what was asked; refuses what is asked later. */
  close(): Promise<void> {
    const closed = this.#last.then(() => this.#disconnect());
    this.#isClosed = true;
    return closed;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) return Promise.reject(new Error("The journal is closed."));
    clearTimeout(this.#idle);
    const turn = this.#last.then(work);
    this.#last = this.#settled(turn);
    return turn;
  }

  /** Resolves when a turn is over; where it was the last one, the connection is closed in a while. */
  async #settled(turn: Promise<unknown>): Promise<void> {
    await turn.catch(() => undefined);
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => {
      this.#last = this.#last.then(() => this.#disconnect());
    }, idleMs).unref();
  }

  async #disconnect(): Promise<void> {
    clearTimeout(this.#idle);
    const store = this.#store;
    this.#store = undefined;
    // One that was lost cannot be closed.
    await store?.database.close().catch(() => undefined);
  }

  /** On a new connection where the old one was lost. */
  async #connected<T>(work: (store: Store) => Promise<T>): Promise<T> {
    this.#store ??= await this.open(this.settings);
    try {
      return await work(this.#store);
    } catch (error) {
      if (await responds(this.#store)) throw error;
      await this.#disconnect();
      this.#store = await this.open(this.settings);
      return work(this.#store);
    }
  }

  async #appendAll(all: readonly Waiting[]): Promise<void> {
    const work = async (chain: OpenChain) => {
      const results = [];
      for (const each of all) results.push(await each.work(chain));
      return results;
    };
    const durable = all.every((each) => each.durable === "later") ? "later" : "now";
    try {
      const results = await this.#connected((store) => withChain(store, work, { durable }));
      all.forEach(({ resolve }, index) => resolve(results[index]));
    } catch (error) {
      // One of them may be what cannot be done; without a store none can.
      if (all.length > 1 && this.#store) for (const each of all) await this.#appendAll([each]);
      else for (const { reject } of all) reject(error);
    }
  }
}
