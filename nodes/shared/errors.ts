/** Errors for Catch nodes, which receive only message, code, cause and stack. */
import { FxdeskError } from "../../core/spec/errors";

/** Error of a message. */
export class Failure extends Error {
  /** Stable, such as `not_found`; do not match on the message. */
  readonly code: string;

  constructor(message: string, code: string, cause: Readonly<Record<string, unknown>>, stack?: string) {
    // Its own stack would show only this file, and takes more time than all else in a burst of refusals.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, { cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    if (stack === undefined) delete this.stack;
    else this.stack = stack;
  }

  /** Shown by Node-RED; without the class name, which does not help users. */
  override toString(): string {
    return this.message;
  }
}

/**
 * Converts an error to a Failure. `cause` is plain data: operation, outcome, retryable, status, service {code, message,
 * details}, requestId, violations. It never contains a secret. Refusals before a call have no stack: the message says what to do.
 */
export function toFailure(error: unknown): Failure {
  if (!(error instanceof FxdeskError)) {
    const { message, stack } = error as Error;
    return new Failure(message, "failed", {}, stack);
  }
  const { name: _name, message, code, ...facts } = error.toJSON();
  const known = Object.entries(facts).filter(([, value]) => value !== undefined);
  const cause = Object.fromEntries(known);
  const stack = error.outcome === "not-sent" ? undefined : error.stack;
  return new Failure(String(message), String(code), cause, stack);
}

/** Receivers of the failures of a node or a message. */
export interface ErrorReport {
  readonly status: { setFailed(failure: Failure): void };
  /** Passes the failure to Catch nodes or the error output. */
  readonly fail: (failure: Failure) => void;
}

/** Shows an error in the node status and passes it on. */
export function reportError({ status, fail }: ErrorReport, error: unknown): void {
  const failure = toFailure(error);
  status.setFailed(failure);
  fail(failure);
}

/** Runs the handler of a message and reports everything that it throws. */
export async function catchErrors(report: ErrorReport, handle: () => Promise<void>): Promise<void> {
  try {
    await handle();
  } catch (error) {
    reportError(report, error);
  }
}
