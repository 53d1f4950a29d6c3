#!/usr/bin/env node
/** The `fxdesk` command: lists the commands, runs one, and turns errors into a message and an exit code. */
// First, because other modules do not load in older versions of Node.js.
import "./command-line/require-node";
import { FxdeskError, InvalidInput, Unauthorized } from "../core/spec/errors";
import { factsOf, isJsonLog, logFormats, logProcessAsJson, logVariable } from "../core/spec/log";
import type { Service } from "../core/spec/service";
import { flagName, unknownWordError, UsageError } from "./command-line/arguments";
import {
  type Command,
  type FindCommand,
  flagsOf,
  helpFlag,
  joinSections,
  paragraph,
  runCommand,
  section,
  version,
} from "./command-line/command";
import { badUsage, exitCodeOf, exitMeanings, success } from "./command-line/exit-codes";
import {
  credentialVariables,
  extensionsHelp,
  loadExtendedService,
  rejectSecretFlags,
  type ServiceLoader,
  settingLocation,
} from "./settings/connection-settings";
import { isClosed, printable, writeStderr, type Terminal, write, writeLog } from "./terminal/terminal";

interface Services {
  readonly base: ServiceLoader;
  /** Loads the service with the user's extension. */
  readonly extended: ServiceLoader;
}

interface CommandEntry {
  readonly description: string;
  /** True if it changes something without a further word. Such a command is never suggested. */
  readonly changes?: true;
  /** Imports the command on demand, so that other commands start faster. */
  load(services: Services): Promise<Command | FindCommand>;
}

const commands: Readonly<Record<string, CommandEntry>> = {
  call: {
    description: "Call an operation or a procedure.",
    load: async ({ extended }) => (await import("./call/command.js")).callCommands(await extended()),
  },
  operations: {
    description: "List or search the operations.",
    load: async ({ extended }) =>
      (await import("./commands/operations.js")).operationsCommand(await extended()),
  },
  login: {
    description: "Log in to the service and save the login as a profile.",
    load: async ({ base }) => (await import("./commands/login.js")).loginCommand(await base()),
  },
  logout: {
    description: "Delete the tokens and secrets of a profile.",
    changes: true,
    load: async ({ base }) => (await import("./commands/login.js")).logoutCommand(await base()),
  },
  whoami: {
    description: "Show the environment and client in use, and test the connection.",
    load: async ({ base }) => (await import("./commands/whoami.js")).whoamiCommand(await base()),
  },
  config: {
    description: "Show the settings in force, and where each comes from.",
    load: async ({ base }) => (await import("./commands/config.js")).configCommand(await base()),
  },
  doctor: {
    description: "Check everything that a call needs, and say what to do.",
    load: async ({ extended }) => (await import("./commands/doctor.js")).doctorCommand(await extended()),
  },
  profiles: {
    description: "List the saved profiles.",
    load: async () => (await import("./commands/login.js")).profilesCommand,
  },
  watch: {
    description: "Report new and changed records, each change once.",
    load: async ({ extended }) => (await import("./watch/command.js")).watchCommands(await extended()),
  },
  mcp: {
    description: "Serve the operations to AI assistants (MCP).",
    load: async () => (await import("./commands/mcp.js")).mcpCommands,
  },
  sandbox: {
    description: "Run a simulated service on this machine, and control it.",
    load: async ({ base }) => (await import("./sandbox/command.js")).sandboxCommands(await base()),
  },
  store: {
    description:
      "Check, back up, restore or move the store: the database of journal, tokens and watch positions.",
    load: async () => (await import("./commands/store.js")).storeCommands,
  },
  halt: {
    description: "Stop all money calls and calls that change something.",
    changes: true,
    load: async () => (await import("./commands/halt.js")).haltCommand,
  },
  resume: {
    description: "End a halt.",
    changes: true,
    load: async () => (await import("./commands/halt.js")).resumeCommand,
  },
  journal: {
    description: "Show, resolve, export and verify the record of money calls.",
    load: async ({ extended }) => (await import("./commands/journal.js")).journalCommands(extended),
  },
  releases: {
    description: "Show, release or refuse requests that wait for release by a person.",
    load: async ({ extended }) => (await import("./releases/command.js")).releasesCommands(extended),
  },
  people: {
    description: "Add, lock and remove the people who request and release, and change their secrets.",
    load: async ({ extended }) => (await import("./people/command.js")).peopleCommands(extended),
  },
  keys: {
    description: "Issue, list and revoke service keys, by which programs request.",
    load: async ({ extended }) => (await import("./people/keys-command.js")).keysCommands(extended),
  },
  completion: {
    description: "Print a script that completes commands and flags in bash or zsh.",
    load: async (services) =>
      (await import("./commands/completion.js")).completionCommand(() => loadAll(services)),
  },
  openapi: {
    description: "Print an OpenAPI 3.1 document of all operations.",
    load: async ({ extended }) => (await import("./commands/operations.js")).openApiCommand(await extended()),
  },
};

/** Loads all commands, except those that need a package that is not installed. */
async function loadAll(services: Services): Promise<ReadonlyMap<string, Command | FindCommand>> {
  const loaded = new Map<string, Command | FindCommand>();
  for (const [name, entry] of Object.entries(commands)) {
    const command = await entry.load(services).catch(() => undefined);
    if (command) loaded.set(name, command);
  }
  return loaded;
}

const exitCodeRows = Object.entries(exitMeanings).map(
  ([code, description]) => [code.padStart(3), description] as const,
);

