/** Runs procedures: input validated as for operations, calls made with the options of the run. */
import { createError, FxdeskError } from "../spec/errors";
import { checkInput } from "../spec/check";
import { type Values, withDefaults } from "../spec/fields";
import type { Callable } from "../spec/operation";
import type { Procedure, RunContext } from "../spec/procedure";
import { normalizeInput } from "../call/normalize-input";
import { toFxdeskError, invalidInputError, unreadableResponseError } from "../call/call-errors";
import type { CallOptions } from "../call/call-options";
import { withDeliveryErrors, intoMemory } from "../call/file-delivery";
import type { ServiceResponse } from "../call/response";

/** Creates the client of one run. It applies the options to each call and reports each response. */
export type RunClientFactory = (
  options: CallOptions,
  onResponse: (operation: string, response: ServiceResponse) => void,
) => unknown;

/** Number of responses kept to explain a failure. */
const maxTrackedResponses = 20;

/** Responses of one run. */
export class RunCalls {
  attempts = 0;
  /** Only the newest are checked, and only after a failure: validation takes as long as parsing. */
  readonly #responses: (readonly [operation: string, response: ServiceResponse])[] = [];

  readonly record = (operation: string, response: ServiceResponse): void => {
    this.attempts += response.attempts;
    if (this.#responses.push([operation, response]) > maxTrackedResponses) this.#responses.shift();
  };

  /** Converts the error of a run. An unexpected error is attributed to a response that violates the contract, if there is one. */
  toError(callable: Callable, error: unknown): FxdeskError {
    const progress = { attempts: this.attempts, sent: this.attempts > 0 };
    const problem = error instanceof FxdeskError ? undefined : this.#findViolation();
    return problem === undefined
      ? toFxdeskError(callable, error, progress)
      : unreadableResponseError(callable, problem, progress, error);
  }

  #findViolation(): string | undefined {
    for (const [operation, { violations }] of this.#responses)
      for (const { field, message } of violations)
        return `The response of ${operation} is invalid: ${field} ${message}.`;
    return undefined;
  }
}

const abortedError = ({ name }: Procedure, cause: unknown): FxdeskError =>
  createError(name, "aborted", "unknown", `${name}: The caller aborted the call.`, { cause });

/** Returns the values of a procedure with its defaults. Throws InvalidInput. */
export function validateProcedure(procedure: Procedure, input: Values): Values {
  const given = normalizeInput(procedure, input);
  const violations = checkInput(procedure, given, new Date());
  if (violations.length > 0) throw invalidInputError(procedure, violations);
  return withDefaults(procedure, given);
}

/** Runs a procedure. Throws InvalidInput before the first call, and the errors of its calls. */
export async function runProcedure(
  procedure: Procedure,
  input: Values,
  { onProgress, deliver = intoMemory, ...options }: CallOptions,
  clientFor: RunClientFactory,
): Promise<ServiceResponse> {
  const values = validateProcedure(procedure, input);
  const calls = new RunCalls();
  const context: RunContext<unknown> = {
    client: clientFor(options, calls.record),
    signal: options.signal,
    progress: (step) => onProgress?.(step),
    deliver: withDeliveryErrors(deliver, procedure),
  };
  try {
    const body = await procedure.run(context as RunContext, values as never);
    return {
      status: 200,
      body,
      headers: {},
      total: undefined,
      requestId: undefined,
      attempts: calls.attempts,
      violations: [],
    };
  } catch (error) {
    if (!(error instanceof FxdeskError) && options.signal?.aborted) throw abortedError(procedure, error);
    throw calls.toError(procedure, error);
  }
}
