/** The setting of the people file. */
import { UsageError } from "../command-line/arguments";

/** Returns the path of the people file. Throws a UsageError if it is not set. */
export function peoplePath({ people }: Readonly<Record<string, string | undefined>>): string {
  if (people === undefined)
    throw new UsageError(
      "Set FXDESK_PEOPLE or --people to the file with the people who release and their secrets.",
    );
  return people;
}
