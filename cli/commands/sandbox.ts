/** fxdesk sandbox: the service, played on this machine, and the controls of what is played. */
import { isDateTime } from "../../core/schema/xs2a";
import { type Given, UsageError } from "../arguments";
import type { Command } from "../command";
import { flagName } from "../names";
import { portFrom, portTaken } from "../port";
import { controlCommand, controlsHelp } from "../sandbox/control";
import { asVariables, demoConnection, loadSandbox, type SandboxPackage } from "../sandbox-package";
import { write } from "../terminal";
import { untilStopped } from "../until-stopped";

const usualPort = 8080;

function timeFrom(given: Given): Date | undefined {
  const text = given.text("now");
  if (text === undefined) return undefined;
  if (!isDateTime(text))
    throw new UsageError(
      `--now must be a date and time, such as 2026-01-31T09:30:00Z, not ${JSON.stringify(text)}.`,
    );
  return new Date(text);
}

function quoteSecondsFrom(given: Given): number | undefined {
  const text = given.text("quote-seconds");
  if (text === undefined) return undefined;
  if (!(Number(text) > 0))
    throw new UsageError(`--quote-seconds must be a number above zero, not ${JSON.stringify(text)}.`);
  return Number(text);
}

function wordFrom<W extends string>(given: Given, flag: string, words: readonly W[]): W | undefined {
  const text = given.text(flag);
  const word = words.find((each) => each === text);
  if (text !== undefined && word === undefined)
    throw new UsageError(`--${flag} must be ${words.join(" or ")}, not ${JSON.stringify(text)}.`);
  return word;
}

/** What the sandbox says of an option, which it names first, is said of the flag. */
function asUsage(error: unknown): never {
  if (!(error instanceof RangeError)) throw error;
  throw new UsageError(error.message.replace(/^\w+/, (option) => `--${flagName(option)}`));
}

function addressFrom(given: Given, flag: string): string | undefined {
  const text = given.text(flag);
  if (text !== undefined && !URL.canParse(text))
    throw new UsageError(`--${flag} must be a full address, not ${JSON.stringify(text)}.`);
  return text;
}

const startCommand = ({ startSandbox, controls }: SandboxPackage): Command => ({
  usage: "fxdesk sandbox [<control>] [flags]",
  says:
    "Plays the service on this machine until Ctrl-C, and prints the address and the demo credentials as environment " +
    "variables. The same seed gives the same accounts, trades and transactions. Its page shows and controls what is played.",
  flags: [
    {
      name: "port",
      value: "<number>",
      says: `Port to listen on; ${usualPort} by default, 0 for any free one.`,
    },
    { name: "host", value: "<address>", says: "Address to listen on; 127.0.0.1 by default." },
    { name: "seed", value: "<text>", says: "Other accounts, trades and transactions of the same company." },
    {
      name: "data-dir",
      value: "<folder>",
      says: "Where statements sent by e-mail are left; nowhere by default.",
    },
    {
      name: "smtp-url",
      value: "<url>",
      says: "A mail server to which they are sent instead, such as smtp://127.0.0.1:1025.",
    },
    {
      name: "now",
      value: "<date-time>",
      says: "Where its time starts, to move a tenth of a second with each request; the machine's clock by default.",
    },
    { name: "quote-seconds", value: "<number>", says: "How long a quote can be booked; 30 by default." },
    {
      name: "market-hours",
      value: "<always|real>",
      says: "real: no quotes from Friday to Sunday, 17:00 in New York; always by default.",
    },
    {
      name: "total-count",
      says: "Sends x-total-count with every paged list, also where the contract documents none.",
    },
    {
      name: "sca-approach",
      value: "<redirect|oauth>",
      says: "oauth: consents and payments are authorised by OAuth 2.0; redirect by default.",
    },
    {
      name: "redirect-uri",
      value: "<url>",
      says: "Where the login page returns to; http://127.0.0.1:1880/callback by default.",
    },
  ],
  more: [controlsHelp(controls)],
  async run(given, { stdout, stderr }) {
    const [host, seed, dataDir] = [given.text("host"), given.text("seed"), given.text("data-dir")];
    const [smtpUrl, now] = [given.text("smtp-url"), timeFrom(given)];
    const quoteSeconds = quoteSecondsFrom(given);
    const marketHours = wordFrom(given, "market-hours", ["always", "real"]);
    const scaApproach = wordFrom(given, "sca-approach", ["redirect", "oauth"]);
    const redirectUri = addressFrom(given, "redirect-uri");
    const sandbox = await startSandbox({
      port: portFrom(given) ?? usualPort,
      ...(host !== undefined && { host }),
      ...(seed !== undefined && { seed }),
      ...(dataDir !== undefined && { dataDir }),
      ...(smtpUrl !== undefined && { smtpUrl }),
      ...(now !== undefined && { now }),
      ...(quoteSeconds !== undefined && { quoteSeconds }),
      ...(marketHours !== undefined && { marketHours }),
      ...(scaApproach !== undefined && { scaApproach }),
      ...(redirectUri !== undefined && { redirectUri }),
      totalCount: given.switched("total-count") ?? false,
    })
      .catch(asUsage)
      .catch(portTaken);
    await write(stdout, asVariables(demoConnection(sandbox)));
    await write(stderr, `The sandbox and its page are at ${sandbox.baseUrl}. Ctrl-C stops it.\n`);
    await untilStopped();
    await sandbox.close();
    return 0;
  },
});

/** The command that the arguments name, and the arguments that are left for it. */
export async function sandboxCommand(args: readonly string[]): Promise<[Command, readonly string[]]> {
  const sandbox = await loadSandbox();
  const [name, ...rest] = args;
  if (name === undefined || name.startsWith("-")) return [startCommand(sandbox), args];
  return [controlCommand(name, sandbox.controls, `http://127.0.0.1:${usualPort}`), rest];
}
