import type { ScaStatus } from "../common/enumerations";

/** OAuth subject of a decision. */
export interface Subject {
  /** "AIS:" and the consent ID, or "PIS:" and the payment ID. */
  readonly scope: string;
  readonly clientIds: readonly string[];
  /** Consent whose end also ends the token's access. */
  readonly consentId?: string;
}

/** A question that a person approves or rejects. */
export interface Decision {
  /** `id` identifies the consent or payment. */
  readonly about: "consent" | "initiation" | "cancellation";
  readonly id: string;
  readonly subject: Subject;
  readonly title: string;
  readonly terms: readonly (readonly [name: string, value: string])[];
  /** Options to choose from: ID and display name. */
  readonly choices?: readonly (readonly [id: string, name: string])[];
}

/** One attempt to have a decision authorised. */
export interface Authorisation {
  readonly authorisationId: string;
  readonly decision: Decision;
  /** URLs to which the person returns. */
  readonly returnTo: Readonly<Record<"approved" | "refused", string | undefined>>;
  scaStatus: ScaStatus;
}

export const isPending = ({ scaStatus }: Authorisation) =>
  scaStatus === "received" || scaStatus === "started";
