/** One call of a procedure: its input checked as that of an operation, its calls made with the options of the whole. */
import { Aborted, FxdeskError } from "../errors";
import { checkInput } from "../declaration/check";
import { type Values, withDefaults } from "../declaration/fields";
import type { Callable } from "../declaration/operation";
import type { Procedure, RunContext } from "../declaration/procedure";
import { normalizeInput } from "../wire/normalize-input";
import { toFxdeskError, invalidInputError, unreadableResponseError } from "./call-errors";
import type { CallOptions } from "./call-options";
import { withDeliveryErrors, intoMemory } from "./file-delivery";
import type { ServiceResponse } from "./response";

/** Makes the client of one run: what it calls has the given options, and each response is noted. */
export type RunClientFactory = (
  options: CallOptions,
  onResponse: (operation: string, response: ServiceResponse) => void,
) => unknown;

/** So many calls of a run may have responses that are still looked at. */
const maxTrackedResponses = 20;

/** The calls of one run, as far as they have responses. */
export class RunCalls {
  attempts = 0;
  /** Whether a response fits takes as long to find out as to read it: only the newest are asked, and only of a failure. */
  readonly #responses: (readonly [operation: string, response: ServiceResponse])[] = [];

  readonly record = (operation: string, response: ServiceResponse): void => {
    this.attempts += response.attempts;
    if (this.#responses.push([operation, response]) > maxTrackedResponses) this.#responses.shift();
  };

  /** Why the run ended: what nobody expected comes from a response that does not fit, where there is one. */
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
        return `The response of ${operation} does not fit: ${field} ${message}.`;
    return undefined;
  }
}

const abortedError = ({ name }: Procedure, cause: unknown): FxdeskError =>
  new Aborted(`${name}: The call was ended by its caller.`, {
    operation: name,
    code: "aborted",
    outcome: "unknown",
    cause,
  });

/** Throws InvalidInput before anything is called, and what the calls throw. */
export async function runProcedure(
  procedure: Procedure,
  input: Values,
  { onProgress, deliver = intoMemory, ...options }: CallOptions,
  clientFor: RunClientFactory,
): Promise<ServiceResponse> {
  const given = normalizeInput(procedure, input);
  const violations = checkInput(procedure, given, new Date());
  if (violations.length > 0) throw invalidInputError(procedure, violations);
  const calls = new RunCalls();
  const context: RunContext<unknown> = {
    client: clientFor(options, calls.record),
    signal: options.signal,
    progress: (step) => onProgress?.(step),
    deliver: withDeliveryErrors(deliver, procedure),
  };
  try {
    const body = await procedure.run(context as RunContext, withDefaults(procedure, given) as never);
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
