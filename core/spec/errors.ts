/** The error family shared by all surfaces. `code` and `outcome` are for programs, the message is for people. */

import type { CallOutcome } from "./call-outcome";

/** An invalid value. */
export interface Violation {
  /** Field name, with the path inside objects and arrays: `payments.0.creditorName`. */
  readonly field: string;
  /** The requirement, as the rest of a sentence that starts with the field: `must be at least 1`. */
  readonly message: string;
  /** Set for rules over several fields, whose `message` is a whole sentence. */
  readonly rule?: true;
}

const sentence = ({ field, message, rule }: Violation) =>
  (rule || !field ? message : `${field} ${message}`).replace(/\.?$/, ".");

/** Formats violations for people, one sentence each. */
export const describeViolations = (found: readonly Violation[]): string => found.map(sentence).join(" ");

/**
 * Final state of a request that did not succeed.
 *
 * - `not-sent`: no byte of the request was written.
 * - `rejected`: the service refused it with a status that rules out execution.
 * - `unknown`: it may have been carried out, although no response confirms it.
 */
export type Outcome = "not-sent" | "rejected" | "unknown";

/** Stable error code. New codes may be added; the meaning of existing ones does not change. */
export type ErrorCode =
  | "invalid_input"
  | "no_connection"
  | "unauthorized"
  | "forbidden"
  | "not_found"
  | "not_allowed"
  | "conflict"
  | "refused"
  | "rate_limited"
  | "timeout"
  | "unavailable"
  | "service_error"
  | "invalid_response"
  | "aborted"
  | "halted"
  | "store_restored"
  | "release_needed"
  | "release_refused"
  | "interceptor"
  | "file"
  | "unexpected"
  | "outcome_unknown";

/** A message from the service: the ErrorMessage of the contract, or an open-banking error body. */
export interface ServiceMessage {
  readonly code: string;
  readonly message: string;
  readonly details: string;
  /** Request field the message refers to, spelled as the service spells it. */
  readonly field?: string;
  /** Further messages of the same response. */
  readonly others?: readonly ServiceMessage[];
}

/** Reference to the journal entry of a call that commits money: `fxdesk journal show <entry>`. */
export interface JournalNote {
  readonly entry: string;
  /** True if this is the recorded outcome of an earlier call with the same key. Nothing was sent for this one. */
  readonly replayed: boolean;
  /** Reference under which the service lists the call. Used to find it if the response is lost. */
  readonly reference?: string;
  /** Set if the response was lost and the outcome was found later, by a lookup or by sending the request again. */
  readonly recovered?: true;
}

/** Fields of an FxdeskError, as its constructor takes them. */
interface ErrorFacts {
  readonly operation: string;
  readonly outcome: Outcome;
  readonly code: ErrorCode;
  readonly retryable?: boolean;
  readonly attempts?: number;
  readonly status?: number | undefined;
  readonly service?: ServiceMessage | undefined;
  readonly requestId?: string | undefined;
  readonly violations?: readonly Violation[] | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly journal?: JournalNote | undefined;
  readonly earlier?: CallOutcome | undefined;
  readonly cause?: unknown;
}

/** Base class of all call failures. Match on `code` or the class; messages may change. */
export class FxdeskError extends Error {
  readonly code: ErrorCode;
  readonly operation: string;
  readonly outcome: Outcome;
  /** True if the same call may succeed later without changes. */
  readonly retryable: boolean;
  /** Number of attempts to send the request; 0 if none was made. */
  readonly attempts: number;
  readonly status?: number;
  readonly service?: ServiceMessage;
  readonly requestId?: string;
  /** Journal entry of a call that commits money, once it is recorded. */
  readonly journal?: JournalNote;
  /** What became of the earlier call that has used the key, quote or release of this one. */
  readonly earlier?: CallOutcome;

  constructor(message: string, facts: ErrorFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = new.target.name;
    this.code = facts.code;
    this.operation = facts.operation;
    this.outcome = facts.outcome;
    this.retryable = facts.retryable ?? false;
    this.attempts = facts.attempts ?? 0;
    if (facts.status !== undefined) this.status = facts.status;
    if (facts.service) this.service = facts.service;
    if (facts.requestId !== undefined) this.requestId = facts.requestId;
    if (facts.journal) this.journal = facts.journal;
    if (facts.earlier) this.earlier = facts.earlier;
  }

