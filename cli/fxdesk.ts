/** From arguments to a command, and from what goes wrong to an exit code and words that help. */
import { FxdeskError, InvalidInput, Unauthorized } from "../core/errors";
import { UsageError } from "./arguments";
import { type Command, execute, flagsOf, helpFlag } from "./command";
import { credentialVariables, refuseSecrets, whereToSet } from "./connection";
import { badUsage, exitCodeOf, exitMeanings } from "./exit";
import { columns, page, paragraph, section } from "./help";
import { nearest } from "./nearest";
import { printable, type Terminal, write } from "./terminal";
import { version } from "./version";

interface Entry {
  readonly says: string;
  /** Loads what the command needs, when it is asked for. */
  load(args: readonly string[]): Promise<readonly [Command, readonly string[]]>;
}

const commands: Readonly<Record<string, Entry>> = {
  call: {
    says: "Call an operation of the service.",
    load: async (args) => (await import("./call/command.js")).callCommand(args),
  },
  operations: {
    says: "List the operations and what each does.",
    load: async (args) => [(await import("./commands/operations.js")).operationsCommand(), args],
  },
  mcp: {
    says: "Serve the operations to AI assistants (MCP).",
    load: async (args) => [(await import("./commands/mcp.js")).mcpCommand, args],
  },
  sandbox: {
    says: "Play the service on this machine, and control what is played.",
    load: async (args) => (await import("./commands/sandbox.js")).sandboxCommand(args),
  },
  openapi: {
    says: "Print an OpenAPI 3.1 document of all operations.",
    load: async (args) => [(await import("./commands/openapi.js")).openApiCommand(), args],
  },
};

const help = (): string =>
  page(
    paragraph("Corporate accounts, trades and payments on the command line, in flows and for AI assistants."),
    "Usage: fxdesk <command> [flags]",
    section("Commands", columns(Object.entries(commands).map(([name, { says }]) => [name, says] as const))),
    section(
      "Flags",
      columns([
        ["--help", `${helpFlag.says} Every command has its own.`],
        ["--version", "Show the version."],
      ]),
    ),
    section("Exit codes", columns(Object.entries(exitMeanings))),
    "Try it: fxdesk sandbox prints variables; with them set, fxdesk call trades.list --table.",
  );

function unknown(name: string): UsageError {
  const near = nearest(name, Object.keys(commands));
  const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "fxdesk --help lists them.";
  return new UsageError(`There is no command ${JSON.stringify(name)}. ${hint}`);
}

async function run([name, ...args]: readonly string[], terminal: Terminal): Promise<number> {
  if (name === undefined) {
    await write(terminal.stderr, help());
    return badUsage;
  }
  if (name === "--help" || name === "-h") {
    await write(terminal.stdout, help());
    return 0;
  }
  if (name === "--version") {
    await write(terminal.stdout, `${version()}\n`);
    return 0;
  }
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!entry) throw unknown(name);
  const [command, rest] = await entry.load(args);
  refuseSecrets(
    rest,
    flagsOf(command).map((flag) => flag.name),
  );
  return execute(command, rest, terminal);
}

/** What a person can do about an error beyond what its message says. */
function hints(error: unknown): string[] {
  if (error instanceof InvalidInput)
    return error.problems.flatMap(({ field }) => {
      const where = whereToSet(field);
      return where ? [`Set ${field} by ${where}.`] : [];
    });
  if (error instanceof Unauthorized)
    return [`Credentials come from the environment: ${credentialVariables.join(", ")}.`];
  return [];
}

const requestOf = (error: unknown): string[] =>
  error instanceof FxdeskError && error.requestId ? [`Request ID: ${error.requestId}`] : [];

/** Line breaks of our own stay; whatever else the service put into a message cannot reach the terminal. */
const safe = (text: string) => text.split("\n").map(printable).join("\n");

function described(error: unknown, asJson: boolean): string {
  const { message } = error as Error;
  if (!asJson) return [message, ...hints(error), ...requestOf(error)].map(safe).join("\n");
  if (error instanceof FxdeskError || error instanceof UsageError) return JSON.stringify(error);
  return JSON.stringify({ name: "Error", code: "unexpected", message });
}

/** Runs a command line and answers its exit code; never throws. */
export async function fxdesk(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await run(args, terminal);
  } catch (error) {
    await write(terminal.stderr, `${described(error, args.includes("--json"))}\n`);
    return exitCodeOf(error);
  }
}
