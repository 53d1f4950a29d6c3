/** A release request before it is stored, for a final confirmation by the requester. */
import type { SealedRequest } from "./terms";

export interface ReleaseProposal {
  readonly operation: string;
  /** Name and address of the environment. */
  readonly environment: string;
  readonly client: string;
  /** The order, or the encoded request. */
  readonly terms: Readonly<Record<string, unknown>>;
  /** Milliseconds since 1970. Nothing is sent after this time. */
  readonly validUntil: number;
  /** Required approvals, for example "release by anna or bert". */
  readonly needs: string;
  /** Hash of the caller's input: equal for the same request of the same person. */
  readonly asks: string;
}

/** Confirms that release is requested. If it resolves to false, the call ends and nothing is stored. */
export type ConfirmRelease = (proposal: ReleaseProposal) => Promise<boolean>;

export function toProposal(
  { operation, environment, client, terms, validUntil }: SealedRequest,
  needs: string,
  asks: string,
): ReleaseProposal {
  return { operation, environment, client, terms: { ...terms }, validUntil, needs, asks };
}
