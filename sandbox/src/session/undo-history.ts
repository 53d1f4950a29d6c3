/** Checkpoints before the last requests, for undo. */
import type { SandboxState } from "./sandbox-state";
import { copyState } from "./state-serialization";

const maxCheckpoints = 100;

interface Checkpoint {
  /** Number of the request that followed. */
  readonly request: number;
  readonly state: SandboxState;
}

export class UndoHistory {
  #checkpoints: Checkpoint[] = [];
  #hasChanged = true;

  /** Records that something other than time may have changed the state. */
  markChanged(): void {
    this.#hasChanged = true;
  }

  /** Adds a checkpoint before a request. If only time has changed since the previous one, they share their state. */
  record(request: number, current: SandboxState): void {
    const previous = this.#hasChanged ? undefined : this.#checkpoints.at(-1)?.state;
    const { clock, pace } = current;
    this.#checkpoints.push({ request, state: { ...(previous ?? copyState(current)), clock, pace } });
    this.#hasChanged = false;
    if (this.#checkpoints.length > maxCheckpoints) this.#checkpoints.shift();
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
    const [{ state }] = this.#checkpoints.splice(index) as [Checkpoint];
    this.#hasChanged = true;
    return copyState(state);
  }

  clear(): void {
    this.#checkpoints = [];
    this.#hasChanged = true;
  }
}
