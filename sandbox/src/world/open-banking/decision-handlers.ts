import type { World } from "../model/world";
import { consentDecision } from "./consents";
import type { ScaStatus } from "../common/enumerations";
import { type Authorisation, type Decision, isPending } from "../model/decision";
import { cancellationDecision, initiationDecision } from "./payment-lifecycle";

/** Callbacks of a decision about a consent or payment, by its ID. */
interface DecisionHandler {
  /** Returns how many approvals are missing; 0 if there is nothing to decide, or it is already decided. */
  readonly missing: (world: World, id: string) => number;
  /** Records one person's answer. `chosen` lists the selected choices; default: all. */
  readonly decide: (world: World, id: string, approved: boolean, chosen?: readonly string[]) => void;
}

const decisionHandlers: Readonly<Record<Decision["about"], DecisionHandler>> = {
  consent: consentDecision,
  initiation: initiationDecision,
  cancellation: cancellationDecision,
};

export const missingApprovals = (world: World, { about, id }: Decision): number =>
  decisionHandlers[about].missing(world, id);

/** Rejects a decision that was not answered in time. */
export function lapseDecision(world: World, decision: Decision): void {
  if (missingApprovals(world, decision) > 0)
    decisionHandlers[decision.about].decide(world, decision.id, false);
}

/** Returns the status of an authorisation; it has failed if its decision has lapsed. */
export const scaStatusOf = (world: World, authorisation: Authorisation): ScaStatus =>
  isPending(authorisation) && missingApprovals(world, authorisation.decision) === 0
    ? "failed"
    : authorisation.scaStatus;

/** Records the person's answer. */
export function concludeAuthorisation(
  world: World,
  authorisation: Authorisation,
  approved: boolean,
  chosen?: readonly string[],
): void {
  const { about, id } = authorisation.decision;
  decisionHandlers[about].decide(world, id, approved, chosen);
  authorisation.scaStatus = approved ? "finalised" : "failed";
}
