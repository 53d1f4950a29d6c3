/** The declaration of commands and groups of commands, their help, and their runner. */
import { readFileSync } from "node:fs";
import { type Flag, joinWords, type ParsedArguments, parseArguments, UsageError } from "./arguments";
import { success } from "./exit-codes";
import { printJson, type Terminal, write } from "../terminal/terminal";

export interface Command {
  /** Usage line, for example "fxdesk openapi [flags]". */
  readonly usage: string;
  readonly description: string;
  /** Placeholder of a word after the command, for example "<id>"; in brackets if it is optional: "[id]". */
  readonly operand?: string;
  readonly flags: readonly Flag[];
  /** Flags for fields of the request. */
  readonly fields?: readonly Flag[];
  /** Accepted flags that the help does not list, because a shared section describes them. */
  readonly hiddenFlags?: readonly Flag[];
  /** Help sections below the flags. */
  readonly helpSections?: readonly (string | undefined)[];
  /** Runs the command. Returns its exit code unless it is success. */
  run(parsed: ParsedArguments, terminal: Terminal): Promise<number | void>;
}

/** Finds the command that the first arguments name, and returns it with the arguments that follow. */
export type FindCommand = ((args: readonly string[]) => readonly [Command, readonly string[]]) & {
  /** The words that name its commands. */
  readonly words?: readonly string[];
};

/** A command of a group. Its usage line is derived from its name. */
export interface MemberCommand extends Omit<Command, "usage"> {
  /** Flags that the usage line shows because they are required, for example "--as <name>". */
  readonly requiredFlags?: string;
}

/** Commands with a common first word. */
interface CommandGroup {
  /** The words before the command, for example "fxdesk journal". */
  readonly name: string;
  readonly description: string;
  /** Settings of all commands that declare none of their own. */
  readonly options: Pick<Command, "hiddenFlags" | "helpSections">;
  readonly commands: Readonly<Record<string, MemberCommand>>;
}

export function commandGroup({ name, description, options, commands }: CommandGroup): FindCommand {
  const names = `${name} ${joinWords(Object.keys(commands))}`;
  const rows = Object.entries(commands).map(
    ([word, command]) => [[word, command.operand].filter(Boolean).join(" "), command.description] as const,
  );
  const overview: Command = {
    usage: `${name} <command> [flags]`,
    description,
    flags: [],
    helpSections: [section("Commands (add --help for details)", rows), ...(options.helpSections ?? [])],
    run: () => Promise.reject(new UsageError(`Name a command: ${names}.`)),
  };
  const find: FindCommand = (args) => {
    const [word, ...rest] = args;
    if (word === undefined || word.startsWith("-")) return [overview, args];
    if (!Object.hasOwn(commands, word))
      throw new UsageError(`There is no command ${JSON.stringify(word)}. Use ${names}.`);
    const { requiredFlags, ...command } = commands[word]!;
    const usage = [name, word, command.operand, requiredFlags, "[flags]"].filter(Boolean).join(" ");
    return [{ ...options, ...command, usage }, rest];
  };
  return Object.assign(find, { words: Object.keys(commands) });
}

export const jsonFlag: Flag = {
  name: "json",
  description: "Print JSON; errors are one line of JSON on stderr.",
};
export const helpFlag: Flag = { name: "help", description: "Show this help." };

/** Prints a result on stdout: as JSON with --json, otherwise as text. */
export const printResult = (
  parsed: ParsedArguments,
  terminal: Terminal,
  value: unknown,
  text: string,
): Promise<void> => (parsed.boolean("json") ? printJson(terminal, value) : write(terminal.stdout, text));

const width = 100;

function wrap(text: string, maxWidth: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    if (line && line.length + 1 + word.length > maxWidth) {
      lines.push(line);
      line = word;
    } else line = line ? `${line} ${word}` : word;
  }
  return [...lines, line];
}

export const paragraph = (text: string): string => wrap(text, width).join("\n");

type Rows = readonly (readonly [name: string, description: string])[];

/** Renders two columns: names and wrapped descriptions. */
export function columns(rows: Rows): string {
  const leftWidth = Math.min(44, Math.max(0, ...rows.map(([name]) => name.length))) + 4;
  const indent = `\n${" ".repeat(leftWidth)}`;
  return rows
    .map(([name, description]) => {
      const right = wrap(description, width - leftWidth).join(indent);
      const head = `  ${name}`;
      return head.length + 2 > leftWidth ? `${head}${indent}${right}` : head.padEnd(leftWidth) + right;
    })
    .join("\n");
}

/** Returns a heading with its body; undefined if there is nothing to show. */
export const section = (heading: string, body: string | Rows | undefined): string | undefined =>
  body?.length ? `${heading}\n${typeof body === "string" ? body : columns(body)}` : undefined;

/** Joins the defined sections with empty lines. */
export const joinSections = (...parts: readonly (string | undefined)[]): string =>
  `${parts.filter((part) => part !== undefined).join("\n\n")}\n`;

const flagRows = (flags: readonly Flag[]) =>
  flags.map(
    ({ name, value, negatable, description }) =>
      [`--${negatable ? "[no-]" : ""}${name}${value ? ` ${value}` : ""}`, description] as const,
  );

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

/** Parses the arguments, runs the command, and returns its exit code. */
export async function runCommand(
  command: Command,
  args: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const { operand, usage } = command;
  const parsed = parseArguments(args, [...flagsOf(command), helpFlag], operand);
  if (parsed.boolean("help")) {
    await write(terminal.stdout, renderHelp(command));
    return success;
  }
  if (operand?.startsWith("<") && parsed.operand === "")
    throw new UsageError(`${operand} is missing: ${usage}.`);
  return (await command.run(parsed, terminal)) ?? success;
}

/** Returns the version of this package. */
export function version(): string {
  const manifest = readFileSync(require.resolve("@fxdesk/toolkit/package.json"), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}
