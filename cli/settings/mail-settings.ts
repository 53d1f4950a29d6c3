/** Settings of the mail server, from the environment. */
import type { MailSettings } from "../../core/mail/mail-server";
import { UsageError } from "../command-line/arguments";
import { section } from "../command-line/command";
import type { Terminal } from "../terminal/terminal";

const mailVariables = { server: "FXDESK_MAIL_SERVER", from: "FXDESK_MAIL_FROM" } as const;

export const mailSettings: readonly (readonly [variable: string, description: string])[] = [
  [mailVariables.server, "Mail server, for example smtps://user:password@mail.example.com:465."],
  [mailVariables.from, "Sender address of the e-mails."],
];

export const mailHelp = section(
  "E-mail notifications, as environment variables (optional; requires the package nodemailer)",
  mailSettings,
)!;

/** Returns the mail settings; undefined if e-mail is not configured. */
export function mailSettingsFrom({ environment }: Terminal): MailSettings | undefined {
  const [server, from] = [environment[mailVariables.server], environment[mailVariables.from]];
  if (!server && !from) return undefined;
  if (!server || !from)
    throw new UsageError(`${mailVariables.server} and ${mailVariables.from} must be set together.`);
  return { server, from };
}

/** Converts an error about a mail setting to a UsageError about its variable. */
export const throwMailUsage = (error: unknown): never => {
  if (!(error instanceof TypeError)) throw error;
  const message = error.message
    .replace(/^mailServer/, mailVariables.server)
    .replace(/^mailFrom/, mailVariables.from);
  throw new UsageError(message);
};