const renderHelp = (): string =>
  joinSections(
    paragraph("Corporate accounts, trades and payments from the command line, Node-RED and AI assistants."),
    "Usage: fxdesk <command> [flags]",
    section("Commands", [
      ...Object.entries(commands).map(([name, { description }]) => [name, description] as const),
      ["help", "Show the help of a command: fxdesk help call trades.list."] as const,
    ]),
    section("Flags", [
      ["--help", `${helpFlag.description} Add it to a command for the help of that command.`],
      ["--version", "Show the version."],
    ]),
    extensionsHelp,
    section("Exit codes", exitCodeRows),
    "To try it, run fxdesk sandbox, set the variables it prints, and run fxdesk call trades.list --table.",
  );

/** Returns the error for a word that is no command. Operations and flags have their place behind another word. */
async function unknownCommandError(
  name: string,
  [next]: readonly string[],
  loadService: ServiceLoader,
): Promise<Error> {
  const problem = `There is no command ${JSON.stringify(name)}`;
  if (name.startsWith("-"))
    return new UsageError(`Flags follow the command: fxdesk <command> ${name}. Run fxdesk help for a list.`);
  const { callablesOf } = await import("../core/spec/service.js");
  const names = new Set([name, `${name}.${next}`, flagName(name).replaceAll("-", "_")]);
  const called = callablesOf(await loadService()).find(
    (each) => names.has(each.name) || names.has(each.tool),
  );
  if (called) return new UsageError(`${problem}. Operations follow call: fxdesk call ${called.name} --help.`);
  const suggested = Object.entries(commands).flatMap(([word, { changes }]) => (changes ? [] : [word]));
  return unknownWordError(problem, name, [...suggested, "help"], "Run fxdesk help for a list.");
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
    return success;
  }
  if (name === "help") return run([...args.filter((arg) => arg !== "--help"), "--help"], terminal, service);
  if (name === "--version" || name === "-v") {
    await write(terminal.stdout, `${version()}\n`);
    return success;
  }
  const format = terminal.environment[logVariable];
  if (format && !logFormats.some((known) => known === format))
    throw new UsageError(`${logVariable} must be ${logFormats.join(" or ")}, not ${JSON.stringify(format)}.`);
  const base = async () => service ?? (await import("../core/client/fxdesk-service.js")).fxdeskService;
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!entry) throw await unknownCommandError(name, args, base);
  const loaded = await entry.load({
    base,
    extended: async () => loadExtendedService(terminal, await base()),
  });
  const [command, rest] = typeof loaded === "function" ? loaded(args) : ([loaded, args] as const);
  rejectSecretFlags(
    rest,
    flagsOf(command).map((flag) => flag.name),
    service,
  );
  return runCommand(command, rest, terminal);
}

/** Returns how to set what a connection lacks. */
const connectionHints = ({ violations }: InvalidInput, service: Service | undefined): string[] => [
  ...violations.flatMap(({ field }) => {
    // An address follows from the domain.
    const fields = field === "baseUrl" ? ["domain", field] : [field];
    const ways = fields.flatMap((name) => {
      const where = settingLocation(name, service);
      return where ? [`${name} with ${where}`] : [];
    });
    return ways.length > 0 ? [`Set ${ways.join(", or ")}.`] : [];
  }),
  "Or log in with fxdesk login. To try fxdesk without a service, run fxdesk sandbox.",
];

/** Returns instructions that the error itself cannot give, because it does not know the command line. */
function hints(error: unknown, service: Service | undefined): string[] {
  if (error instanceof InvalidInput) {
    const isIncomplete = error.violations.some(
      ({ field, message }) => message.startsWith("is required") && settingLocation(field, service),
    );
    return isIncomplete ? connectionHints(error, service) : [];
  }
  if (error instanceof Unauthorized)
    return [
      `Log in with fxdesk login, or set the credentials that your connection uses: ${credentialVariables(service).join(", ")}.`,
    ];
  return [];
}

/** Keeps our own line breaks and strips control characters that the service may have put into a message. */
const toPrintableLines = (text: string) => text.split("\n").map(printable).join("\n");

function describeError(error: unknown, asJson: boolean, service: Service | undefined): string {
  const { message } = error as Error;
  if (asJson)
    return JSON.stringify(
      error instanceof FxdeskError || error instanceof UsageError
        ? error
        : { name: "Error", code: "unexpected", message },
    );
  const { requestId, journal } = error instanceof FxdeskError ? error : {};
  return [
    message,
    ...hints(error, service),
    requestId && `Request ID: ${requestId}`,
    journal && `Journal entry: ${journal.entry}`,
  ]
    .flatMap((line) => (line ? [toPrintableLines(line)] : []))
    .join("\n");
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
    const text = describeError(error, asJson, service);
    await (asJson
      ? writeStderr(terminal, `${text}\n`)
      : writeLog(terminal, "error", text, factsOf(error), text));
    return exitCodeOf(error);
  }
}

async function main(): Promise<void> {
  // Without a listener, EPIPE would crash the process; `write` reports it to the caller.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  if (isJsonLog()) logProcessAsJson();
  const { stdin, stdout, stderr, env, argv } = process;
  const code = await runCommandLine(argv.slice(2), { stdin, stdout, stderr, environment: env });
  // All output is written; an abandoned call in flight must not keep the process alive.
  process.exit(code);
}

// Tests import this module to run commands in their own process.
if (require.main === module) void main();
