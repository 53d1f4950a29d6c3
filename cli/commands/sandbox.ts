/** fxdesk sandbox: the service, played on this machine, and the controls of what is played. */
import type { Service } from "../../core/declaration/service";
import { isDateTime } from "../../core/schema";
import { type Flag, type ParsedArguments, UsageError } from "../arguments";
import type { Command } from "../command";
import { flagName } from "../flag-names";
import { throwListenError, portFrom } from "../port";
import { controlCommand, controlsHelp } from "../sandbox/control";
import {
  toShellLines,
  createTemporaryStore,
  loadSandbox,
  type SandboxPackage,
  sandboxVariables,
} from "../sandbox-package";
import { writeStderr, write } from "../terminal";
import { untilStopped } from "../until-stopped";

const defaultPort = 8080;

function timeFrom(parsed: ParsedArguments): Date | undefined {
  const text = parsed.string("now");
  if (text === undefined) return undefined;
  if (!isDateTime(text))
    throw new UsageError(
      `--now must be a date and time, such as 2026-01-31T09:30:00Z, not ${JSON.stringify(text)}.`,
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

/** What the sandbox says of an option, which it names first, is said of the flag. */
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
    throw new UsageError(`--${flag} must be a full address, not ${JSON.stringify(text)}.`);
  return text;
}

/** An option of the sandbox, and the flag that gives it: `dataDir` is --data-dir. */
interface Option extends Pick<Flag, "value" | "description"> {
  readonly option: string;
  /** Its value; the flag's own text or switch, without. */
  readonly read?: (parsed: ParsedArguments) => unknown;
}

const options: readonly Option[] = [
  {
    option: "port",
    value: "<number>",
    description: `Port to listen on; ${defaultPort} by default, 0 for any free one.`,
    read: (parsed) => portFrom(parsed) ?? defaultPort,
  },
  { option: "host", value: "<address>", description: "Address to listen on; 127.0.0.1 by default." },
  {
    option: "seed",
    value: "<text>",
    description: "Other accounts, trades and transactions of the same company.",
  },
  {
    option: "world",
    value: "<file|name>",
    description:
      "What there is and goes on: a YAML file, or an included world: exporter, group or empty. Other flags go before what it says.",
  },
  {
    option: "living",
    description:
      "Lets business go on as the clock moves: customers pay, suppliers, staff and the bank are paid.",
  },
  {
    option: "dataDir",
    value: "<folder>",
    description: "Where statements sent by e-mail are left; nowhere by default.",
  },
  {
    option: "smtpUrl",
    value: "<url>",
    description: "A mail server to which they are sent instead, such as smtp://127.0.0.1:1025.",
  },
  {
    option: "now",
    value: "<date-time>",
    description:
      "Where its time starts, to move a tenth of a second with each request; the machine's clock by default.",
    read: timeFrom,
  },
  {
    option: "quoteSeconds",
    value: "<number>",
    description: "How long a quote can be booked; 30 by default.",
    read: quoteSecondsFrom,
  },
  {
    option: "marketHours",
    value: "<always|real>",
    description: "real: no quotes from Friday to Sunday, 17:00 in New York; always by default.",
    read: (parsed) => choiceFrom(parsed, "market-hours", ["always", "real"]),
  },
  {
    option: "reusableQuotes",
    description: "Lets several trades be booked from one quote; a quote is used up by one, by default.",
  },
  {
    option: "totalCount",
    description: "Sends x-total-count with every paged list, also where the contract documents none.",
  },
  {
    option: "scaApproach",
    value: "<redirect|oauth>",
    description: "oauth: consents and payments are authorised by OAuth 2.0; redirect by default.",
    read: (parsed) => choiceFrom(parsed, "sca-approach", ["redirect", "oauth"]),
  },
  {
    option: "redirectUri",
    value: "<url>",
    description: "Where the login page returns to; http://127.0.0.1:1880/callback by default.",
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
    "Plays the service on this machine until Ctrl-C, and prints the address, the demo credentials and the module that adds quotes as " +
    "environment variables. The same seed gives the same accounts, trades and transactions. Its page shows and controls what is played; /docs tries its operations.",
  flags: options.map(flagOf),
  helpSections: [controlsHelp(controls)],
  async run(parsed, terminal) {
    const sandbox = await startSandbox(optionsFrom(parsed)).catch(throwOptionUsage).catch(throwListenError);
    const store = await createTemporaryStore();
    const stopped = untilStopped();
    await write(terminal.stdout, toShellLines({ ...sandboxVariables(sandbox, service), ...store.variables }));
    await writeStderr(terminal, `The sandbox and its page are at ${sandbox.baseUrl}. Ctrl-C stops it.\n`);
    await stopped;
    await sandbox.close();
    await store.remove();
    return 0;
  },
});

/** The command that the arguments name, and the arguments that are left for it. */
export async function sandboxCommand(
  args: readonly string[],
  service: Service,
): Promise<[Command, readonly string[]]> {
  const sandbox = await loadSandbox();
  const [name, ...rest] = args;
  if (name === undefined || name.startsWith("-")) return [startCommand(sandbox, service), args];
  return controlCommand([name, ...rest], sandbox.controls, service, `http://127.0.0.1:${defaultPort}`);
}
