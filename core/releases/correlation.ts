/** What whoever asks for a release is told again with it, so that it knows what it was about. */
import { invalidInput } from "../client/call-errors";
import type { Callable } from "../declaration/operation";

const longest = 10_000;

/** As JSON has it. Throws InvalidInput where it is none, or too long. */
export function correlationFrom(operation: string, given: unknown): { readonly correlation?: unknown } {
  if (given === undefined) return {};
  const wrong = (message: string) =>
    invalidInput({ name: operation } as Callable, [{ field: "correlation", message }]);
  let json: string | undefined;
  try {
    json = JSON.stringify(given) as string | undefined;
  } catch (error) {
    throw wrong(`must be JSON: ${(error as Error).message}`);
  }
  if (json === undefined) throw wrong("must be JSON");
  if (json.length > longest) throw wrong(`must not be longer than ${longest} characters as JSON`);
  return { correlation: JSON.parse(json) as unknown };
}
