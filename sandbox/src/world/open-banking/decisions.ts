/** What becomes of decisions: by what they are about. */
import type { World } from "../world";
import { consentDecision } from "./consents";
import type { ScaStatus } from "../enumerations";
import { type Authorisation, type Decision, isPending } from "./decision";
import { cancellationDecision, initiationDecision } from "./paying";

/** What is done with a decision on something with an ID. */
interface Decided {
  /** How many people must still approve it; none while there is nothing to decide, and once it is decided. */
  readonly missing: (world: World, id: string) => number;
  /** Takes one person's answer, and which of the choices were chosen: all, where nothing is said. */
  readonly decide: (world: World, id: string, approved: boolean, chosen?: readonly string[]) => void;
}

const kinds: Readonly<Record<Decision["about"], Decided>> = {
  consent: consentDecision,
  initiation: initiationDecision,
  cancellation: cancellationDecision,
};

/** How many people must still approve a decision. */
export const missing = (world: World, { about, id }: Decision): number => kinds[about].missing(world, id);

/** Refuses in the place of the person who has not answered in time. */
export function lapse(world: World, decision: Decision): void {
  if (missing(world, decision) > 0) kinds[decision.about].decide(world, decision.id, false);
}

/** An authorisation whose decision has lapsed has failed. */
export const scaStatusOf = (world: World, authorisation: Authorisation): ScaStatus =>
  isPending(authorisation) && missing(world, authorisation.decision) === 0
    ? "failed"
    : authorisation.scaStatus;

/** Takes the person's answer. */
export function conclude(
  world: World,
  authorisation: Authorisation,
  approved: boolean,
  chosen?: readonly string[],
): void {
  const { about, id } = authorisation.decision;
  kinds[about].decide(world, id, approved, chosen);
  authorisation.scaStatus = approved ? "finalised" : "failed";
}
