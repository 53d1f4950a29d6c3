/** Decides the next step of an order from its state, its decisions, the policy and the clock. */
import { findHoursViolation } from "../releases/policy-evaluation";
import { type Decision, notReleasedRemark, type Order, withRemark } from "../releases/release";
import { type Authority, findReleaseProblem, isApproved } from "../releases/release-guard";

/** What decides on an order that was not sent. */
export interface Review {
  /** Milliseconds since 1970, by the clock of the store. */
  readonly moment: number;
  readonly decisions: readonly Decision[];
  readonly authority: Authority;
}

export type NextStep =
  /** Read the decisions, the policy and the clock, and decide again. */
  | { readonly kind: "review" }
  | { readonly kind: "expire"; readonly remark: string }
  /** The approvals have expired: return to `waiting` for new ones. */
  | { readonly kind: "waitForApproval" }
  /** The policy allows no booking now, for example outside its hours. */
  | { readonly kind: "hold"; readonly reason: string; readonly retryInMs: number }
  /** Request a quote, and book it if it is within the terms. */
  | { readonly kind: "quote"; readonly authority: Authority; readonly retryInMs: number }
  /** Find the outcome of the booking that was sent. */
  | { readonly kind: "settle"; readonly entry: string }
  /** Compare the booked trade with the order. */
  | { readonly kind: "verify" }
  /** The order is complete and never due again. */
  | { readonly kind: "done" }
  | { readonly kind: "idle" };

const defaultQuoteSeconds = 10;
/** Shortest time until the policy is checked again. */
const minHoldMs = 1_000;

/**
 * Returns the next step. An order that was sent needs no review, so that its booking is settled even if the policy cannot be
 * read. The booking of an order checks everything again in the transaction that marks it as sent.
 */
export function nextStep(order: Order, review?: Review): NextStep {
  const { id, state, entry, progress, sealed } = order;
  if (state === "booked") return { kind: progress.deviations ? "done" : "verify" };
  if (entry !== undefined) return { kind: "settle", entry };
  if (!review) return { kind: "review" };
  const { moment, decisions, authority } = review;
  const { policy } = authority;
  const retryInMs = (policy?.quoteEverySeconds ?? defaultQuoteSeconds) * 1_000;
  const isExpired = sealed.validUntil <= moment;
  const expire = (reason: string): NextStep => ({ kind: "expire", remark: withRemark(reason, order) });
  const hold = (reason: string): NextStep => ({
    kind: "hold",
    reason,
    retryInMs: Math.max(retryInMs, minHoldMs),
  });
  switch (state) {
    case "waiting":
      return isExpired ? expire(notReleasedRemark) : { kind: "idle" };
    case "released": {
      const problem = findReleaseProblem(order, decisions, authority, moment);
      if (problem !== undefined && isExpired) return expire(problem);
      if (!isApproved(order, decisions, authority, moment)) return { kind: "waitForApproval" };
      const reason = problem ?? (policy && findHoursViolation(policy, moment));
      return reason === undefined ? { kind: "quote", authority, retryInMs } : hold(reason);
    }
    case "booking":
    case "unknown":
      return hold(`${id} is ${state} without a journal entry.`);
    default:
      return { kind: "idle" };
  }
}
