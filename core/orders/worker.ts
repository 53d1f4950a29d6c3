/**
 * Processes orders in the background. Any process with the credentials and the people file can work on an order while it holds
 * its lease: it requests a quote and books it if it is within the terms, else it tries again until the order expires.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Order } from "../releases/release";
import {
  acquireDueOrders,
  listDecisions,
  msUntilNextOrder,
  readReleases,
  returnOrderLease,
} from "../releases/repository";
import { quoteAndBook, settle } from "./book";
import { messageOf, never, type OrderDependencies, transition } from "./leased-order";
import { nextStep, type Review } from "./next-step";
import { verify } from "./verify";

export interface OrderWorkerDependencies extends OrderDependencies {
  /** Environment whose orders this worker processes. */
  readonly environment: string;
  /** Resolves to false if this process cannot read the people file. It then leaves the orders to other processes. */
  readonly canReadPeople: () => Promise<boolean>;
}

/**
 * Lease of an order. If it expires, the old holder may at most request a useless quote: the booking itself checks that its
 * fence is the latest.
 */
const leaseMs = 15_000;
const maxConcurrentOrders = 8;
/** Interval between reads of due orders, and pause after an unexpected failure. */
const pollIntervalMs = 1_000;
const minWaitMs = 20;

export class OrderWorker {
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  /** Ends the current wait. */
  #wake: () => void = () => undefined;

  constructor(private readonly dependencies: OrderWorkerDependencies) {}

  /** Starts processing due orders. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Stops after the orders in progress. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#wake();
    await this.#running;
  }

  /** Fills free slots with due orders, so that a slow order delays no other. */
  async #run(): Promise<void> {
    const working = new Set<Promise<void>>();
    while (!this.#stop.signal.aborted) {
      const orders = await this.#acquire(maxConcurrentOrders - working.size).catch(() => []);
      for (const order of orders) {
        const work = this.#process(order).finally(() => working.delete(work));
        working.add(work);
      }
      const hasFreeSlot = working.size < maxConcurrentOrders;
      if (orders.length > 0 && hasFreeSlot) continue;
      await this.#wait(working, hasFreeSlot ? await this.#msUntilDue() : pollIntervalMs);
    }
    await Promise.all(working);
  }

  async #acquire(limit: number): Promise<readonly Order[]> {
    const { canReadPeople, environment, store } = this.dependencies;
    if (!(await canReadPeople())) return [];
    return store.use((opened) => acquireDueOrders(opened, environment, { limit, leaseMs }));
  }

  /** Processes an order, records an unexpected failure, and returns the lease. */
  async #process(order: Order): Promise<void> {
    const { store } = this.dependencies;
    try {
      await processOrder(this.dependencies, order);
    } catch (error) {
      const update = { remark: messageOf(error), dueInMs: pollIntervalMs };
      await transition(store, order, update).catch(() => undefined);
    } finally {
      await store.use((opened) => returnOrderLease(opened, order)).catch(() => undefined);
    }
  }

  async #msUntilDue(): Promise<number> {
    const { environment, store } = this.dependencies;
    const waitMs = await store.use((opened) => msUntilNextOrder(opened, environment)).catch(() => undefined);
    return Math.min(Math.max(waitMs ?? pollIntervalMs, minWaitMs), pollIntervalMs);
  }

  /** Waits for `ms`, until an order is finished or until stop. */
  async #wait(working: ReadonlySet<Promise<void>>, ms: number): Promise<void> {
    if (this.#stop.signal.aborted) return;
    const over = new AbortController();
    this.#wake = () => over.abort();
    const timeout = sleep(ms, undefined, { signal: over.signal, ref: false }).catch(() => undefined);
    await Promise.race([timeout, ...working]);
    over.abort();
  }
}

/** Advances an order as far as currently possible. */
async function processOrder(dependencies: OrderDependencies, order: Order): Promise<void> {
  const { store } = dependencies;
  let step = nextStep(order);
  if (step.kind === "review") step = nextStep(order, await review(dependencies, order));
  switch (step.kind) {
    case "expire":
      await transition(store, order, { to: "expired", remark: step.remark, dueInMs: never });
      return;
    case "waitForApproval":
      await transition(store, order, {
        to: "waiting",
        remark: "The release has expired; the order needs a new one.",
        dueInMs: never,
      });
      return;
    case "hold":
      await transition(store, order, { remark: step.reason, dueInMs: step.retryInMs });
      return;
    case "quote":
      return quoteAndBook(dependencies, order, step);
    case "settle":
      return settle(dependencies, order, step.entry);
    case "verify":
      return verify(dependencies, order);
    case "done":
      await transition(store, order, { dueInMs: never });
      return;
    case "review":
    case "idle":
  }
}

async function review({ authority, store }: OrderDependencies, { id, sealed }: Order): Promise<Review> {
  const current = await authority(sealed);
  return readReleases(store, async (access) => ({
    moment: access.moment,
    decisions: await listDecisions(access, id),
    authority: current,
  }));
}
