/** The moments before the last requests: to each of them the sandbox can go back. */
import type { SandboxState } from "./sandbox-state";
import { copyState } from "./world/state-serialization";

/** How many of them are kept. */
const maxCheckpoints = 100;
/** How many follow each other without a state. */
const maxCheckpointsWithoutState = maxCheckpoints / 2;

/** What every request moves. */
type ClockAndPace = Pick<SandboxState, "clock" | "pace">;

interface Checkpoint extends ClockAndPace {
  /** Of the request that came then. */
  readonly request: number;
  /** As it was; without, as at the moment before but for what time has brought. */
  readonly state?: SandboxState;
}

export class UndoHistory {
  #checkpoints: Checkpoint[] = [];
  #hasChanged = true;

  /** Something besides time may have changed the sandbox since the last moment. */
  markChanged(): void {
    this.#hasChanged = true;
  }

  /** A request comes: keeps the moment, with the state where the one before does not lead to it. */
  record(request: number, { clock, pace }: ClockAndPace, state: () => SandboxState): void {
    const needsState =
      this.#hasChanged || !this.#checkpoints.slice(-maxCheckpointsWithoutState).some((each) => each.state);
    this.#checkpoints.push({ request, clock, pace, ...(needsState && { state: state() }) });
    this.#hasChanged = false;
    this.#dropOldest();
  }

  /** Forgets the oldest that are more than are kept, up to one that has a state to lead to those that follow. */
  #dropOldest(): void {
    const surplus = this.#checkpoints.slice(0, Math.max(0, this.#checkpoints.length - maxCheckpoints + 1));
    const first = surplus.findLastIndex(({ state }) => state !== undefined);
    this.#checkpoints.splice(0, Math.max(0, first));
  }

  /** The requests to before which one can go back. */
  get requests(): ReadonlySet<number> {
    return new Set(this.#checkpoints.map(({ request }) => request));
  }

  /** As it was before a request; that moment is forgotten with all that follow; undefined where it is not kept. */
  restoreBefore(request: number): SandboxState | undefined {
    const index = this.#checkpoints.findIndex((moment) => moment.request === request);
    if (index < 0) return undefined;
    const { clock, pace } = this.#checkpoints[index]!;
    const { state } = this.#checkpoints.slice(0, index + 1).findLast((moment) => moment.state !== undefined)!;
    this.#checkpoints = this.#checkpoints.slice(0, index);
    this.#hasChanged = true;
    return { ...copyState(state!), clock, pace };
  }

  clear(): void {
    this.#checkpoints = [];
    this.#hasChanged = true;
  }
}
