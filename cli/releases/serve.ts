/** The `fxdesk releases serve` command: the web page on which people release. */
import type { PeopleChange } from "../../core/people/change-people";
import { loadPeople } from "../../core/people/people-file";
import type { ReleaseService } from "../../core/releases/release-service";
import type { ReleaseMailer, ReleaseMailerOptions } from "../../core/mail/release-mailer";
import { type Flag, type ParsedArguments } from "../command-line/arguments";
import { listenFlags, listenOptionsFrom, portFlag, throwListenError } from "../command-line/listening";
import { settingsFrom } from "../settings/connection-settings";
import { mailSettingsFrom, throwMailUsage } from "../settings/mail-settings";
import { createMonitor } from "../settings/monitor";
import { type Terminal, writeLog, writeReady, untilStopped } from "../terminal/terminal";

const defaultPort = 8082;

export const serveFlags: readonly Flag[] = [
  portFlag(`Port to listen on; 0 for any free port. Default: ${defaultPort}.`),
  ...listenFlags,
];

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
  const monitored = { ...settingsFrom(parsed, terminal.environment), people: files.people };
  const monitor = await createMonitor(monitored, files.service, terminal);
  const stopped = untilStopped();
  const log = (line: string) => void writeLog(terminal, "error", line);
  /** Mails a change that a person made on the page to their address. */
  const report = async (change: PeopleChange) => {
    const { person, address } = change;
    if (!settings || address === undefined) return;
    const { mailPeopleChange } = await import("../../core/mail/people-mail.js");
    await mailPeopleChange(settings, address, change).catch((error: Error) =>
      log(`${person} was not notified: ${error.message}`),
    );
  };
  const page = await serveReleases({ service, files, report, port, monitor, ...listening }).catch(
    throwListenError,
  );
  try {
    const mails =
      settings &&
      (await startMails({ service, store, files, settings, page: page.url, log }).catch(throwMailUsage));
    await writeReady(terminal, `The releases page is at ${page.url}. Press Ctrl-C to stop.`);
    await stopped;
    await mails?.close();
  } finally {
    await page.close();
  }
}
