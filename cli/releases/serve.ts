/** The `fxdesk releases serve` command: the web page on which people release. */
import { readFile } from "node:fs/promises";
import { loadPeople } from "../../core/releases/people";
import type { ReleaseService } from "../../core/releases/release-service";
import type { ReleaseMailer, ReleaseMailerOptions } from "../../core/mail/release-mailer";
import type { MailSettings } from "../../core/mail/mail-server";
import { type Flag, type ParsedArguments, UsageError, validText } from "../command-line/arguments";
import { section } from "../command-line/command";
import { portFlag, portFrom, throwListenError } from "../command-line/listening";
import { type Terminal, writeStderr, untilStopped } from "../terminal/terminal";

const defaultPort = 8082;

export const serveFlags: readonly Flag[] = [
  portFlag(`Port to listen on; 0 for any free port. Default: ${defaultPort}.`),
  {
    name: "host",
    value: "<address>",
    description:
      "Address to listen on. Default: 127.0.0.1. Any address reachable from other machines requires --address, --certificate and --key.",
  },
  {
    name: "address",
    value: "<url>",
    description:
      "Address under which browsers reach the page (https), directly or through a proxy on this machine.",
  },
  { name: "certificate", value: "<file>", description: "Certificate file (PEM), to serve https." },
  { name: "key", value: "<file>", description: "Private key file of the certificate (PEM)." },
];

function addressFrom(parsed: ParsedArguments): URL | undefined {
  const description = "an https address without a path, for example https://releases.example.com";
  const isAddress = (text: string) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    return url !== undefined && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href;
  };
  const text = validText(parsed, "address", description, isAddress);
  return text === undefined ? undefined : new URL(text);
}

async function readFileFlag(parsed: ParsedArguments, flag: string): Promise<string> {
  const path = parsed.string(flag);
  if (path === undefined) throw new UsageError("--certificate and --key must be given together.");
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new UsageError(`--${flag}: ${path} cannot be read: ${(error as Error).message}.`);
  }
}

async function certificateFrom(parsed: ParsedArguments) {
  if (parsed.string("certificate") === undefined && parsed.string("key") === undefined) return undefined;
  return { cert: await readFileFlag(parsed, "certificate"), key: await readFileFlag(parsed, "key") };
}

/** Converts an error about an option, whose message begins with its name, to a UsageError about the flag. */
function throwServeUsage(error: unknown): never {
  if (error instanceof TypeError && /^(host|address) /.test(error.message))
    throw new UsageError(`--${error.message}`);
  if (String((error as NodeJS.ErrnoException).code).startsWith("ERR_OSSL"))
    throw new UsageError(
      `--certificate and --key must be a matching pair of PEM files (${(error as Error).message}).`,
    );
  return throwListenError(error);
}

const mailVariables = { server: "FXDESK_MAIL_SERVER", from: "FXDESK_MAIL_FROM" } as const;

export const mailHelp = section(
  "E-mail notifications, as environment variables (optional; requires the package nodemailer)",
  [
    [mailVariables.server, "Mail server, for example smtps://user:password@mail.example.com:465."],
    [mailVariables.from, "Sender address of the e-mails."],
  ],
)!;

/** Returns the mail settings; undefined if e-mail is not configured. */
function mailSettingsFrom({ environment }: Terminal): MailSettings | undefined {
  const [server, from] = [environment[mailVariables.server], environment[mailVariables.from]];
  if (!server && !from) return undefined;
  if (!server || !from)
    throw new UsageError(`${mailVariables.server} and ${mailVariables.from} must be set together.`);
  return { server, from };
}

/** Converts an error about a mail setting to a UsageError about its variable. */
const throwMailUsage = (error: unknown): never => {
  if (!(error instanceof TypeError)) throw error;
  const message = error.message
    .replace(/^mailServer/, mailVariables.server)
    .replace(/^mailFrom/, mailVariables.from);
  throw new UsageError(message);
};

const startMails = async (mailing: ReleaseMailerOptions): Promise<ReleaseMailer> =>
  (await import("../../core/mail/release-mailer.js")).ReleaseMailer.start(mailing);

/** Serves the page until a stop signal, and sends e-mails if configured. */
export async function serveReleasesPage(
  parsed: ParsedArguments,
  terminal: Terminal,
  service: ReleaseService,
  { store, files }: Pick<ReleaseMailerOptions, "store" | "files">,
): Promise<void> {
  const { serveReleases } = await import("../releases-page/server.js");
  const settings = mailSettingsFrom(terminal);
  await loadPeople(files.people);
  const options = {
    service,
    files,
    port: portFrom(parsed) ?? defaultPort,
    host: parsed.string("host"),
    address: addressFrom(parsed),
    certificate: await certificateFrom(parsed),
  };
  const stopped = untilStopped();
  const page = await serveReleases(options).catch(throwServeUsage);
  try {
    const log = (line: string) => void terminal.stderr.write(`fxdesk: ${line}\n`);
    const mails =
      settings &&
      (await startMails({ service, store, files, settings, page: page.url, log }).catch(throwMailUsage));
    await writeStderr(terminal, `The releases page is at ${page.url}. Press Ctrl-C to stop.\n`);
    await stopped;
    await mails?.close();
  } finally {
    await page.close();
  }
}
