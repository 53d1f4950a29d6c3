/** The states of a release, and which state may follow which. */

/**
 * `waiting`: for approval. `released`: may be sent. `booking`: a booking of the order was sent and has no outcome yet. `sent`: the
 * call was sent; its outcome is in the progress once it is known. `unknown`: a booking has an unknown outcome, and no other starts.
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

/** The states that may follow each state. A state that none follows is final. */
const transitions: Readonly<Record<ReleaseState, readonly ReleaseState[]>> = {
  waiting: ["released", "refused", "cancelled", "expired"],
  // `waiting` again if the approvals of an order expire before it is booked.
  released: ["waiting", "booking", "sent", "refused", "cancelled", "expired"],
  // `released` again if the booking was certainly not carried out.
  booking: ["booked", "unknown", "released"],
  unknown: ["booked", "released"],
  booked: [],
  // `released` again if the call was certainly not sent.
  sent: ["released"],
  expired: [],
  refused: [],
  cancelled: [],
};

/** True if the state can no longer change. */
export const isFinalState = (state: ReleaseState): boolean => transitions[state].length === 0;

/** True if a release may be written with the next state. Progress may change without the state. */
export const canTransition = (state: ReleaseState, next: ReleaseState): boolean =>
  state === next || transitions[state].includes(next);

/** Describes why a release in this state cannot get the wanted state. */
export const describeStateConflict = (
  id: string,
  state: ReleaseState,
  wanted: "released" | "refused" | "cancelled",
): string => (state === wanted ? `${id} is already ${state}.` : `${id} cannot be ${wanted}: it is ${state}.`);

/** True if the request of a release was not sent: it can be cancelled, and expires. */
export const isUnsentState = (state: ReleaseState): boolean => state === "waiting" || state === "released";

/** Returns the state at a moment. An unused request expires by time alone, before any process records it. */
export const effectiveState = (
  {
    state,
    sealed: { validUntil },
  }: { readonly state: ReleaseState; readonly sealed: { readonly validUntil: number } },
  moment: number,
): ReleaseState => (isUnsentState(state) && validUntil <= moment ? "expired" : state);

/** SQL equivalent of `effectiveState`. */
export const effectiveStateSql = (moment: string): string =>
  `CASE WHEN state IN ('waiting', 'released') AND valid_until <= ${moment} THEN 'expired' ELSE state END`;
