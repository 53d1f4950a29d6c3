/** What waits for a yes, and how it stands. */
import type { SealedRequest } from "./terms";

/**
 * `waiting` for a yes; `released`: it may leave; `booking`: a booking of the order has left and its end is not known here yet;
 * `sent`: the call has left, and the journal has what became of it. `unknown`: nobody knows what became of a booking, and no
 * other is begun. The rest is final.
 */
export const releaseStates = [
  "waiting",
  "released",
  "booking",
  "booked",
  "sent",
  "expired",
  "refused",
  "cancelled",
  "unknown",
] as const;

export type ReleaseState = (typeof releaseStates)[number];

/** What happened so far. */
export interface ReleaseProgress {
  /** In words: why nothing was booked yet, or never. */
  readonly remark?: string;
  /** How many quotes were asked for. */
  readonly quotes?: number;
  /** The ID of the trade. */
  readonly identity?: string;
  /** What of the booked trade is not as the order says; undefined until it was read back. */
  readonly deviations?: readonly string[];
  /** How often it was tried in vain to read it back. */
  readonly readings?: number;
}

export interface Release {
  readonly id: string;
  readonly state: ReleaseState;
  /** The caller's key, else one that nothing else has. */
  readonly key: string;
  readonly requestHash: string;
  /** The seal of what is released. */
  readonly hash: string;
  readonly sealed: SealedRequest;
  /** Milliseconds since 1970 by the clock of the store. */
  readonly requestedAt: number;
  readonly changedAt: number;
  /** The journal entry of the call that left. */
  readonly entry: string | undefined;
  /** Grows each time that a process takes it to work on it. */
  readonly fence: number;
  readonly progress: ReleaseProgress;
}

/** What a person said. */
export interface Decision {
  readonly release: string;
  /** The seal of what the person saw. */
  readonly hash: string;
  readonly person: string;
  readonly decision: "release" | "refuse";
  readonly at: number;
  /** Until when a yes may be used. */
  readonly until: number;
  /** Proves that it was said with the person's secret. */
  readonly mac: string;
  readonly note?: string;
}

const finalStates: ReadonlySet<ReleaseState> = new Set(["booked", "sent", "expired", "refused", "cancelled"]);

/** Whether nothing more comes of it. */
export const isFinalState = (state: ReleaseState): boolean => finalStates.has(state);

/** What a person says of a release, with their secret. */
export interface DecisionInput {
  readonly person: string;
  readonly secret: string;
  readonly decision: Decision["decision"];
  readonly note?: string | undefined;
  /** The seal of what the person was shown. */
  readonly seal: string;
}
