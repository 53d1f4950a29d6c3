/** Errors as Node-RED passes them on: a Catch node sees message, code, cause and stack, and nothing else. */
import { FxdeskError } from "../../core/errors";

/** What went wrong with a message. */
export class Failure extends Error {
  /** Stable, such as `not_found`; do not match on the message. */
  readonly code: string;

  constructor(message: string, code: string, cause: Readonly<Record<string, unknown>>) {
    super(message, { cause });
    this.code = code;
  }

  /** Node-RED shows this; the name of a class in front of it helps nobody. */
  override toString(): string {
    return this.message;
  }
}

/**
 * Any error as a Failure. `cause` is plain data: operation, outcome, retryable, status, service {code, message,
 * details}, requestId, violations. Holds no secret.
 */
export function toFailure(error: unknown): Failure {
  if (!(error instanceof FxdeskError)) return new Failure((error as Error).message, "failed", {});
  const { name: _name, message, code, ...facts } = error.toJSON();
  const known = Object.entries(facts).filter(([, value]) => value !== undefined);
  const failure = new Failure(String(message), String(code), Object.fromEntries(known));
  if (error.stack !== undefined) failure.stack = error.stack;
  return failure;
}
