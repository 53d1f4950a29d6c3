/** The declaration of a command, and its runner. */
import { readFileSync } from "node:fs";
import { type Flag, type ParsedArguments, parseArguments } from "./arguments";
import { flagRows, joinSections, paragraph, section } from "./help";
import { type Terminal, write } from "../terminal/terminal";

export interface Command {
  /** Usage line, for example "fxdesk openapi [flags]". */
  readonly usage: string;
  readonly description: string;
  readonly flags: readonly Flag[];
  /** Flags for fields of the request. */
  readonly fields?: readonly Flag[];
  /** Accepted flags that the help does not list, because a shared section describes them. */
  readonly hiddenFlags?: readonly Flag[];
  /** Help sections below the flags. */
  readonly helpSections?: readonly (string | undefined)[];
  /** Runs the command and returns its exit code. */
  run(parsed: ParsedArguments, terminal: Terminal): Promise<number>;
}

export const jsonFlag: Flag = {
  name: "json",
  description: "Print JSON; errors are one line of JSON on stderr.",
};
export const helpFlag: Flag = { name: "help", description: "Show this help." };

const renderHelp = ({ usage, description, flags, fields = [], helpSections = [] }: Command): string =>
  joinSections(
    paragraph(description),
    `Usage: ${usage}`,
    section("Fields", flagRows(fields)),
    section("Flags", flagRows([...flags, helpFlag])),
    ...helpSections,
  );

/** Returns all flags that a command accepts. */
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

/** Returns the version of this package. */
export function version(): string {
  const manifest = readFileSync(require.resolve("@fxdesk/toolkit/package.json"), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}
