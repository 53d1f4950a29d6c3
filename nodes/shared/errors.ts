/** Errors for Catch nodes, which receive only message, code, cause and stack. */
import { FxdeskError } from "../../core/spec/errors";

/**
 * Runs a function; errors of its synchronous part have no stack. In a burst of refusals, stacks would take more time and
 * memory than all else, and they would only show code of fxdesk.
 */
export function withoutStacks<T>(run: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return run();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Error of a message. */
export class Failure extends Error {
  /** Stable, such as `not_found`; do not match on the message. */
  readonly code: string;

  constructor(message: string, code: string, cause: Readonly<Record<string, unknown>>, stack?: string) {
    super(message, { cause });
    this.code = code;
    if (stack === undefined) delete this.stack;
    else this.stack = stack;
  }

  /** Shown by Node-RED; without the class name, which does not help users. */
  override toString(): string {
    return this.message;
  }
}

/** Text of a cause for the debug sidebar, which shows it in one line; hidden, so that the cause remains plain data. */
const describeCause = {
  value(this: Readonly<Record<string, unknown>>): string {
    const { operation, outcome, status } = this;
    return [operation, outcome, status !== undefined && `status ${String(status)}`]
      .filter(Boolean)
      .join(", ");
  },
};

/** Facts of an FxdeskError that the cause of a Failure does not repeat. */
const failureProperties = new Set(["name", "message", "code"]);

/**
 * Converts an error to a Failure. `cause` is plain data: operation, outcome, retryable, status, service {code, message,
 * details}, requestId, violations. It never contains a secret. Refusals before a call have no stack: the message says what to do.
 */
export function toFailure(error: unknown): Failure {
  if (!(error instanceof FxdeskError)) {
    const { message, stack } = error as Error;
    return withoutStacks(() => new Failure(message, "failed", {}, stack));
  }
  const cause: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(error.toJSON()))
    if (value !== undefined && !failureProperties.has(name)) cause[name] = value;
  Object.defineProperty(cause, "toString", describeCause);
  const { message, code } = error;
  const stack = error.outcome === "not-sent" ? undefined : error.stack;
  return withoutStacks(() => new Failure(message, code, cause, stack));
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
