/** A release: a request that a person approves before it is sent, its progress and its decisions. */
import type { Entry } from "../journal/entry";
import type { Factor } from "../people/authenticate";
import { effectiveState, type ReleaseState } from "./states";
import type { SealedCall, SealedOrder, SealedRequest } from "./terms";

/** Progress of a release. */
export interface ReleaseProgress {
  /** Reason why nothing was executed yet, or why it never will be. */
  readonly remark?: string;
  /** Outcome of a sent call, once it is known. `unknown` lasts until it is found or resolved. */
  readonly outcome?: "done" | "rejected" | "unknown";
  /** Number of requested quotes. */
  readonly quotes?: number;
  /** ID of the booked trade, or of the resource that the call created. */
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
  /** Proves who requested; undefined where no policy applied. */
  readonly signature: string | undefined;
  /** Milliseconds since 1970, by the clock of the store. */
  readonly requestedAt: number;
  readonly changedAt: number;
  /** Journal entry of the sent request. */
  readonly entry: string | undefined;
  /** Incremented each time a process leases the release, so that earlier holders can no longer write. */
  readonly fence: number;
  readonly progress: ReleaseProgress;
}

/** The release of an order. */
export type Order = Release & { readonly sealed: SealedOrder };

/** The release of a call. */
export type Call = Release & { readonly sealed: SealedCall };

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
  /** What proved who the person is. */
  readonly factors: readonly Factor[];
  /** Epoch of the person in the people file. */
  readonly epoch: string;
  /** HMAC with the key of the people file. Proves that the decision was made with the person's secret. */
  readonly mac: string;
  readonly note?: string;
}

/** A decision together with the person's secret. */
export interface DecisionInput {
  readonly person: string;
  readonly secret: string;
  /** One-time code, if the policy requires one. */
  readonly code?: string | undefined;
  readonly decision: Decision["decision"];
  readonly note?: string | undefined;
  /** Seal of the terms that the person was shown. */
  readonly seal: string;
}

/** The release does not allow the action. Nothing was changed. */
export class ReleaseRefusal extends Error {
  override readonly name = "ReleaseRefusal";

  /** `earlier` is the sent call or the open request because of which it is refused. */
  constructor(
    message: string,
    readonly earlier?: Entry | Release,
  ) {
    super(message);
  }
}

export class ReleaseNotFound extends ReleaseRefusal {
  constructor(id: string) {
    super(`Release ${id} does not exist.`);
  }
}

export const notReleasedRemark = "The request was not released in time.";

/** Returns the release in its effective state, with a remark if it expired. */
export function withEffectiveState(release: Release, moment: number): Release {
  const state = effectiveState(release, moment);
  if (state === release.state) return release;
  const reason = release.state === "waiting" ? notReleasedRemark : "The request expired before it was sent.";
  return { ...release, state, progress: { ...release.progress, remark: withRemark(reason, release) } };
}

/** Returns a reason followed by the release's last remark. */
export const withRemark = (reason: string, { progress: { remark } }: Pick<Release, "progress">): string =>
  remark === undefined ? reason : `${reason} ${remark}`;
