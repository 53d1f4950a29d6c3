/** The setting of the people file, and people who name themselves to one command. */
import { type Flag, UsageError } from "../command-line/arguments";
import type { Terminal } from "../terminal/terminal";
import { refusalAsUsage } from "./connection-settings";
import { secretPrompts } from "./secret";

/** Returns the path of the people file. Throws a UsageError if it is not set. */
export function peoplePath({ people }: Readonly<Record<string, string | undefined>>): string {
  if (people === undefined)
    throw new UsageError(
      "Set FXDESK_PEOPLE or --people to the file with the people who release and their secrets.",
    );
  return people;
}

export const personFlag: Flag = {
  name: "by",
  value: "<name>",
  description: "Your name. With a people file (FXDESK_PEOPLE), your secret is asked.",
};

/** Throws a UsageError unless the person knows their secret, if a people file is set. */
export async function checkSecret(
  people: string | undefined,
  person: string,
  terminal: Terminal,
): Promise<void> {
  if (people === undefined) return;
  const [{ authenticate, PeopleRefusal }, { localOrigin }] = await Promise.all([
    import("../../core/people/authenticate.js"),
    import("../../core/people/attempts.js"),
  ]);
  const secret = await secretPrompts(terminal).read(`Secret of ${person}: `);
  await refusalAsUsage(PeopleRefusal, () => authenticate(people, { person, secret }, localOrigin("cli")));
}
