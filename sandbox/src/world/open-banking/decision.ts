/** What a person is asked to approve or refuse, and one attempt at asking. */
import type { ScaStatus } from "../enumerations";

/** What a decision is about, as OAuth calls it. */
export interface Subject {
  /** AIS: and the consent, or PIS: and the payment. */
  readonly scope: string;
  readonly clientIds: readonly string[];
  /** The consent whose end ends what a token can open. */
  readonly consentId?: string;
}

/** What a person is asked. */
export interface Decision {
  /** What is decided, and its ID: that of the consent or the payment. */
  readonly about: "consent" | "initiation" | "cancellation";
  readonly id: string;
  readonly subject: Subject;
  readonly title: string;
  readonly terms: readonly (readonly [name: string, value: string])[];
  /** What there is to choose from: identifiers, and names for people. */
  readonly choices?: readonly (readonly [id: string, name: string])[];
}

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
