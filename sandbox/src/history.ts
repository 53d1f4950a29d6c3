/** The moments before the last requests: to each of them the sandbox can go back. */
import type { StageState } from "./stage-state";
import { copyOf } from "./world/values";

/** How many of them are kept. */
const mostMoments = 100;
/** How many follow each other without a state. */
const mostWithout = mostMoments / 2;

/** What every request moves. */
type Passing = Pick<StageState, "clock" | "pace">;

interface Moment extends Passing {
  /** Of the request that came then. */
  readonly request: number;
  /** As it was; without, as at the moment before but for what time has brought. */
  readonly state?: StageState;
}

export class History {
  #moments: Moment[] = [];
  #isChanged = true;

  /** Something besides time may have changed the sandbox since the last moment. */
  change(): void {
    this.#isChanged = true;
  }

  /** A request comes: keeps the moment, with the state where the one before does not lead to it. */
  keep(request: number, { clock, pace }: Passing, state: () => StageState): void {
    const isNeeded = this.#isChanged || !this.#moments.slice(-mostWithout).some((each) => each.state);
    this.#moments.push({ request, clock, pace, ...(isNeeded && { state: state() }) });
    this.#isChanged = false;
    this.#forget();
  }

  /** Forgets the oldest that are more than are kept, up to one that has a state to lead to those that follow. */
  #forget(): void {
    const surplus = this.#moments.slice(0, Math.max(0, this.#moments.length - mostMoments + 1));
    const first = surplus.findLastIndex(({ state }) => state !== undefined);
    this.#moments.splice(0, Math.max(0, first));
  }

  /** The requests to before which one can go back. */
  get requests(): ReadonlySet<number> {
    return new Set(this.#moments.map(({ request }) => request));
  }

  /** As it was before a request; that moment is forgotten with all that follow; undefined where it is not kept. */
  take(request: number): StageState | undefined {
    const index = this.#moments.findIndex((moment) => moment.request === request);
    if (index < 0) return undefined;
    const { clock, pace } = this.#moments[index]!;
    const { state } = this.#moments.slice(0, index + 1).findLast((moment) => moment.state !== undefined)!;
    this.#moments = this.#moments.slice(0, index);
    this.#isChanged = true;
    return { ...copyOf(state!), clock, pace };
  }

  clear(): void {
    this.#moments = [];
    this.#isChanged = true;
  }
}
