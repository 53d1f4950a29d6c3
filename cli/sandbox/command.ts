/** The `fxdesk sandbox` command: runs the simulated service, and controls a running one. */
import type { Service } from "../../core/spec/service";
import { isDateTime } from "../../core/values";
import { environmentName } from "../../core/call/settings";
import { type Declaration, mayRespondWith } from "../../core/spec/operation";
import {
  choiceFrom,
  type Flag,
  flagName,
  type ParsedArguments,
  unknownWordError,
  UsageError,
  validText,
} from "../command-line/arguments";
import { callFlags, derivedCommand, inputFlag } from "../call/command";
import { longValuesHelp } from "../call/field-flags";
import { rulesHelp } from "../call/operation-help";
import { type Command, type FindCommand, section } from "../command-line/command";
import { portFrom, throwListenError } from "../command-line/listening";
import { connectionFlags } from "../settings/connection-settings";
import {
  toShellLines,
  createTemporaryStore,
  loadSandbox,
  type SandboxPackage,
  sandboxVariables,
} from "./sandbox-package";
import { writeReady, write, untilStopped } from "../terminal/terminal";

const defaultPort = 8080;

function timeFrom(parsed: ParsedArguments): Date | undefined {
  const text = validText(parsed, "now", "a date and time, for example 2026-01-31T09:30:00Z", isDateTime);
  return text === undefined ? undefined : new Date(text);
}

function quoteSecondsFrom(parsed: ParsedArguments): number | undefined {
  const text = validText(parsed, "quote-seconds", "a number above zero", (given) => Number(given) > 0);
  return text === undefined ? undefined : Number(text);
}

const defaultUrl = `http://127.0.0.1:${defaultPort}`;

/** Returns the command of a control: `sandbox.payIn` is pay-in. */
const commandName = ({ name }: Declaration): string => flagName(name.slice(name.indexOf(".") + 1));

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
    read: (parsed) => validText(parsed, "redirect-uri", "a full URL", (text) => URL.canParse(text)),
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
    "environment variables. The same seed and --now always generate the same data. Its web page shows and controls the simulation; /docs lets you try its operations.",
  flags: options.map(flagOf),
  helpSections: [
    section(
      "Controls of a running sandbox (add --help for details)",
      controls.map((control) => [commandName(control), control.summary] as const),
    ),
  ],
  async run(parsed, terminal) {
    const sandbox = await startSandbox(optionsFrom(parsed)).catch(throwOptionUsage).catch(throwListenError);
    const store = await createTemporaryStore();
    const stopped = untilStopped();
    await write(terminal.stdout, toShellLines({ ...sandboxVariables(sandbox, service), ...store.variables }));
    await writeReady(terminal, `The sandbox and its page are at ${sandbox.baseUrl}. Press Ctrl-C to stop.`);
    await stopped;
    await sandbox.close();
    await store.remove();
  },
});

/** Returns the flag for a file given without one: --output if the control returns a file, otherwise --input. */
function fileFlagOf(control: Declaration): string | undefined {
  if (mayRespondWith(control, "file")) return "output";
  return control.body ? inputFlag.name : undefined;
}

/** Expands `save world.json` to save --output=world.json, and `load world.json` to load --input=world.json. */
function withFileFlag(control: Declaration, args: readonly string[]): readonly string[] {
  const [file, ...rest] = args;
  const flag = fileFlagOf(control);
  if (file === undefined || flag === undefined || file.startsWith("-")) return args;
  return [`--${flag}=${file}`, ...rest];
}

function controlCommand(control: Declaration, service: Service): Command {
  const connection = connectionFlags(service);
  const { reservedFlags, ...derived } = derivedCommand(control, callFlags(control), connection);
  const { rules = [] } = control;
  const address = service.servers[control.server]!.setting;
  const isAddress = ({ name }: Flag) => name === flagName(address);
  return {
    usage: `fxdesk sandbox ${commandName(control)} ${fileFlagOf(control) ? "[<file>] " : ""}[flags]`,
    description: control.summary,
    ...derived,
    flags: [...derived.flags, ...connection.filter(isAddress)],
    hiddenFlags: derived.hiddenFlags.filter((flag) => !isAddress(flag)),
    helpSections: [
      fileFlagOf(control) && `<file> is the value of --${fileFlagOf(control)}.`,
      longValuesHelp(control),
      rulesHelp({ rules }),
      `Controls the sandbox at ${environmentName(address)}. Default: ${defaultUrl}.`,
    ],
    run: async (parsed, terminal) =>
      (await import("../call/run.js")).runCall(
        control,
        {
          service: { ...service, operations: [...service.operations, control] },
          reservedFlags,
          defaultSettings: { [address]: defaultUrl },
        },
        parsed,
        terminal,
      ),
  };
}

/** Finds the control that the first argument names; without one, the command that starts a sandbox. */
export async function sandboxCommands(service: Service): Promise<FindCommand> {
  const sandbox = await loadSandbox();
  return (args) => {
    const [name, ...rest] = args;
    if (name === undefined || name.startsWith("-")) return [startCommand(sandbox, service), args];
    const control = sandbox.controls.find((known) => commandName(known) === name);
    if (control) return [controlCommand(control, service), withFileFlag(control, rest)];
    throw unknownWordError(
      `There is no control ${JSON.stringify(name)}`,
      name,
      sandbox.controls.map(commandName),
      "Run fxdesk sandbox --help for a list.",
    );
  };
}
