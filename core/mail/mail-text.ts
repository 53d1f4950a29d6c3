/** Texts of mails. They never contain the terms, because mail passes through third parties. */
import type { ReleaseReport } from "../releases/report";

/** Joins lines, so that untrusted text cannot imitate a line of the mail. */
const singleLine = (text: string): string =>
  text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\s]+/gu, " ").trim();

const facts = ({ release, operation, environment, client, requested_by, valid_until }: ReleaseReport) =>
  [
    `Release: ${release}`,
    `Operation: ${operation}`,
    `Environment: ${environment}`,
    ...(client === "" ? [] : [`Client: ${client}`]),
    ...(requested_by === undefined ? [] : [`Requested by: ${requested_by}`]),
    `Valid until: ${valid_until}`,
  ].map(singleLine);

/** Returns how to see the terms: on the page after login, or with the command. */
const termsLink = ({ release }: ReleaseReport, page: string | undefined): string =>
  page === undefined
    ? `To see the terms, run: fxdesk releases show ${release}`
    : `Terms: ${page}/releases/${release}`;

const environmentNameOf = ({ environment }: ReleaseReport): string => environment.split(" ")[0]!;

interface MailText {
  readonly subject: string;
  readonly text: string;
}

const composeText = (subject: string, ...parts: readonly (readonly string[])[]): MailText => ({
  subject: singleLine(subject),
  text: `${parts.map((each) => each.join("\n")).join("\n\n")}\n`,
});

export const requestText = (report: ReleaseReport, page: string | undefined): MailText =>
  composeText(
    `Release needed: ${report.operation} in ${environmentNameOf(report)} (${report.release})`,
    ["This request is waiting for release, and you may release it."],
    facts(report),
    [termsLink(report, page)],
    ["Opening the link decides nothing. You decide with your secret."],
  );

export const outcomeText = (report: ReleaseReport, page: string | undefined): MailText =>
  composeText(
    `${report.state}: ${report.operation} in ${environmentNameOf(report)} (${report.release})`,
    [report.description, ...(report.remark === undefined ? [] : [singleLine(report.remark)])],
    facts(report),
    [termsLink(report, page)],
  );
