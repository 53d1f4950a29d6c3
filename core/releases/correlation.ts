/** Correlation data: JSON of the requester that is returned unchanged with the release. */
import { invalidInputError } from "../call/call-errors";
import type { Callable } from "../spec/operation";

const maxCorrelationLength = 10_000;

/** Normalises correlation data. Throws InvalidInput if it is not JSON or too long. */
export function parseCorrelation(operation: string, given: unknown): { readonly correlation?: unknown } {
  if (given === undefined) return {};
  const invalid = (message: string) =>
    invalidInputError({ name: operation } as Callable, [{ field: "correlation", message }]);
  let json: string | undefined;
  try {
    json = JSON.stringify(given) as string | undefined;
  } catch (error) {
    throw invalid(`must be JSON: ${(error as Error).message}`);
  }
  if (json === undefined) throw invalid("must be JSON");
  if (json.length > maxCorrelationLength)
    throw invalid(`must not be longer than ${maxCorrelationLength} characters as JSON`);
  return { correlation: JSON.parse(json) as unknown };
}
