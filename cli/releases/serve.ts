/** The `fxdesk releases serve` command: the web page on which people release. */
import { loadPeople } from "../../core/releases/people";
import type { ReleaseService } from "../../core/releases/release-service";
import type { ReleaseMailer, ReleaseMailerOptions } from "../../core/mail/release-mailer";
import type { MailSettings } from "../../core/mail/mail-server";
import { type Flag, type ParsedArguments, UsageError } from "../command-line/arguments";
import { section } from "../command-line/command";
import { listenFlags, listenOptionsFrom, portFlag, throwListenError } from "../command-line/listening";
import { type Terminal, writeStderr, untilStopped } from "../terminal/terminal";

const defaultPort = 8082;

export const serveFlags: readonly Flag[] = [
  portFlag(`Port to listen on; 0 for any free port. Default: ${defaultPort}.`),
  ...listenFlags(),
];

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
  const { port = defaultPort, ...listening } = await listenOptionsFrom(parsed);
  const stopped = untilStopped();
  const page = await serveReleases({ service, files, port, ...listening }).catch(throwListenError);
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
