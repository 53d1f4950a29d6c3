/** What is on: the world that is played, what was asked of it, and what is put in its way. */
import type { Declaration } from "@fxdesk/toolkit/operations";
import type { Exchange } from "./exchange";
import { FaultQueue } from "./fault-queue";
import { UndoHistory } from "./undo-history";
import { damagedStateError } from "./saved-sandbox-error";
import type { WorldSetup, LoggedRequest, RequestRate, SandboxState } from "./sandbox-state";
import { DomainError } from "./world/domain-error";
import { type MailDelivery, Outbox } from "./world/outbox";
import { restoreClock, createRunningClock, createSteppedClock } from "./world/calendar/clock";
import { createWorld } from "./world/event-handlers";
import { seedDemoWorld as seedWorld } from "./world/seed";
import { partiesFromDescription, seedFromDescription } from "./world/seed/seed-from-description";
import { copyState } from "./world/state-serialization";
import type { World } from "./world/world";

/** How many requests are remembered: the last ones. */
const maxLoggedRequests = 1_000;
/** Of how many is remembered what was said: the last ones. */
const maxRecordedExchanges = 100;

/** The world of a state. Throws a SavedSandboxError when it cannot be. */
function restoreWorld({ beginning, clock, world, mails }: SandboxState, delivery: MailDelivery): World {
  try {
    const { seed, settings } = beginning;
    const outbox = new Outbox(delivery, mails);
    return createWorld({ clock: restoreClock(clock), seed, outbox, settings, state: world });
  } catch (error) {
    throw damagedStateError((error as Error).message);
  }
}

/** Starts another sandbox that goes on from a state; returns its address. */
export type StartFork = (state: SandboxState, port: number) => Promise<string>;

/** State of a running sandbox. Read `world` from the session on each use, because a reset replaces it. */
export class SandboxSession {
  readonly faults: FaultQueue;
  readonly requests: LoggedRequest[] = [];
  readonly undoHistory = new UndoHistory();
  /** Where the sandboxes are that were forked here. */
  readonly forkUrls: string[] = [];
  pace: RequestRate = { second: 0, count: 0 };
  #requestCount = 0;
  #exchanges = new Map<number, Exchange>();
  /** Of the world that is played, and of the one that is played after a reset. */
  #currentSetup: WorldSetup;
  #initialSetup: WorldSetup;
  #world: World;

  /** Starts a new world or resumes from a state. The session takes ownership of the state. */
  constructor(
    /** What calls can be spoiled of. */
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

  /** As it is now, and in part as it goes on: copy it, or write it, to keep it. */
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

  /** What the last requests and their responses said, by the number of the request. */
  get exchanges(): ReadonlyMap<number, Exchange> {
    return this.#exchanges;
  }

  /** A request comes; returns its number. */
  countRequest(): number {
    const { pace } = this;
    const { state: clock } = this.#world.clock;
    this.undoHistory.record(this.#requestCount + 1, { clock, pace }, () => copyState(this.state));
    this.#requestCount += 1;
    return this.#requestCount;
  }

  record(request: LoggedRequest, exchange: Exchange): void {
    this.requests.push(Object.freeze(request));
    if (this.requests.length > maxLoggedRequests) this.requests.shift();
    this.#exchanges.set(request.number, Object.freeze(exchange));
    for (const number of [...this.#exchanges.keys()].slice(0, -maxRecordedExchanges))
      this.#exchanges.delete(number);
  }

  /** Begins again, as at the start unless said otherwise: another world, an empty log and outbox, nothing in the way. */
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
   * Resumes from a state, of which the session takes ownership. Throws a SavedSandboxError; nothing is changed then.
   */
  restore(state: SandboxState): void {
    this.#switchTo(state);
    this.#initialSetup = state.beginning;
    this.undoHistory.clear();
  }

  /** Starts another sandbox that goes on from this moment; returns its address. */
  async fork(port: number): Promise<string> {
    const address = await this.startFork(copyState(this.state), port);
    this.forkUrls.push(address);
    return address;
  }

  /** Goes back to before a request of the log. Throws a DomainError when that moment is no longer known. */
  undo(request: number): void {
    const state = this.undoHistory.restoreBefore(request);
    if (!state)
      throw new DomainError(
        "moment-forgotten",
        "The moment before this request is not kept.",
        String(request),
      );
    const isEarlier = ({ number }: LoggedRequest) => number < request;
    this.#switchTo({
      ...state,
      // What only read since that state is in the log, too.
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
    const clock = now ? createSteppedClock(now) : createRunningClock();
    const outbox = new Outbox(this.delivery);
    const parties = description && { parties: partiesFromDescription(description) };
    const world = createWorld({ clock, seed, outbox, settings, ...parties });
    if (description) seedFromDescription(world, description);
    else seedWorld(world, daysBehind);
    world.runDueEvents();
    return world;
  }
}
