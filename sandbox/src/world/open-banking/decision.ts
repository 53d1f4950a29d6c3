/** What a person is asked to approve or refuse, and one attempt at asking. */

/** What a decision is about, as OAuth calls it. */
export interface Subject {
  /** AIS: and the consent, or PIS: and the payment. */
  readonly scope: string;
  readonly clientIds: readonly string[];
  /** Whether there is something left that a token can open. */
  readonly isOpen: () => boolean;
}

/** What a person is asked. */
export interface Decision {
  readonly subject: Subject;
  readonly title: string;
  readonly terms: readonly (readonly [name: string, value: string])[];
  /** How many people must still approve it; none while there is nothing to decide, and once it is decided. */
  readonly missing: () => number;
  /** What there is to choose from: identifiers, and names for people. */
  readonly choices?: readonly (readonly [id: string, name: string])[];
  /** Takes one person's answer, and which of the choices were chosen: all, where nothing is said. */
  readonly decide: (approved: boolean, chosen?: readonly string[]) => void;
}

export type ScaStatus = "received" | "started" | "finalised" | "failed";

/** One attempt at asking. */
export interface Authorisation {
  readonly authorisationId: string;
  readonly decision: Decision;
  /** Where the person goes afterwards. */
  readonly returnTo: Readonly<Record<"approved" | "refused", string | undefined>>;
  scaStatus: ScaStatus;
}

export const isPending = ({ scaStatus }: Authorisation) =>
  scaStatus === "received" || scaStatus === "started";

/** An authorisation whose decision has lapsed has failed. */
export const scaStatusOf = (authorisation: Authorisation): ScaStatus =>
  isPending(authorisation) && authorisation.decision.missing() === 0 ? "failed" : authorisation.scaStatus;

/** Takes the person's answer. */
export function conclude(authorisation: Authorisation, approved: boolean, chosen?: readonly string[]): void {
  authorisation.decision.decide(approved, chosen);
  authorisation.scaStatus = approved ? "finalised" : "failed";
}
