/** Checkpoints before the last requests, for undo. */
import type { SandboxState } from "./sandbox-state";
import { copyState } from "./state-serialization";

const maxCheckpoints = 100;
/** Limit of consecutive checkpoints without a state of their own. */
const maxCheckpointsWithoutState = maxCheckpoints / 2;

/** State that every request changes. */
type ClockAndPace = Pick<SandboxState, "clock" | "pace">;

interface Checkpoint extends ClockAndPace {
  /** Number of the request that followed. */
  readonly request: number;
  /** State at the checkpoint. If undefined, only time has changed it since the previous checkpoint. */
  readonly state?: SandboxState;
}

export class UndoHistory {
  #checkpoints: Checkpoint[] = [];
  #hasChanged = true;

  /** Records that something other than time may have changed the state. */
  markChanged(): void {
    this.#hasChanged = true;
  }

  /** Adds a checkpoint before a request. The state is copied only if the previous checkpoint cannot reproduce it. */
  record(request: number, { clock, pace }: ClockAndPace, state: () => SandboxState): void {
    const needsState =
      this.#hasChanged || !this.#checkpoints.slice(-maxCheckpointsWithoutState).some((each) => each.state);
    this.#checkpoints.push({ request, clock, pace, ...(needsState && { state: state() }) });
    this.#hasChanged = false;
    this.#dropOldest();
  }

  /** Drops surplus checkpoints, but keeps the state that later ones depend on. */
  #dropOldest(): void {
    const surplus = this.#checkpoints.slice(0, Math.max(0, this.#checkpoints.length - maxCheckpoints + 1));
    const first = surplus.findLastIndex(({ state }) => state !== undefined);
    this.#checkpoints.splice(0, Math.max(0, first));
  }

  /** Requests that can be undone. */
  get requests(): ReadonlySet<number> {
    return new Set(this.#checkpoints.map(({ request }) => request));
  }

  /**
   * Returns the state before a request, or undefined if no checkpoint exists. Drops this checkpoint and all later ones.
   */
  restoreBefore(request: number): SandboxState | undefined {
    const index = this.#checkpoints.findIndex((checkpoint) => checkpoint.request === request);
    if (index < 0) return undefined;
    const { clock, pace } = this.#checkpoints[index]!;
    const { state } = this.#checkpoints
      .slice(0, index + 1)
      .findLast((checkpoint) => checkpoint.state !== undefined)!;
    this.#checkpoints = this.#checkpoints.slice(0, index);
    this.#hasChanged = true;
    return { ...copyState(state!), clock, pace };
  }

  clear(): void {
    this.#checkpoints = [];
    this.#hasChanged = true;
  }
}
