/** What a command is, and how one is run. */
import { type Flag, type ParsedArguments, parseArguments } from "./arguments";
import { flagRows, joinSections, paragraph, section } from "./help";
import { type Terminal, write } from "./terminal";

export interface Command {
  /** How it is written: "fxdesk openapi [flags]". */
  readonly usage: string;
  readonly description: string;
  readonly flags: readonly Flag[];
  /** Flags that are fields of what is sent. */
  readonly fields?: readonly Flag[];
  /** Flags it takes and does not list: they are described in one place for many commands. */
  readonly hiddenFlags?: readonly Flag[];
  /** The rest of its help page, in parts. */
  readonly helpSections?: readonly (string | undefined)[];
  /** Does it, and returns the exit code. */
  run(parsed: ParsedArguments, terminal: Terminal): Promise<number>;
}

export const jsonFlag: Flag = { name: "json", description: "Print JSON, errors too (one line on stderr)." };
export const helpFlag: Flag = { name: "help", description: "Show this help." };

const renderHelp = ({ usage, description, flags, fields = [], helpSections = [] }: Command): string =>
  joinSections(
    paragraph(description),
    `Usage: ${usage}`,
    section("Fields", flagRows(fields)),
    section("Flags", flagRows([...flags, helpFlag])),
    ...helpSections,
  );

/** All flags a command takes. */
export const flagsOf = ({ flags, fields = [], hiddenFlags = [] }: Command): readonly Flag[] => [
  ...fields,
  ...flags,
  ...hiddenFlags,
];

export async function runCommand(
  command: Command,
  args: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const parsed = parseArguments(args, [...flagsOf(command), helpFlag]);
  if (!parsed.boolean("help")) return command.run(parsed, terminal);
  await write(terminal.stdout, renderHelp(command));
  return 0;
}
