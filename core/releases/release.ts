/** A release: a request that a person approves before it is sent, its state and its decisions. */
import type { SealedRequest } from "./terms";

/**
 * `waiting`: for approval. `released`: may be sent. `booking`: a booking of the order was sent and has no outcome yet. `sent`: the
 * call was sent; the journal has its outcome. `unknown`: a booking has an unknown outcome, and no other starts. The other states
 * are final.
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

/** Progress of a release. */
export interface ReleaseProgress {
  /** Reason why nothing was executed yet, or why it never will be. */
  readonly remark?: string;
  /** Number of requested quotes. */
  readonly quotes?: number;
  /** Trade ID. */
  readonly identity?: string;
  /** Deviations of the booked trade from the order; undefined until it was read back. */
  readonly deviations?: readonly string[];
  /** Number of failed attempts to read the trade back. */
  readonly readings?: number;
}

export interface Release {
  readonly id: string;
  readonly state: ReleaseState;
  /** The caller's key, else a unique one. */
  readonly key: string;
  readonly requestHash: string;
  /** Seal: hash of ID and terms. */
  readonly hash: string;
  readonly sealed: SealedRequest;
  /** Milliseconds since 1970, by the clock of the store. */
  readonly requestedAt: number;
  readonly changedAt: number;
  /** Journal entry of the sent request. */
  readonly entry: string | undefined;
  /** Incremented each time a process leases the order, so that earlier holders can no longer write. */
  readonly fence: number;
  readonly progress: ReleaseProgress;
}

/** A decision of a person. */
export interface Decision {
  readonly release: string;
  /** Seal of the terms that the person saw. */
  readonly hash: string;
  readonly person: string;
  readonly decision: "release" | "refuse";
  readonly at: number;
  /** Time until which an approval is valid. */
  readonly until: number;
  /** HMAC with the key of the people file. Proves that the decision was made with the person's secret. */
  readonly mac: string;
  readonly note?: string;
}

const finalStates: ReadonlySet<ReleaseState> = new Set(["booked", "sent", "expired", "refused", "cancelled"]);

/** True if the state can no longer change. */
export const isFinalState = (state: ReleaseState): boolean => finalStates.has(state);

/** A decision together with the person's secret. */
export interface DecisionInput {
  readonly person: string;
  readonly secret: string;
  readonly decision: Decision["decision"];
  readonly note?: string | undefined;
  /** Seal of the terms that the person was shown. */
  readonly seal: string;
}
