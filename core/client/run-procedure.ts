/** One call of a procedure: its input checked as that of an operation, its calls made with the options of the whole. */
import { Aborted, FxdeskError } from "../errors";
import { checkInput } from "../declaration/check";
import { type Values, withDefaults } from "../declaration/fields";
import type { Callable } from "../declaration/operation";
import type { Procedure, RunContext } from "../declaration/procedure";
import { canonicalValues } from "../wire/spelling";
import { errorFrom, invalidInput, unreadableResponse } from "./call-errors";
import type { CallOptions } from "./call-options";
import { deliveredBy, intoMemory } from "./deliver";
import type { ServiceResponse } from "./response";

/** Makes the client of one run: what it calls has the given options, and each response is noted. */
export type ClientFor = (
  options: CallOptions,
  onResponse: (operation: string, response: ServiceResponse) => void,
) => unknown;

/** So many calls of a run may have responses that are still looked at. */
const newest = 20;

/** The calls of one run, as far as they have responses. */
export class CallsOfRun {
  attempts = 0;
  /** Whether a response fits takes as long to find out as to read it: only the newest are asked, and only of a failure. */
  readonly #responses: (readonly [operation: string, response: ServiceResponse])[] = [];

  readonly note = (operation: string, response: ServiceResponse): void => {
    this.attempts += response.attempts;
    if (this.#responses.push([operation, response]) > newest) this.#responses.shift();
  };

  /** Why the run ended: what nobody expected comes from a response that does not fit, where there is one. */
  failure(callable: Callable, error: unknown): FxdeskError {
    const progress = { attempts: this.attempts, sent: this.attempts > 0 };
    const misfit = error instanceof FxdeskError ? undefined : this.#misfit();
    return misfit === undefined
      ? errorFrom(callable, error, progress)
      : unreadableResponse(callable, misfit, progress, error);
  }

  #misfit(): string | undefined {
    for (const [operation, { violations }] of this.#responses)
      for (const { field, message } of violations)
        return `The response of ${operation} does not fit: ${field} ${message}.`;
    return undefined;
  }
}

const aborted = ({ name }: Procedure, cause: unknown): FxdeskError =>
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
  clientFor: ClientFor,
): Promise<ServiceResponse> {
  const given = canonicalValues(procedure, input);
  const violations = checkInput(procedure, given, new Date());
  if (violations.length > 0) throw invalidInput(procedure, violations);
  const calls = new CallsOfRun();
  const context: RunContext<unknown> = {
    client: clientFor(options, calls.note),
    signal: options.signal,
    progress: (step) => onProgress?.(step),
    deliver: deliveredBy(deliver, procedure),
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
    if (!(error instanceof FxdeskError) && options.signal?.aborted) throw aborted(procedure, error);
    throw calls.failure(procedure, error);
  }
}
