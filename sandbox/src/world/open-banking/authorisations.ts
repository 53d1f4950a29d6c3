/** Strong customer authentication by redirect: a person answers on a page, or the decision lapses. */
import { DomainError } from "../common/domain-error";
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

/** Request headers with the return URLs and the start of the authorisation. */
export interface RedirectHeaders {
  readonly "TPP-Redirect-URI"?: string | undefined;
  readonly "TPP-Nok-Redirect-URI"?: string | undefined;
  readonly "TPP-Explicit-Authorisation-Preferred"?: boolean | undefined;
}

export const authorisationsOf = ({ openBanking }: World, decision: Decision): Authorisation[] =>
  [...openBanking.authorisations.values()].filter((each) => each.decision === decision);

/** Throws a DomainError if OAuth is used and the redirect URI is missing. */
export function assertRedirectUri({ settings }: World, headers: RedirectHeaders): void {
  if (settings.scaApproach === "oauth" && headers["TPP-Redirect-URI"] === undefined)
    throw new DomainError(
      "format-error",
      "TPP-Redirect-URI is required: OAuth authorisation returns the person to it.",
    );
}

/**
 * Starts an authorisation. Throws a DomainError if nothing is to be decided, or every missing approver has an open
 * authorisation.
 */
export function startAuthorisation(
  world: World,
  decision: Decision,
  headers: RedirectHeaders,
): Authorisation {
  assertRedirectUri(world, headers);
  const missingCount = missingApprovals(world, decision);
  if (missingCount === 0)
    throw new DomainError("status-invalid", "There is nothing to authorise in this status.");
  if (authorisationsOf(world, decision).filter(isPending).length >= missingCount)
    throw new DomainError("status-invalid", "An authorisation is already in progress.");
  const approved = headers["TPP-Redirect-URI"];
  const authorisation: Authorisation = {
    authorisationId: world.ids.uuid(),
    decision,
    returnTo: { approved, refused: headers["TPP-Nok-Redirect-URI"] ?? approved },
    scaStatus: "received",
  };
  world.openBanking.authorisations.set(authorisation.authorisationId, authorisation);
  return authorisation;
}

/** Finds an authorisation of a decision. Throws a DomainError if there is none. */
export function findAuthorisation(world: World, decision: Decision, authorisationId: string): Authorisation {
  const authorisation = world.openBanking.authorisations.get(authorisationId);
  if (authorisation?.decision !== decision)
    throw new DomainError("resource-unknown", "Authorisation not found.", authorisationId);
  return authorisation;
}
