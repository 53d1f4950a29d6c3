/** One call of a procedure: its input checked as that of an operation, its calls made with the options of the whole. */
import { Aborted, FxdeskError } from "../errors";
import { checkInput } from "../declaration/check";
import { type Values, withDefaults } from "../declaration/fields";
import type { Procedure, RunContext } from "../declaration/procedure";
import { canonicalValues } from "../wire/spelling";
import { errorFrom, invalidInput } from "./call-errors";
import type { CallOptions } from "./call-options";
import { deliveredBy, intoMemory } from "./deliver";
import type { ServiceResponse } from "./response";

/** Makes the client of one run: what it calls has the given options, and is counted. */
export type ClientFor = (options: CallOptions, onAttempts: (attempts: number) => void) => unknown;

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
  let attempts = 0;
  const context: RunContext<unknown> = {
    client: clientFor(options, (more) => (attempts += more)),
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
      attempts,
      violations: [],
    };
  } catch (error) {
    if (!(error instanceof FxdeskError) && options.signal?.aborted) throw aborted(procedure, error);
    throw errorFrom(procedure, error, { attempts, sent: attempts > 0 });
  }
}
