/** Checks that run in the transaction in which a call becomes `sent`. */
import type { StatementRunner } from "./database";
import type { Sealer } from "./sealer";

/** The store transaction in which a call becomes `sent`. It excludes all other writers. */
export interface SendTransaction {
  readonly run: StatementRunner;
  readonly sealer: Sealer;
  /** Milliseconds since 1970, by the clock of the store. */
  readonly moment: number;
  /** ID of the call's journal entry. */
  readonly entry: string;
}

/** Checks and writes in the transaction in which a call becomes `sent`. If it throws, the call is not sent. */
export type SendGuard = (transaction: SendTransaction) => Promise<void>;
