/** When a call may go: how many at once, how fast one after the other, and not while the service wants none. */
import type { Deadline } from "./deadline";
import { Paused, QueueFull } from "./error";
import type { Gate, Queue } from "./gate";
import { leastMsOf, MemoryGate } from "./memory-gate";
import { Turns } from "./turns";

/** The place of a call among those that are under way. */
export interface Permit {
  /** The service took the call, whatever it responded. */
  taken(): void;
  /** The service refused it as one too many (429), and asks for this pause where it says how long. */
  refused(retryAfterMs: number | undefined): void;
  /** Gives the place back. */
  release(): void;
}

/** For whom a call is made, and whether it is one that had its turn and is sent again. */
export interface Asker {
  readonly user?: string | undefined;
  readonly again?: boolean;
}

/** Keeps the calls of one or more clients to a pace, for each server by itself. */
export interface Pacing {
  /**
   * Waits until a call to a server may go. Throws Paused at once when that is later than the deadline, QueueFull when too
   * many calls wait, or what the deadline ends the wait with.
   */
  acquire(server: string, deadline: Deadline, asker?: Asker): Permit | Promise<Permit>;
  /** Lets go of what it holds until it is used again. */
  close?(): Promise<void>;
}

export interface PacingLimits {
  /** Calls to one server at once. */
  readonly atOnce: number;
  /** Calls a second to one server, where that is known; else it is found out. */
  readonly perSecond?: number | undefined;
  /** Calls that wait at most. */
  readonly longestQueue?: number;
}

export const defaultQueue = 10_000;

interface Waiting {
  readonly deadline: Deadline;
  readonly user: string;
  resolve(permit: Permit): void;
  reject(error: Error): void;
}

const nobody: Asker = {};

/** The calls to one server. */
class Lane implements Queue {
  readonly gate: Gate;
  readonly #turns = new Turns<Waiting>();
  #underWay = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly limits: PacingLimits,
    gateFor: (queue: Queue) => Gate,
  ) {
    this.gate = gateFor(this);
  }

  get size(): number {
    return this.#turns.size;
  }

  acquire(deadline: Deadline, asker: Asker): Permit | Promise<Permit> {
    const now = performance.now();
    if (this.#turns.size === 0 && this.#underWay < this.limits.atOnce && this.#waitMs(now) <= 0)
      return this.#enter(now);
    return this.#waitFor(deadline, asker);
  }

  release(): void {
    this.#underWay -= 1;
    this.open();
  }

  refused(sentAt: number, retryAfterMs: number | undefined): void {
    const now = performance.now();
    this.gate.refused(now, sentAt, retryAfterMs);
    this.#refuseThoseWithoutTime(now);
    this.open();
  }

  /** Lets go who may. */
  readonly open = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#turns.size > 0 && this.#underWay < this.limits.atOnce) {
      const now = performance.now();
      const waitMs = this.#waitMs(now);
      if (waitMs > 0) {
        this.#refuseThoseWithoutTime(now);
        if (waitMs < Infinity && this.#turns.size > 0) this.#timer = setTimeout(this.open, Math.ceil(waitMs));
        return;
      }
      this.#turns.take()!.resolve(this.#enter(now));
    }
  };

  #waitMs(now: number): number {
    return this.gate.waitMs(now) ?? Infinity;
  }

  #enter(now: number): Permit {
    this.#underWay += 1;
    this.gate.pass(now);
    return new Place(this, now);
  }

  async #waitFor(deadline: Deadline, { user = "", again = false }: Asker): Promise<Permit> {
    assertTimeFor(this.gate.pausedUntil - performance.now(), deadline);
    const { longestQueue = defaultQueue } = this.limits;
    if (this.#turns.size >= longestQueue && !again) throw new QueueFull(longestQueue);
    const turn = deadline.waitFor<Permit>((resolve, reject) => {
      const waiting = { deadline, user, resolve, reject };
      this.#turns.add(waiting, user, again);
      return () => this.#turns.remove(waiting, user);
    });
    this.open();
    const permit = await turn;
    try {
      deadline.assertOpen();
      return permit;
    } catch (error) {
      permit.release();
      throw error;
    }
  }

  #refuseThoseWithoutTime(now: number): void {
    const pauseMs = this.gate.pausedUntil - now;
    if (pauseMs <= 0) return;
    for (const waiting of this.#turns) {
      if (pauseMs < waiting.deadline.remainingMs) continue;
      this.#turns.remove(waiting, waiting.user);
      waiting.reject(new Paused(pauseMs));
    }
  }
}

function assertTimeFor(pauseMs: number, deadline: Deadline): void {
  if (pauseMs > 0 && pauseMs >= deadline.remainingMs) throw new Paused(pauseMs);
}

class Place implements Permit {
  #isHeld = true;

  constructor(
    private readonly lane: Lane,
    private readonly since: number,
  ) {}

  taken(): void {
    this.lane.gate.taken(performance.now());
  }

  refused(retryAfterMs: number | undefined): void {
    this.lane.refused(this.since, retryAfterMs);
  }

  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.lane.release();
  }
}

/** Calls wait in the order in which they came, users in turn, for places and for a gate. */
export class GatedPacing implements Pacing {
  readonly #lanes = new Map<string, Lane>();

  constructor(
    private readonly limits: PacingLimits,
    private readonly gateFor: (server: string, queue: Queue) => Gate,
  ) {}

  acquire(server: string, deadline: Deadline, asker = nobody): Permit | Promise<Permit> {
    let lane = this.#lanes.get(server);
    if (!lane)
      this.#lanes.set(server, (lane = new Lane(this.limits, (queue) => this.gateFor(server, queue))));
    return lane.acquire(deadline, asker);
  }

  async close(): Promise<void> {
    for (const { gate } of this.#lanes.values()) await gate.close?.();
  }
}

/** The pace of this process. */
export class MemoryPacing extends GatedPacing {
  constructor(atOnce: number, limits: Omit<PacingLimits, "atOnce"> = {}) {
    super({ ...limits, atOnce }, () => new MemoryGate(leastMsOf(limits)));
  }
}