  /** Returns the error as plain data, for logs and JSON. Contains no secrets. */
  toJSON(): Record<string, unknown> {
    const { name, message, code, operation, outcome, retryable, attempts } = this;
    const { status, service, requestId, journal, earlier } = this;
    return {
      name,
      message,
      code,
      operation,
      outcome,
      retryable,
      attempts,
      status,
      service,
      requestId,
      journal,
      ...(earlier && { earlier }),
    };
  }
}

/** The input was rejected, by fxdesk before sending or by the service (400, 422). `violations` lists the invalid fields. */
export class InvalidInput extends FxdeskError {
  readonly violations: readonly Violation[];

  constructor(message: string, facts: ErrorFacts) {
    super(message, facts);
    this.violations = facts.violations ?? [];
  }

  override toJSON() {
    return { ...super.toJSON(), violations: this.violations };
  }
}

/** The service rejected the credentials (401), or there is no access token. */
export class Unauthorized extends FxdeskError {}
/** The credentials do not permit this call (403). */
export class Forbidden extends FxdeskError {}
/** The client, account, quote, trade or other resource does not exist (404). */
export class NotFound extends FxdeskError {}
/** The state of the resource does not allow the call (409), or its idempotency key belongs to another call. */
export class Conflict extends FxdeskError {}

/** Too many requests (429). `retryAfterMs` is the pause that the service requested, if it did. */
export class RateLimited extends FxdeskError {
  readonly retryAfterMs?: number;

  constructor(message: string, facts: ErrorFacts) {
    super(message, facts);
    if (facts.retryAfterMs !== undefined) this.retryAfterMs = facts.retryAfterMs;
  }

  override toJSON() {
    return { ...super.toJSON(), retryAfterMs: this.retryAfterMs };
  }
}

/** No response within the time limit of the client or of the service (408, 504). */
export class Timeout extends FxdeskError {}
/** The service is unreachable or temporarily out of order (connection errors, 502, 503). */
export class Unavailable extends FxdeskError {}

/** The call needs a person's release, requested under the ID `release`: `fxdesk releases show <release>`. */
export class ReleaseNeeded extends FxdeskError {
  readonly release: string;
  /** Where people release it, if the address of the releases page is set. */
  readonly releasesPage?: string;

  constructor(
    message: string,
    facts: ErrorFacts & { readonly release: string; readonly releasesPage?: string | undefined },
  ) {
    super(message, facts);
    this.release = facts.release;
    if (facts.releasesPage !== undefined) this.releasesPage = facts.releasesPage;
  }

  override toJSON() {
    return { ...super.toJSON(), release: this.release };
  }
}

/** The response does not conform to the contract. */
export class InvalidResponse extends FxdeskError {}
/** The caller's AbortSignal ended the call. */
export class Aborted extends FxdeskError {}

/**
 * A call that commits money was sent, and its outcome could not be determined. Do not repeat it; look it up first, as the
 * message describes.
 */
export class OutcomeUnknown extends FxdeskError {}

const classByCode: Partial<Record<ErrorCode, new (message: string, facts: ErrorFacts) => FxdeskError>> = {
  invalid_input: InvalidInput,
  unauthorized: Unauthorized,
  forbidden: Forbidden,
  not_found: NotFound,
  conflict: Conflict,
  rate_limited: RateLimited,
  timeout: Timeout,
  unavailable: Unavailable,
  invalid_response: InvalidResponse,
  aborted: Aborted,
  outcome_unknown: OutcomeUnknown,
};

/** Returns an error of the class that belongs to its code. */
export const createError = (
  operation: string,
  code: ErrorCode,
  outcome: Outcome,
  message: string,
  facts: Omit<ErrorFacts, "operation" | "code" | "outcome"> = {},
): FxdeskError => new (classByCode[code] ?? FxdeskError)(message, { ...facts, operation, code, outcome });
