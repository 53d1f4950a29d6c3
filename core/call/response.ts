import type { Violation, JournalNote, Outcome } from "../spec/errors";

/** A full response of an operation or a procedure. */
export interface ServiceResponse<Status extends number = number, Body = unknown> {
  /** HTTP status. */
  readonly status: Status;
  /** Parsed body, text or file, as the operation declares it. */
  readonly body: Body;
  /** Response headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Total number of entries of a paged list, if the service reports it. */
  readonly total: number | undefined;
  /** Request ID, for questions to the service. */
  readonly requestId: string | undefined;
  /** Number of attempts to send the request; 0 if this is the recorded outcome of an earlier call. */
  readonly attempts: number;
  /** Deviations from the contract, computed on first access. The body is passed on unchanged. */
  readonly violations: readonly Violation[];
  /** Journal entry of a call that commits money. */
  readonly journal?: JournalNote;
}

/** Result of looking up a call whose outcome was unknown. */
export interface RecoveredCall {
  /** ID of the journal entry. */
  readonly entry: string;
  readonly operation: string;
  /** Outcome after the lookup; `done` if the call was carried out. */
  readonly state: "done" | Outcome;
  /** ID of the result, for example a trade ID. */
  readonly identity: string | undefined;
  /** Time and finding of the lookup, for people. */
  readonly remark: string;
}

/** ID of a resource that a call created. */
export interface CreatedResource {
  readonly id: string;
  /** Creation time in milliseconds since 1970, by the clock of the store. */
  readonly at: number;
  /** Details that identify the resource to a person, for example amount, creditor or validity. */
  readonly labelParts: readonly string[];
}

/** A money call that was made, or that was requested for release. */
export interface EarlierCall {
  /** ID of the journal entry or of the release. */
  readonly id: string;
  readonly operation: string;
  /** Idempotency key. */
  readonly key: string;
  /** State of the journal entry, or of the release that was not sent. */
  readonly state: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** True if the caller may see the call. Others may only be compared, and nothing of them may be shown. */
  readonly isOwn: boolean;
  /** Path and query; undefined once erased. */
  readonly target: string | undefined;
  /** Encoded body; undefined once erased. */
  readonly body: string | undefined;
  /** ID of the result, for example a payment ID. */
  readonly identity: string | undefined;
}

export interface EarlierCalls {
  readonly calls: readonly EarlierCall[];
  readonly isComplete: boolean;
}
