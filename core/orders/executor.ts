/**
 * Carries out released requests in the background. Any process with the credentials and the people file can work on a release
 * while it holds its lease: it sends a call exactly as it was released, and books an order from a fresh quote within its terms.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Call, Order, Release } from "../releases/release";
import {
  acquireDueReleases,
  type ExecutedReleases,
  listDecisions,
  msUntilNextRelease,
  readReleases,
  returnLease,
} from "../releases/repository";
import { quoteAndBook } from "./book";
import { type ExecutorDependencies, messageOf, never, transition } from "./leased-release";
import { nextStep, type NextStep, type Review } from "./next-step";
import { sendCall } from "./send-call";
import { settle } from "./settle";
import { verify } from "./verify";

export interface ReleaseExecutorDependencies extends ExecutorDependencies {
  /** Environments whose releases this executor carries out. */
  readonly environments: readonly string[];
  /** Resolves to false if this process cannot read the people file. It then leaves the releases to other processes. */
  readonly canReadPeople: () => Promise<boolean>;
}

/**
 * Lease of a release. If it expires, the old holder may at most request a useless quote: the sending itself checks that its
 * fence is the latest, and a call has one key in the journal.
 */
const leaseMs = 15_000;
const maxConcurrentReleases = 8;
/** Interval between reads of due releases, and pause after an unexpected failure. */
const pollIntervalMs = 1_000;
const minWaitMs = 20;

export class ReleaseExecutor {
  readonly #stop = new AbortController();
  readonly #executed: ExecutedReleases;
  #running: Promise<void> | undefined;
  /** Ends the current wait. */
  #wake: () => void = () => undefined;

  constructor(private readonly dependencies: ReleaseExecutorDependencies) {
    const { environments, operations } = dependencies;
    this.#executed = { environments, kinds: operations ? ["order", "call"] : ["call"] };
  }

  /** Starts processing due releases. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Stops after the releases in progress. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#wake();
    await this.#running;
  }

  /** Fills free slots with due releases, so that a slow one delays no other. */
  async #run(): Promise<void> {
    const working = new Set<Promise<void>>();
    while (!this.#stop.signal.aborted) {
      const releases = await this.#acquire(maxConcurrentReleases - working.size).catch(() => []);
      for (const release of releases) {
        const work = this.#process(release).finally(() => working.delete(work));
        working.add(work);
      }
      const hasFreeSlot = working.size < maxConcurrentReleases;
      if (releases.length > 0 && hasFreeSlot) continue;
      await this.#wait(working, hasFreeSlot ? await this.#msUntilDue() : pollIntervalMs);
    }
    await Promise.all(working);
  }

  async #acquire(limit: number): Promise<readonly Release[]> {
    const { canReadPeople, store } = this.dependencies;
    if (!(await canReadPeople())) return [];
    return store.use((opened) => acquireDueReleases(opened, this.#executed, { limit, leaseMs }));
  }

  /** Processes a release, records an unexpected failure, and returns the lease. */
  async #process(release: Release): Promise<void> {
    const { store } = this.dependencies;
    try {
      await processRelease(this.dependencies, release);
    } catch (error) {
      const update = { remark: messageOf(error), dueInMs: pollIntervalMs };
      const isRecorded = await transition(store, release, update).then(
        () => true,
        () => false,
      );
      // Without a new time it would be due at once; the lease ends by itself.
      if (!isRecorded) return;
    }
    await store.use((opened) => returnLease(opened, release)).catch(() => undefined);
  }

  async #msUntilDue(): Promise<number> {
    const { store } = this.dependencies;
    const waitMs = await store
      .use((opened) => msUntilNextRelease(opened, this.#executed))
      .catch(() => undefined);
    return Math.min(Math.max(waitMs ?? pollIntervalMs, minWaitMs), pollIntervalMs);
  }

  /** Waits for `ms`, until a release is finished or until stop. */
  async #wait(working: ReadonlySet<Promise<void>>, ms: number): Promise<void> {
    if (this.#stop.signal.aborted) return;
    const over = new AbortController();
    this.#wake = () => over.abort();
    const timeout = sleep(ms, undefined, { signal: over.signal, ref: false }).catch(() => undefined);
    await Promise.race([timeout, ...working]);
    over.abort();
  }
}

/** Advances a release as far as currently possible. */
async function processRelease(dependencies: ExecutorDependencies, release: Release): Promise<void> {
  const { store } = dependencies;
  const moment = await readReleases(store, async (access) => access.moment);
  let step = nextStep(release, moment);
  if (step.kind === "review") step = nextStep(release, moment, await review(dependencies, release));
  switch (step.kind) {
    case "expire":
      await transition(store, release, { to: "expired", remark: step.remark, dueInMs: never });
      return;
    case "waitForApproval":
      await transition(store, release, {
        to: "waiting",
        remark: "The release has expired; the request needs a new one.",
        dueInMs: never,
      });
      return;
    case "hold":
      await transition(store, release, { remark: step.reason, dueInMs: step.retryInMs });
      return;
    case "send":
      return send(dependencies, release, step);
    case "settle":
      return settle(dependencies, release, step.entry);
    case "verify":
      return verify(dependencies, release as Order);
    case "idle":
      await transition(store, release, { dueInMs: never });
      return;
    case "review":
  }
}

async function send(
  dependencies: ExecutorDependencies,
  release: Release,
  step: NextStep & { readonly kind: "send" },
): Promise<void> {
  const { findOrderProblem, operations, store } = dependencies;
  if (release.sealed.kind === "call") return sendCall(dependencies, release as Call, step);
  const problem = findOrderProblem(release.sealed);
  if (problem === undefined)
    return quoteAndBook({ ...dependencies, operations: operations! }, release as Order, step);
  await transition(store, release, { remark: problem, dueInMs: Math.max(step.retryInMs, pollIntervalMs) });
}

async function review({ authority, store }: ExecutorDependencies, { id, sealed }: Release): Promise<Review> {
  const current = await authority(sealed);
  const decisions = await readReleases(store, (access) => listDecisions(access, id));
  return { decisions, authority: current };
}
