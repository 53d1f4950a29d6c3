/** The `fxdesk sandbox` command: runs the simulated service, and controls a running one. */
import type { Service } from "../../core/spec/service";
import { isDateTime } from "../../core/values";
import { type Flag, type ParsedArguments, UsageError, flagName } from "../command-line/arguments";
import type { Command } from "../command-line/command";
import { throwListenError, portFrom } from "../command-line/port";
import { controlCommand, controlsHelp } from "./control";
import {
  toShellLines,
  createTemporaryStore,
  loadSandbox,
  type SandboxPackage,
  sandboxVariables,
} from "./sandbox-package";
import { writeStderr, write } from "../terminal/terminal";
import { untilStopped } from "../terminal/stop-signals";

const defaultPort = 8080;

function timeFrom(parsed: ParsedArguments): Date | undefined {
  const text = parsed.string("now");
  if (text === undefined) return undefined;
  if (!isDateTime(text))
    throw new UsageError(
      `--now must be a date and time, for example 2026-01-31T09:30:00Z, not ${JSON.stringify(text)}.`,
    );
  return new Date(text);
}

function quoteSecondsFrom(parsed: ParsedArguments): number | undefined {
  const text = parsed.string("quote-seconds");
  if (text === undefined) return undefined;
  if (!(Number(text) > 0))
    throw new UsageError(`--quote-seconds must be a number above zero, not ${JSON.stringify(text)}.`);
  return Number(text);
}

function choiceFrom<W extends string>(
  parsed: ParsedArguments,
  flag: string,
  words: readonly W[],
): W | undefined {
  const text = parsed.string(flag);
  const word = words.find((each) => each === text);
  if (text !== undefined && word === undefined)
    throw new UsageError(`--${flag} must be ${words.join(" or ")}, not ${JSON.stringify(text)}.`);
  return word;
}

/** Converts an error about an option, whose message begins with its name, to a UsageError about the flag. */
function throwOptionUsage(error: unknown): never {
  if (!(error instanceof RangeError)) throw error;
  const isOption = options.some(
    ({ option }) => error.message.startsWith(`${option} `) || error.message.startsWith(`${option}: `),
  );
  throw new UsageError(
    isOption ? error.message.replace(/^\w+/, (option) => `--${flagName(option)}`) : error.message,
  );
}

function addressFrom(parsed: ParsedArguments, flag: string): string | undefined {
  const text = parsed.string(flag);
  if (text !== undefined && !URL.canParse(text))
    throw new UsageError(`--${flag} must be a full URL, not ${JSON.stringify(text)}.`);
  return text;
}

/** An option of the sandbox with its flag: `dataDir` is --data-dir. */
interface Option extends Pick<Flag, "value" | "description"> {
  readonly option: string;
  /** Parses the flag. Default: its text, or the state of its switch. */
  readonly read?: (parsed: ParsedArguments) => unknown;
}

const options: readonly Option[] = [
  {
    option: "port",
    value: "<number>",
    description: `Port to listen on; 0 for any free port. Default: ${defaultPort}.`,
    read: (parsed) => portFrom(parsed) ?? defaultPort,
  },
  { option: "host", value: "<address>", description: "Address to listen on. Default: 127.0.0.1." },
  {
    option: "seed",
    value: "<text>",
    description: "Any text; each seed generates different accounts, trades and transactions.",
  },
  {
    option: "world",
    value: "<file|name>",
    description:
      "Companies, accounts and business to simulate: a YAML file, or an included world (exporter, group or empty). Other flags take precedence.",
  },
  {
    option: "living",
    description:
      "Simulate business as the clock moves: incoming customer payments, and payments to suppliers, staff and the bank.",
  },
  {
    option: "dataDir",
    value: "<folder>",
    description: "Save statements sent by e-mail in this folder. Default: they are not saved.",
  },
  {
    option: "smtpUrl",
    value: "<url>",
    description: "Send these e-mails through a mail server instead, for example smtp://127.0.0.1:1025.",
  },
  {
    option: "now",
    value: "<date-time>",
    description:
      "Start a simulated clock at this time; it advances 0.1 seconds with each request. Default: the clock of the machine.",
    read: timeFrom,
  },
  {
    option: "quoteSeconds",
    value: "<number>",
    description: "Lifetime of quotes in seconds. Default: 30.",
    read: quoteSecondsFrom,
  },
  {
    option: "marketHours",
    value: "<always|real>",
    description: "real: no quotes from Friday 17:00 to Sunday 17:00, New York time. Default: always.",
    read: (parsed) => choiceFrom(parsed, "market-hours", ["always", "real"]),
  },
  {
    option: "reusableQuotes",
    description: "Allow several bookings of one quote. Default: one booking per quote.",
  },
  {
    option: "totalCount",
    description: "Send x-total-count with every paged list, even if the contract does not document it.",
  },
  {
    option: "scaApproach",
    value: "<redirect|oauth>",
    description: "Authorisation of consents and payments: by OAuth 2.0, or by redirect. Default: redirect.",
    read: (parsed) => choiceFrom(parsed, "sca-approach", ["redirect", "oauth"]),
  },
  {
    option: "redirectUri",
    value: "<url>",
    description: "Address to which the login page returns. Default: http://127.0.0.1:1880/callback.",
    read: (parsed) => addressFrom(parsed, "redirect-uri"),
  },
];

const flagOf = ({ option, description, value }: Option): Flag => ({
  name: flagName(option),
  description,
  ...(value !== undefined && { value }),
});

const flagValue = ({ option, value }: Option, parsed: ParsedArguments): unknown =>
  value === undefined ? parsed.boolean(flagName(option)) : parsed.string(flagName(option));

const optionsFrom = (parsed: ParsedArguments): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    options.map((each) => [each.option, each.read ? each.read(parsed) : flagValue(each, parsed)] as const),
  );

const startCommand = ({ startSandbox, controls }: SandboxPackage, service: Service): Command => ({
  usage: "fxdesk sandbox [<control>] [flags]",
  description:
    "Runs a simulated service on this machine until Ctrl-C. Prints its address, demo credentials and the extension for quotes as " +
    "environment variables. The same seed always generates the same data. Its web page shows and controls the simulation; /docs lets you try its operations.",
  flags: options.map(flagOf),
  helpSections: [controlsHelp(controls)],
  async run(parsed, terminal) {
    const sandbox = await startSandbox(optionsFrom(parsed)).catch(throwOptionUsage).catch(throwListenError);
    const store = await createTemporaryStore();
    const stopped = untilStopped();
    await write(terminal.stdout, toShellLines({ ...sandboxVariables(sandbox, service), ...store.variables }));
    await writeStderr(
      terminal,
      `The sandbox and its page are at ${sandbox.baseUrl}. Press Ctrl-C to stop.\n`,
    );
    await stopped;
    await sandbox.close();
    await store.remove();
    return 0;
  },
});

/** Returns the command named by the arguments, and its remaining arguments. */
export async function sandboxCommand(
  args: readonly string[],
  service: Service,
): Promise<[Command, readonly string[]]> {
  const sandbox = await loadSandbox();
  const [name, ...rest] = args;
  if (name === undefined || name.startsWith("-")) return [startCommand(sandbox, service), args];
  return controlCommand([name, ...rest], sandbox.controls, service, `http://127.0.0.1:${defaultPort}`);
}
