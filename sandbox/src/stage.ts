/** What is on: the world that is played, what was asked of it, and what is put in its way. */
import type { Declaration } from "@fxdesk/toolkit/operations";
import { type Fault, Faults } from "./faults";
import { type Delivery, Outbox } from "./world/outbox";
import { newWorld } from "./world/happenings";
import { runningClock, steppedClock } from "./world/calendar/clock";
import { seed as seedWorld } from "./world/seed";
import { partiesOf, seedDescribed } from "./world/seed/described";
import type { WorldDescription } from "./world/seed/description";
import type { Settings } from "./world/settings";
import type { World } from "./world/world";

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

/** How many requests are remembered: the last ones. */
const mostRequests = 1_000;

/** Everybody who serves asks the stage for the world anew: a reset puts another one on. */
export class Stage {
  readonly faults: Faults;
  readonly requests: LoggedRequest[] = [];
  #world: World;

  constructor(
    /** What calls can be spoiled of. */
    operations: readonly Declaration[],
    private readonly beginning: Beginning,
    private readonly delivery: Delivery,
  ) {
    this.faults = new Faults(operations);
    this.#world = this.#begin(beginning);
  }

  get world(): World {
    return this.#world;
  }

  record(request: LoggedRequest): void {
    this.requests.push(request);
    if (this.requests.length > mostRequests) this.requests.shift();
  }

  /** Begins again, as at the start unless said otherwise: another world, an empty log and outbox, nothing in the way. */
  reset(beginning: Partial<Beginning>): void {
    this.#world.outbox.discard();
    this.#world = this.#begin({ ...this.beginning, ...beginning });
    this.requests.length = 0;
    this.faults.clear();
  }

  #begin({ seed, now, settings, daysBehind, description }: Beginning): World {
    const clock = now ? steppedClock(now) : runningClock();
    const parties = description && partiesOf(description);
    const world = newWorld(clock, seed, new Outbox(this.delivery), settings, parties);
    if (description) seedDescribed(world, description);
    else seedWorld(world, daysBehind);
    world.catchUp();
    return world;
  }
}
