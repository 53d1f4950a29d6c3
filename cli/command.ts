/** What a command is, and how one is run. */
import { type Flag, type Given, readArguments } from "./arguments";
import { flagRows, page, paragraph, section } from "./help";
import { type Terminal, write } from "./terminal";

export interface Command {
  /** How it is written: "fxdesk openapi [flags]". */
  readonly usage: string;
  readonly says: string;
  readonly flags: readonly Flag[];
  /** Flags that are fields of what is sent. */
  readonly fields?: readonly Flag[];
  /** Flags it takes and does not list: they are described in one place for many commands. */
  readonly unlisted?: readonly Flag[];
  /** The rest of its help page, in parts. */
  readonly more?: readonly (string | undefined)[];
  /** Does it, and answers the exit code. */
  run(given: Given, terminal: Terminal): Promise<number>;
}

export const jsonFlag: Flag = { name: "json", says: "Print JSON, errors too (one line on stderr)." };
export const helpFlag: Flag = { name: "help", says: "Show this help." };

const helpPage = ({ usage, says, flags, fields = [], more = [] }: Command): string =>
  page(
    paragraph(says),
    `Usage: ${usage}`,
    section("Fields", flagRows(fields)),
    section("Flags", flagRows([...flags, helpFlag])),
    ...more,
  );

/** All flags a command takes. */
export const flagsOf = ({ flags, fields = [], unlisted = [] }: Command): readonly Flag[] => [
  ...fields,
  ...flags,
  ...unlisted,
];

export async function execute(
  command: Command,
  args: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const given = readArguments(args, [...flagsOf(command), helpFlag]);
  if (!given.switched("help")) return command.run(given, terminal);
  await write(terminal.stdout, helpPage(command));
  return 0;
}
