/** What mails say: what it is about and where to look. The terms are not in them: mails pass through the hands of others. */
import type { ReleaseReport } from "./report";

/** On one line: what others wrote cannot look like a line of the mail. */
const singleLine = (text: string): string =>
  text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\s]+/gu, " ").trim();

const facts = ({ release, operation, environment, client, asked_by, valid_until }: ReleaseReport) =>
  [
    `Release: ${release}`,
    `What: ${operation}`,
    `Environment: ${environment}`,
    ...(client === "" ? [] : [`Client: ${client}`]),
    ...(asked_by === undefined ? [] : [`Asked by: ${asked_by}`]),
    `Valid until: ${valid_until}`,
  ].map(singleLine);

/** Where the page is, if anywhere: the link leads to the terms, after signing in. */
const termsLink = ({ release }: ReleaseReport, page: string | undefined): string =>
  page === undefined
    ? `The terms: fxdesk releases show ${release}`
    : `The terms: ${page}/releases/${release}`;

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
    `Waits for your yes: ${report.operation} in ${environmentNameOf(report)} (${report.release})`,
    ["This waits for a yes, and yours counts."],
    facts(report),
    [termsLink(report, page)],
    ["Neither this mail nor its link decides anything: you do, with your secret."],
  );

export const outcomeText = (report: ReleaseReport, page: string | undefined): MailText =>
  composeText(
    `${report.state}: ${report.operation} in ${environmentNameOf(report)} (${report.release})`,
    [report.description, ...(report.remark === undefined ? [] : [singleLine(report.remark)])],
    facts(report),
    [termsLink(report, page)],
  );
