#!/usr/bin/env node
/** The `fxdesk` command: lists the commands, runs one, and turns errors into a message and an exit code. */
import { FxdeskError, InvalidInput, Unauthorized } from "../core/spec/errors";
import type { Service } from "../core/spec/service";
import { UsageError } from "./command-line/arguments";
import { type Command, runCommand, flagsOf, helpFlag, version } from "./command-line/command";
import { credentialVariables, rejectSecretFlags, settingLocation } from "./settings/connection-settings";
import { badUsage, exitCodeOf, exitMeanings, success } from "./command-line/exit-codes";
import { extensionsHelp, loadExtendedService, type ServiceLoader } from "./settings/extensions";
import { columns, joinSections, paragraph, section } from "./command-line/help";
import { suggestions } from "../core/values/suggestions";
import { isClosed, printable, writeStderr, type Terminal, write } from "./terminal/terminal";

interface CommandEntry {
  readonly description: string;
  /** Imports the command on demand, so that other commands start faster. */
  load(
    args: readonly string[],
    services: {
      readonly base: ServiceLoader;
      /** Loads the service with the user's extension. */
      readonly extended: ServiceLoader;
    },
  ): Promise<readonly [Command, readonly string[]]>;
}

const commands: Readonly<Record<string, CommandEntry>> = {
  call: {
    description: "Call an operation or a procedure.",
    load: async (args, { extended }) =>
      (await import("./call/command.js")).callCommand(args, await extended()),
  },
  operations: {
    description: "List or search the operations.",
    load: async (args, { extended }) =>
      (await import("./commands/operations.js")).operationsCommand(args, await extended()),
  },
  login: {
    description: "Log in to the service and save the login as a profile.",
    load: async (args, { base }) => [(await import("./commands/login.js")).loginCommand(await base()), args],
  },
  logout: {
    description: "Delete the tokens and secrets of a profile.",
    load: async (args, { base }) => [(await import("./commands/login.js")).logoutCommand(await base()), args],
  },
  whoami: {
    description: "Show the environment and client in use, and test the connection.",
    load: async (args, { base }) => [
      (await import("./commands/whoami.js")).whoamiCommand(await base()),
      args,
    ],
  },
  profiles: {
    description: "List the saved profiles.",
    load: async (args) => [(await import("./commands/login.js")).profilesCommand, args],
  },
  watch: {
    description: "Report new and changed records, each change once.",
    load: async (args, { extended }) =>
      (await import("./watch/command.js")).watchCommand(args, await extended()),
  },
  mcp: {
    description: "Serve the operations to AI assistants (MCP).",
    load: async (args) => [(await import("./commands/mcp.js")).mcpCommand, args],
  },
  sandbox: {
    description: "Run a simulated service on this machine, and control it.",
    load: async (args, { base }) => (await import("./sandbox/command.js")).sandboxCommand(args, await base()),
  },
  store: {
    description: "Check, migrate or move the store: the database of journal, tokens and watch positions.",
    load: async (args) => (await import("./commands/store.js")).storeCommand(args),
  },
  halt: {
    description: "Stop all calls that change something or move money.",
    load: async (args) => [(await import("./commands/halt.js")).haltCommand, args],
  },
  resume: {
    description: "End a halt.",
    load: async (args) => [(await import("./commands/halt.js")).resumeCommand, args],
  },
  journal: {
    description: "Show, resolve, export and verify the record of calls that commit money.",
    load: async (args, { extended }) =>
      (await import("./commands/journal.js")).journalCommand(args, extended),
  },
  releases: {
    description: "Show, release or refuse requests that wait for release by a person.",
    load: async (args, { extended }) =>
      (await import("./releases/command.js")).releasesCommand(args, extended),
  },
  openapi: {
    description: "Print an OpenAPI 3.1 document of all operations.",
    load: async (args, { extended }) => [
      (await import("./commands/operations.js")).openApiCommand(await extended()),
      args,
    ],
  },
};

const exitCodeRows = Object.entries(exitMeanings).map(
  ([code, description]) => [code.padStart(3), description] as const,
);

