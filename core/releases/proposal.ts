/** What is about to be asked for release, for who may still keep it from being asked. */
import type { SealedRequest } from "./terms";

export interface ReleaseProposal {
  readonly operation: string;
  /** The environment by name and address. */
  readonly environment: string;
  readonly client: string;
  /** The order, or the call as it would leave. */
  readonly terms: Readonly<Record<string, unknown>>;
  /** Milliseconds since 1970: nothing leaves later. */
  readonly validUntil: number;
  /** Whose yes it would wait for, in words. */
  readonly needs: string;
  /** Stands for what the caller gave: the same for the same request of the same person. */
  readonly asks: string;
}

/** Whether a release is asked for: false ends the call, and nothing is asked. */
export type ConfirmRelease = (proposal: ReleaseProposal) => Promise<boolean>;

export function toProposal(
  { operation, environment, client, terms, validUntil }: SealedRequest,
  needs: string,
  asks: string,
): ReleaseProposal {
  return { operation, environment, client, terms: { ...terms }, validUntil, needs, asks };
}
