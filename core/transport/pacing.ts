/** When a call may go: how many at once, and not while the service wants none. */
import type { Deadline } from "./deadline";
import { Paused } from "./error";

/** Gives a place back. */
export type Permit = () => void;

/** Keeps the calls of one or more clients to a pace, for each server by itself. */
export interface Pacing {
  /**
   * Waits until a call to a server may go. Throws Paused at once when that is later than the deadline, or what the
   * deadline ends the wait with.
   */
  acquire(server: string, deadline: Deadline): Permit | Promise<Permit>;
  /** The server wants no call for this long. */
  pause(server: string, milliseconds: number): void;
}

interface Turn {
  running: number;
  pausedUntil: number;
  /** In the order in which they came; each is handed the place of one that is done. */
  readonly waiting: Set<(permit: Permit) => void>;
}

/** The pace of this process. */
export class MemoryPacing implements Pacing {
  readonly #turns = new Map<string, Turn>();

  constructor(private readonly atOnce: number) {}

  acquire(server: string, deadline: Deadline): Permit | Promise<Permit> {
    const turn = this.#turn(server);
    const isFree = turn.running < this.atOnce;
    if (isFree && turn.pausedUntil <= performance.now()) return this.#enter(turn);
    return this.#waitFor(turn, deadline);
  }

  pause(server: string, milliseconds: number): void {
    const turn = this.#turn(server);
    turn.pausedUntil = Math.max(turn.pausedUntil, performance.now() + milliseconds);
  }

  async #waitFor(turn: Turn, deadline: Deadline): Promise<Permit> {
    assertTimeFor(turn, deadline);
    const permit =
      turn.running < this.atOnce
        ? this.#enter(turn)
        : await deadline.waitFor<Permit>((resolve) => {
            turn.waiting.add(resolve);
            return () => turn.waiting.delete(resolve);
          });
    try {
      deadline.assertOpen();
      while (pauseOf(turn) > 0) {
        assertTimeFor(turn, deadline);
        await deadline.wait(pauseOf(turn));
      }
      return permit;
    } catch (error) {
      permit();
      throw error;
    }
  }

  #enter(turn: Turn): Permit {
    turn.running += 1;
    return this.#permit(turn);
  }

  #permit(turn: Turn): Permit {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const [next] = turn.waiting;
      if (!next) {
        turn.running -= 1;
        return;
      }
      turn.waiting.delete(next);
      next(this.#permit(turn));
    };
  }

  #turn(server: string): Turn {
    let turn = this.#turns.get(server);
    if (!turn) this.#turns.set(server, (turn = { running: 0, pausedUntil: 0, waiting: new Set() }));
    return turn;
  }
}

const pauseOf = ({ pausedUntil }: Turn): number => pausedUntil - performance.now();

function assertTimeFor(turn: Turn, deadline: Deadline): void {
  const pause = pauseOf(turn);
  if (pause >= deadline.remainingMs) throw new Paused(pause);
}
