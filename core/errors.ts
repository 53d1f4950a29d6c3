/** The errors every surface shows. One family: `code` and `outcome` say what happened, the message what to do next. */
import type { Violation } from "./declaration/violation";

/**
 * What became of the request. `not-sent`: its head was never written. `rejected`: the service refused it, with a status
 * that cannot mean that it was carried out. `unknown`: it may have been carried out, although no response says so.
 */
export type Outcome = "not-sent" | "rejected" | "unknown";

/** What happened, in one stable word. */
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
  | "release_needed"
  | "release_refused"
  | "interceptor"
  | "file"
  | "unexpected"
  | "outcome_unknown";

/** What the service itself said, in the ErrorMessage of the contract or the open-banking error bodies. */
export interface ServiceMessage {
  readonly code: string;
  readonly message: string;
  readonly details: string;
  /** The field of the request that it is about, in the service's words, where it names one. */
  readonly field?: string;
  /** What it said beside this, where there were several messages. */
  readonly others?: readonly ServiceMessage[];
}

/** Where the journal has a call that commits money: `fxdesk journal show <entry>`. */
export interface JournalNote {
  readonly entry: string;
  /** Whether this is what an earlier call under the same key ended with, and nothing was sent now. */
  readonly replayed: boolean;
  /** What the service shows of the call, by which it is found where its response is lost. */
  readonly reference?: string;
  /** The response was lost: this is what the service lists of the call, or gave when it was sent once more. */
  readonly recovered?: true;
}

export interface ErrorFacts {
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
  readonly cause?: unknown;
}

/** Any failure of a call. `code` is stable; do not match on the message. */
export class FxdeskError extends Error {
  readonly code: ErrorCode;
  readonly operation: string;
  readonly outcome: Outcome;
  /** Whether the same call may succeed later without a change. */
  readonly retryable: boolean;
  /** How many times the request was tried; 0 when it never came to that. */
  readonly attempts: number;
  readonly status?: number;
  readonly service?: ServiceMessage;
  readonly requestId?: string;
  /** Of a call that commits money, once the journal has it. */
  readonly journal?: JournalNote;

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
  }

  /** The facts as plain data, for logs and for surfaces that cannot carry an Error. Holds no secret. */
  toJSON(): Record<string, unknown> {
    const { name, message, code, operation, outcome, retryable, attempts } = this;
    const { status, service, requestId, journal } = this;
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
    };
  }
}

/** The input does not fit; `violations` names each field and what would be right, as far as the service names them. */
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

/** The service does not accept the credentials (401). */
export class Unauthorized extends FxdeskError {}
/** The credentials are good, but not for this (403). */
export class Forbidden extends FxdeskError {}
/** The client, account, quote, trade or other resource does not exist (404). */
export class NotFound extends FxdeskError {}
/** The state of the resource does not allow it (409). */
export class Conflict extends FxdeskError {}

/** Too many requests (429); `retryAfterMs` says how long the service asked to wait, where it did. */
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

/** No response within the time limit, ours or the service's (408, 504). */
export class Timeout extends FxdeskError {}
/** The service cannot be reached or cannot respond now (502, 503, connection errors). */
export class Unavailable extends FxdeskError {}

/** The call waits for a person's yes, under the ID `release`: `fxdesk releases show <release>`. */
export class ReleaseNeeded extends FxdeskError {
  readonly release: string;

  constructor(message: string, facts: ErrorFacts & { readonly release: string }) {
    super(message, facts);
    this.release = facts.release;
  }

  override toJSON() {
    return { ...super.toJSON(), release: this.release };
  }
}

/** The service responded, but not with what the contract says. */
export class InvalidResponse extends FxdeskError {}
/** The caller aborted the call. */
export class Aborted extends FxdeskError {}

/**
 * A call that commits money left, and no response says what became of it. Do not repeat it: look it up first, as the
 * message says.
 */
export class OutcomeUnknown extends FxdeskError {}
