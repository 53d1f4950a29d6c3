/** What is on: the world that is played, what was asked of it, and what is put in its way. */
import type { Declaration } from "@fxdesk/toolkit/operations";
import { type Fault, Faults, type FaultsState } from "./faults";
import { damaged } from "./saved-error";
import { type Delivery, type Mail, Outbox } from "./world/outbox";
import { clockFrom, type ClockState, runningClock, steppedClock } from "./world/calendar/clock";
import { newWorld } from "./world/happenings";
import { seed as seedWorld } from "./world/seed";
import { partiesOf, seedDescribed } from "./world/seed/described";
import type { WorldDescription } from "./world/seed/description";
import type { Settings } from "./world/settings";
import type { World, WorldState } from "./world/world";

/** One request as the sandbox saw it. */
export interface LoggedRequest {
  /** When it was answered, by the sandbox's clock: a time in UTC. */
  readonly time: string;
  readonly method: string;
  readonly url: string;
  /** Of the response; where a fault kept it back, what it would have been. */
  readonly status: number;
  /** Why it was refused, also where the contract gives the response no body. */
  readonly refusal?: string;
  /** What was put in its way. */
  readonly fault?: Fault["kind"];
}

/** From what a world follows. */
export interface Beginning {
  readonly seed: string;
  /** Where its time starts, to move with the requests; without it, it runs with the machine's clock. */
  readonly now?: Date | undefined;
  readonly settings: Settings;
  /** For how many days there has been business. */
  readonly daysBehind?: number | undefined;
  /** What there is and goes on; the demo company, without. */
  readonly description?: WorldDescription | undefined;
}

/** How many requests came in the current second. */
interface Pace {
  /** Since 1970. */
  second: number;
  count: number;
}

/** Everything that is on, as plain data: from here it goes on in the same way, wherever. */
export interface StageState {
  readonly beginning: Beginning;
  readonly clock: ClockState;
  readonly world: WorldState;
  readonly mails: readonly Mail[];
  readonly requests: readonly LoggedRequest[];
  readonly faults: FaultsState;
  readonly pace: Pace;
}

/** How many requests are remembered: the last ones. */
const mostRequests = 1_000;

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

/** Everybody who serves asks the stage for the world anew: a reset puts another one on. */
export class Stage {
  readonly faults: Faults;
  readonly requests: LoggedRequest[] = [];
  pace: Pace = { second: 0, count: 0 };
  #beginning: Beginning;
  #world: World;

  /** Begins, or goes on from a state, which is the stage's from then on. */
  constructor(
    /** What calls can be spoiled of. */
    operations: readonly Declaration[],
    start: Beginning | StageState,
    private readonly delivery: Delivery,
  ) {
    this.faults = new Faults(operations);
    this.#beginning = "world" in start ? start.beginning : start;
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
      faults: faults.state,
      pace,
    };
  }

  record(request: LoggedRequest): void {
    this.requests.push(Object.freeze(request));
    if (this.requests.length > mostRequests) this.requests.shift();
  }

  /** Begins again, as at the start unless said otherwise: another world, an empty log and outbox, nothing in the way. */
  reset(beginning: Partial<Beginning>): void {
    this.#world.outbox.discard();
    this.#world = this.#begin({ ...this.#beginning, ...beginning });
    this.requests.length = 0;
    this.faults.clear();
  }

  /** Goes on from a state, which is the stage's from then on. Throws a SavedSandboxError; then nothing is changed. */
  restore(state: StageState): void {
    const before = this.#world;
    this.#world = this.#take(state);
    before.outbox.giveWayTo(this.#world.outbox);
  }

  #take(state: StageState): World {
    const world = worldFrom(state, this.delivery);
    const { beginning, requests, faults, pace } = state;
    this.#beginning = beginning;
    this.requests.splice(0, this.requests.length, ...requests);
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
