/** What becomes of decisions: by what they are about. */
import type { World } from "../world";
import { consentDecision } from "./consents";
import type { ScaStatus } from "../enumerations";
import { type Authorisation, type Decision, isPending } from "./decision";
import { cancellationDecision, initiationDecision } from "./payment-lifecycle";

/** What is done with a decision on something with an ID. */
interface DecisionHandler {
  /** How many people must still approve it; none while there is nothing to decide, and once it is decided. */
  readonly missing: (world: World, id: string) => number;
  /** Takes one person's answer, and which of the choices were chosen: all, where nothing is said. */
  readonly decide: (world: World, id: string, approved: boolean, chosen?: readonly string[]) => void;
}

const decisionHandlers: Readonly<Record<Decision["about"], DecisionHandler>> = {
  consent: consentDecision,
  initiation: initiationDecision,
  cancellation: cancellationDecision,
};

/** How many people must still approve a decision. */
export const missingApprovals = (world: World, { about, id }: Decision): number =>
  decisionHandlers[about].missing(world, id);

/** Refuses in the place of the person who has not answered in time. */
export function lapseDecision(world: World, decision: Decision): void {
  if (missingApprovals(world, decision) > 0)
    decisionHandlers[decision.about].decide(world, decision.id, false);
}

/** An authorisation whose decision has lapsed has failed. */
export const scaStatusOf = (world: World, authorisation: Authorisation): ScaStatus =>
  isPending(authorisation) && missingApprovals(world, authorisation.decision) === 0
    ? "failed"
    : authorisation.scaStatus;

/** Takes the person's answer. */
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
