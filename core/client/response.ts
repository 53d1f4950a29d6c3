import type { Violation } from "../declaration/violation";
import type { JournalNote, Outcome } from "../errors";

/** A response with what came along. */
export interface ServiceResponse<Status extends number = number, Body = unknown> {
  readonly status: Status;
  readonly body: Body;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** All entries of a paged list, where the service counts them. */
  readonly total: number | undefined;
  readonly requestId: string | undefined;
  /** How many times the request was tried; 0 where it is the outcome of an earlier call. */
  readonly attempts: number;
  /** Where the response differs from the contract. It is passed on as it came; what differs is looked for when asked. */
  readonly violations: readonly Violation[];
  /** Of a call that commits money. */
  readonly journal?: JournalNote;
}

/** A call whose outcome was not known, after it was looked for. */
export interface RecoveredCall {
  /** The entry of the journal. */
  readonly entry: string;
  readonly operation: string;
  readonly state: "done" | Outcome;
  /** What identifies what was done, such as a trade ID. */
  readonly identity: string | undefined;
  /** When it was looked for, and what there was. */
  readonly remark: string;
}

/** An identifier that a call created. */
export interface CreatedResource {
  readonly id: string;
  /** Milliseconds since 1970 by the clock of the store. */
  readonly at: number;
  /** What people know it by: an amount, a creditor, until when it is valid. */
  readonly labelParts: readonly string[];
}
