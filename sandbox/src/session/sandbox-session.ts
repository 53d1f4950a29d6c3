/** State of a running sandbox: the world, the request log and the pending faults. */
import type { Declaration } from "@fxdesk/toolkit/operations";
import type { Exchange } from "./exchange";
import { FaultQueue } from "./fault-queue";
import { UndoHistory } from "./undo-history";
import { damagedStateError } from "./saved-sandbox";
import type { WorldSetup, LoggedRequest, RequestRate, SandboxState } from "./sandbox-state";
import { DomainError } from "../world/common/domain-error";
import { type MailDelivery, Outbox } from "../world/model/outbox";
import { createClock } from "../world/common/clock";
import { createWorld } from "../world/create-world";
import { seedDemoWorld as seedWorld } from "../world/seed/demo-world";
import { partiesFromDescription, seedFromDescription } from "../world/seed/seed-from-description";
import { copyState } from "./state-serialization";
import type { World } from "../world/model/world";

const maxLoggedRequests = 1_000;
const maxRecordedExchanges = 100;

/** Restores the world of a saved state. Throws a SavedSandboxError if it is damaged. */
function restoreWorld({ beginning, clock, world, mails }: SandboxState, delivery: MailDelivery): World {
  try {
    const { seed, settings } = beginning;
    const outbox = new Outbox(delivery, mails);
    return createWorld({ clock: createClock(clock), seed, outbox, settings, state: world });
  } catch (error) {
    throw damagedStateError((error as Error).message);
  }
}

/** Starts another sandbox from a state and returns its address. */
export type StartFork = (state: SandboxState, port: number) => Promise<string>;

/** State of a running sandbox. Read `world` from the session on each use, because a reset replaces it. */
export class SandboxSession {
  readonly faults: FaultQueue;
  readonly requests: LoggedRequest[] = [];
  /** Number of responses by status since the start of the process. */
  readonly responses = new Map<number, number>();
  readonly undoHistory = new UndoHistory();
  /** Addresses of the sandboxes forked from this one. */
  readonly forkUrls: string[] = [];
  pace: RequestRate = { second: 0, count: 0 };
  #requestCount = 0;
  #exchanges = new Map<number, Exchange>();
  /** Setup of the current world, and the defaults of a reset. */
  #currentSetup: WorldSetup;
  #initialSetup: WorldSetup;
  #world: World;

  /** Starts with a new world, or takes ownership of a saved state. */
  constructor(
    /** Operations that support faults. */
    operations: readonly Declaration[],
    start: WorldSetup | SandboxState,
    private readonly delivery: MailDelivery,
    private readonly startFork: StartFork,
  ) {
    this.faults = new FaultQueue(operations);
    this.#initialSetup = "world" in start ? start.beginning : start;
    this.#currentSetup = this.#initialSetup;
    this.#world = "world" in start ? this.#loadState(start) : this.#createWorld(start);
  }

  get world(): World {
    return this.#world;
  }

  /** Live view of the state. Copy or serialise it to preserve it. */
  get state(): SandboxState {
    const { requests, faults, pace } = this;
    const { clock, outbox, state: world } = this.#world;
    return {
      beginning: this.#currentSetup,
      clock: clock.state,
      world,
      mails: outbox.mails,
      requests,
      arrived: this.#requestCount,
      exchanges: this.#exchanges,
      faults: faults.state,
      pace,
    };
  }

  /** Recorded exchanges by request number. */
  get exchanges(): ReadonlyMap<number, Exchange> {
    return this.#exchanges;
  }

  /** Registers an incoming request and returns its number. */
  countRequest(): number {
    this.undoHistory.record(this.#requestCount + 1, this.state);
    this.#requestCount += 1;
    return this.#requestCount;
  }

  record(request: LoggedRequest, exchange: Exchange): void {
    this.requests.push(Object.freeze(request));
    this.responses.set(request.status, (this.responses.get(request.status) ?? 0) + 1);
    if (this.requests.length > maxLoggedRequests) this.requests.shift();
    this.#exchanges.set(request.number, Object.freeze(exchange));
    for (const number of [...this.#exchanges.keys()].slice(0, -maxRecordedExchanges))
      this.#exchanges.delete(number);
  }

  /** Replaces the world and clears log, outbox and faults. The setup defaults to that of the start. */
  reset(setup: Partial<WorldSetup>): void {
    this.#world.outbox.removeFiles();
    this.#currentSetup = { ...this.#initialSetup, ...setup };
    this.#world = this.#createWorld(this.#currentSetup);
    this.requests.length = 0;
    this.#requestCount = 0;
    this.#exchanges.clear();
    this.pace = { second: 0, count: 0 };
    this.faults.clear();
    this.undoHistory.clear();
  }

  /**
   * Replaces the session with a saved state and takes ownership of it. Throws a SavedSandboxError and then changes
   * nothing.
   */
  restore(state: SandboxState): void {
    this.#switchTo(state);
    this.#initialSetup = state.beginning;
    this.undoHistory.clear();
  }

  /** Forks the sandbox and returns the address of the fork. */
  async fork(port: number): Promise<string> {
    const address = await this.startFork(copyState(this.state), port);
    this.forkUrls.push(address);
    return address;
  }

  /** Restores the state before a logged request. Throws a DomainError if no checkpoint exists. */
  undo(request: number): void {
    const state = this.undoHistory.restoreBefore(request);
    if (!state)
      throw new DomainError("moment-forgotten", "The request can no longer be undone.", String(request));
    const isEarlier = ({ number }: LoggedRequest) => number < request;
    this.#switchTo({
      ...state,
      // Reads after that checkpoint stay in the log.
      requests: this.requests.filter(isEarlier),
      exchanges: new Map([...this.#exchanges].filter(([number]) => number < request)),
      arrived: request - 1,
    });
    this.#world.runDueEvents();
  }

  #switchTo(state: SandboxState): void {
    const previousWorld = this.#world;
    this.#world = this.#loadState(state);
    previousWorld.outbox.transferFilesTo(this.#world.outbox);
  }

  #loadState(state: SandboxState): World {
    const world = restoreWorld(state, this.delivery);
    const { beginning, requests, arrived, exchanges, faults, pace } = state;
    this.#currentSetup = beginning;
    this.requests.splice(0, this.requests.length, ...requests);
    this.#requestCount = arrived;
    this.#exchanges = new Map(exchanges);
    this.faults.state = faults;
    this.pace = pace;
    return world;
  }

  #createWorld({ seed, now, settings, daysBehind, description }: WorldSetup): World {
    const clock = createClock({ kind: now ? "stepped" : "running", time: now ?? new Date() });
    const outbox = new Outbox(this.delivery);
    const parties = description && { parties: partiesFromDescription(description) };
    const world = createWorld({ clock, seed, outbox, settings, ...parties });
    if (description) seedFromDescription(world, description);
    else seedWorld(world, daysBehind);
    world.runDueEvents();
    return world;
  }
}