const renderHelp = (): string =>
  joinSections(
    paragraph("Corporate accounts, trades and payments from the command line, Node-RED and AI assistants."),
    "Usage: fxdesk <command> [flags]",
    section(
      "Commands",
      columns(Object.entries(commands).map(([name, { description }]) => [name, description] as const)),
    ),
    section(
      "Flags",
      columns([
        ["--help", `${helpFlag.description} Add it to a command for the help of that command.`],
        ["--version", "Show the version."],
      ]),
    ),
    extensionsHelp,
    section("Exit codes", columns(exitCodeRows)),
    "To try it, run fxdesk sandbox, set the variables it prints, and run fxdesk call trades.list --table.",
  );

function unknownCommandError(name: string): UsageError {
  const near = suggestions(name, Object.keys(commands));
  const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "Run fxdesk --help for a list.";
  return new UsageError(`There is no command ${JSON.stringify(name)}. ${hint}`);
}

async function run(
  [name, ...args]: readonly string[],
  terminal: Terminal,
  service: Service | undefined,
): Promise<number> {
  if (name === undefined) {
    await writeStderr(terminal, renderHelp());
    return badUsage;
  }
  if (name === "--help" || name === "-h") {
    await write(terminal.stdout, renderHelp());
    return 0;
  }
  if (name === "--version") {
    await write(terminal.stdout, `${version()}\n`);
    return 0;
  }
  const command_ = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command_) throw unknownCommandError(name);
  const base = async () => service ?? (await import("../core/client/fxdesk-service.js")).fxdeskService;
  const extended = async () => loadExtendedService(await base(), terminal);
  const [command, rest] = await command_.load(args, { base, extended });
  rejectSecretFlags(
    rest,
    flagsOf(command).map((flag) => flag.name),
    service,
  );
  return runCommand(command, rest, terminal);
}

/** Returns instructions that the error itself cannot give, because it does not know the command line. */
function hints(error: unknown, service: Service | undefined): string[] {
  if (error instanceof InvalidInput)
    return error.violations.flatMap(({ field }) => {
      const where = settingLocation(field, service);
      return where ? [`Set ${field} with ${where}.`] : [];
    });
  if (error instanceof Unauthorized)
    return [
      `Log in with fxdesk login, or set credentials in the environment: ${credentialVariables(service).join(", ")}.`,
    ];
  return [];
}

const requestIdLines = (error: unknown): string[] =>
  error instanceof FxdeskError && error.requestId ? [`Request ID: ${error.requestId}`] : [];

const journalEntryLines = (error: unknown): string[] =>
  error instanceof FxdeskError && error.journal ? [`Journal entry: ${error.journal.entry}`] : [];

/** Keeps our own line breaks and strips control characters that the service may have put into a message. */
const toPrintableLines = (text: string) => text.split("\n").map(printable).join("\n");

function describeError(error: unknown, asJson: boolean, service: Service | undefined): string {
  const { message } = error as Error;
  if (!asJson)
    return [message, ...hints(error, service), ...requestIdLines(error), ...journalEntryLines(error)]
      .map(toPrintableLines)
      .join("\n");
  if (error instanceof FxdeskError || error instanceof UsageError) return JSON.stringify(error);
  return JSON.stringify({ name: "Error", code: "unexpected", message });
}

/** Runs a command line and returns its exit code; never throws. `service` defaults to the contract. */
export async function runCommandLine(
  args: readonly string[],
  terminal: Terminal,
  service?: Service,
): Promise<number> {
  try {
    return await run(args, terminal, service);
  } catch (error) {
    // The reader closed stdout, as `head` does; this is not a failure.
    if (isClosed(error)) return success;
    const asJson = args.includes("--json") || args.includes("--jsonl");
    await writeStderr(terminal, `${describeError(error, asJson, service)}\n`);
    return exitCodeOf(error);
  }
}

async function main(): Promise<void> {
  // Without a listener, EPIPE would crash the process; `write` reports it to the caller.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  const { stdin, stdout, stderr, env, argv } = process;
  const code = await runCommandLine(argv.slice(2), { stdin, stdout, stderr, environment: env });
  // All output is written; an abandoned call in flight must not keep the process alive.
  process.exit(code);
}

// Tests import this module to run commands in their own process.
if (require.main === module) void main();
