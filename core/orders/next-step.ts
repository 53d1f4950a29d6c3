/** Decides the next step of a release from its state, its decisions, the policy and the clock. */
import { findHoursViolation } from "../releases/policy-evaluation";
import { type Decision, notReleasedRemark, type Release, withRemark } from "../releases/release";
import { type Authority, findReleaseProblem, isApproved } from "../releases/release-guard";

/** What decides on a released request that was not sent. */
export interface Review {
  readonly decisions: readonly Decision[];
  readonly authority: Authority;
}

export type NextStep =
  /** Read the decisions and the policy, and decide again. */
  | { readonly kind: "review" }
  | { readonly kind: "expire"; readonly remark: string }
  /** The approvals have expired: return to `waiting` for new ones. */
  | { readonly kind: "waitForApproval" }
  /** The policy allows no booking now, for example outside its hours. */
  | { readonly kind: "hold"; readonly reason: string; readonly retryInMs: number }
  /** Send the request: a call as it was released, an order by a fresh quote within its terms. */
  | { readonly kind: "send"; readonly authority: Authority; readonly retryInMs: number }
  /** Find the outcome of the request that was sent. */
  | { readonly kind: "settle"; readonly entry: string }
  /** Compare the booked trade with the order. */
  | { readonly kind: "verify" }
  /** Nothing to do, except that a waiting request expires. */
  | { readonly kind: "idle" };

const defaultQuoteSeconds = 10;
/** Shortest time until the policy is checked or a call is sent again. */
const minHoldMs = 1_000;

/**
 * Returns the next step at a moment of the store's clock. Only a released request needs a review: a sent one is settled, and a
 * waiting one expires, even if the policy cannot be read. Sending checks everything again in the transaction that marks the
 * request as sent.
 */
export function nextStep(release: Release, moment: number, review?: Review): NextStep {
  const { id, state, entry, progress, sealed } = release;
  if (state === "booked") return { kind: progress.deviations ? "idle" : "verify" };
  if (entry !== undefined) return { kind: "settle", entry };
  const isExpired = sealed.validUntil <= moment;
  const expire = (reason: string): NextStep => ({ kind: "expire", remark: withRemark(reason, release) });
  if (state === "waiting") return isExpired ? expire(notReleasedRemark) : { kind: "idle" };
  if (state === "released" && !review) return { kind: "review" };
  const { policy } = review?.authority ?? {};
  const retryInMs = (policy?.quoteEverySeconds ?? defaultQuoteSeconds) * 1_000;
  const holdMs = Math.max(retryInMs, minHoldMs);
  const hold = (reason: string): NextStep => ({ kind: "hold", reason, retryInMs: holdMs });
  switch (state) {
    case "released": {
      const { decisions, authority } = review!;
      const problem = findReleaseProblem(release, decisions, authority, moment);
      if (problem !== undefined && isExpired) return expire(problem);
      if (!isApproved(release, decisions, authority, moment)) return { kind: "waitForApproval" };
      const reason = problem ?? (policy && findHoursViolation(policy, moment));
      if (reason !== undefined) return hold(reason);
      return { kind: "send", authority, retryInMs: sealed.kind === "order" ? retryInMs : holdMs };
    }
    case "booking":
    case "unknown":
    case "sent":
      return hold(`${id} is ${state} without a journal entry.`);
    default:
      return { kind: "idle" };
  }
}
