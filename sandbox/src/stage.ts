/** What is on: the world that is played, what was asked of it, and what is put in its way. */
import type { Declaration } from "@fxdesk/toolkit/operations";
import type { Exchange } from "./exchange";
import { Faults } from "./faults";
import { History } from "./history";
import { damaged } from "./saved-error";
import type { Beginning, LoggedRequest, Pace, StageState } from "./stage-state";
import { DomainError } from "./world/domain-error";
import { type Delivery, Outbox } from "./world/outbox";
import { clockFrom, runningClock, steppedClock } from "./world/calendar/clock";
import { newWorld } from "./world/happenings";
import { seed as seedWorld } from "./world/seed";
import { partiesOf, seedDescribed } from "./world/seed/described";
import { copyOf } from "./world/values";
import type { World } from "./world/world";

/** How many requests are remembered: the last ones. */
const mostRequests = 1_000;
/** Of how many is remembered what was said: the last ones. */
const mostExchanges = 100;

/** The world of a state. Throws a SavedSandboxError when it cannot be. */
function worldFrom({ beginning, clock, world, mails }: StageState, delivery: Delivery): World {
  try {
    const { seed, settings } = beginning;
    const outbox = new Outbox(delivery, mails);
    return newWorld({ clock: clockFrom(clock), seed, outbox, settings, state: world });
  } catch (error) {
    throw damaged((error as Error).message);
  }
}

/** Starts another sandbox that goes on from a state; returns its address. */
export type Fork = (state: StageState, port: number) => Promise<string>;

/** Everybody who serves asks the stage for the world anew: a reset puts another one on. */
export class Stage {
  readonly faults: Faults;
  readonly requests: LoggedRequest[] = [];
  readonly history = new History();
  /** Where the sandboxes are that were forked here. */
  readonly forks: string[] = [];
  pace: Pace = { second: 0, count: 0 };
  #arrived = 0;
  #exchanges = new Map<number, Exchange>();
  /** Of the world that is played, and of the one that is played after a reset. */
  #beginning: Beginning;
  #start: Beginning;
  #world: World;

  /** Begins, or goes on from a state, which is the stage's from then on. */
  constructor(
    /** What calls can be spoiled of. */
    operations: readonly Declaration[],
    start: Beginning | StageState,
    private readonly delivery: Delivery,
    private readonly forking: Fork,
  ) {
    this.faults = new Faults(operations);
    this.#start = "world" in start ? start.beginning : start;
    this.#beginning = this.#start;
    this.#world = "world" in start ? this.#take(start) : this.#begin(start);
  }

  get world(): World {
    return this.#world;
  }

  /** As it is now, and in part as it goes on: copy it, or write it, to keep it. */
  get state(): StageState {
    const { requests, faults, pace } = this;
    const { clock, outbox, state: world } = this.#world;
    return {
      beginning: this.#beginning,
      clock: clock.state,
      world,
      mails: outbox.mails,
      requests,
      arrived: this.#arrived,
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
  arrive(): number {
    const { pace } = this;
    const { state: clock } = this.#world.clock;
    this.history.keep(this.#arrived + 1, { clock, pace }, () => copyOf(this.state));
    this.#arrived += 1;
    return this.#arrived;
  }

  record(request: LoggedRequest, exchange: Exchange): void {
    this.requests.push(Object.freeze(request));
    if (this.requests.length > mostRequests) this.requests.shift();
    this.#exchanges.set(request.number, Object.freeze(exchange));
    for (const number of [...this.#exchanges.keys()].slice(0, -mostExchanges)) this.#exchanges.delete(number);
  }

  /** Begins again, as at the start unless said otherwise: another world, an empty log and outbox, nothing in the way. */
  reset(beginning: Partial<Beginning>): void {
    this.#world.outbox.discard();
    this.#beginning = { ...this.#start, ...beginning };
    this.#world = this.#begin(this.#beginning);
    this.requests.length = 0;
    this.#arrived = 0;
    this.#exchanges.clear();
    this.pace = { second: 0, count: 0 };
    this.faults.clear();
    this.history.clear();
  }

  /** Goes on from a state, which is the stage's from then on. Throws a SavedSandboxError; then nothing is changed. */
  restore(state: StageState): void {
    this.#goOnFrom(state);
    this.#start = state.beginning;
    this.history.clear();
  }

  /** Starts another sandbox that goes on from this moment; returns its address. */
  async fork(port: number): Promise<string> {
    const address = await this.forking(copyOf(this.state), port);
    this.forks.push(address);
    return address;
  }

  /** Goes back to before a request of the log. Throws a DomainError when that moment is no longer known. */
  undo(request: number): void {
    const state = this.history.take(request);
    if (!state)
      throw new DomainError(
        "moment-forgotten",
        "The moment before this request is not kept.",
        String(request),
      );
    const isBefore = ({ number }: LoggedRequest) => number < request;
    this.#goOnFrom({
      ...state,
      // What only read since that state is in the log, too.
      requests: this.requests.filter(isBefore),
      exchanges: new Map([...this.#exchanges].filter(([number]) => number < request)),
      arrived: request - 1,
    });
    this.#world.catchUp();
  }

  #goOnFrom(state: StageState): void {
    const before = this.#world;
    this.#world = this.#take(state);
    before.outbox.giveWayTo(this.#world.outbox);
  }

  #take(state: StageState): World {
    const world = worldFrom(state, this.delivery);
    const { beginning, requests, arrived, exchanges, faults, pace } = state;
    this.#beginning = beginning;
    this.requests.splice(0, this.requests.length, ...requests);
    this.#arrived = arrived;
    this.#exchanges = new Map(exchanges);
    this.faults.state = faults;
    this.pace = pace;
    return world;
  }

  #begin({ seed, now, settings, daysBehind, description }: Beginning): World {
    const clock = now ? steppedClock(now) : runningClock();
    const outbox = new Outbox(this.delivery);
    const parties = description && { parties: partiesOf(description) };
    const world = newWorld({ clock, seed, outbox, settings, ...parties });
    if (description) seedDescribed(world, description);
    else seedWorld(world, daysBehind);
    world.catchUp();
    return world;
  }
}
