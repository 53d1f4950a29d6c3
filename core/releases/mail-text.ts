/** What mails say: what it is about and where to look. The terms are not in them: mails pass through the hands of others. */
import type { ReleaseReport } from "./report";

/** On one line: what others wrote cannot look like a line of the mail. */
const line = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\s]+/gu, " ").trim();

const facts = ({ release, operation, environment, client, asked_by, valid_until }: ReleaseReport) =>
  [
    `Release: ${release}`,
    `What: ${operation}`,
    `Environment: ${environment}`,
    ...(client === "" ? [] : [`Client: ${client}`]),
    ...(asked_by === undefined ? [] : [`Asked by: ${asked_by}`]),
    `Valid until: ${valid_until}`,
  ].map(line);

/** Where the page is, if anywhere: the link leads to the terms, after signing in. */
const whereToLook = ({ release }: ReleaseReport, page: string | undefined): string =>
  page === undefined
    ? `The terms: fxdesk releases show ${release}`
    : `The terms: ${page}/releases/${release}`;

const where = ({ environment }: ReleaseReport): string => environment.split(" ")[0]!;

interface Text {
  readonly subject: string;
  readonly text: string;
}

const textOf = (subject: string, ...parts: readonly (readonly string[])[]): Text => ({
  subject: line(subject),
  text: `${parts.map((each) => each.join("\n")).join("\n\n")}\n`,
});

export const askedText = (report: ReleaseReport, page: string | undefined): Text =>
  textOf(
    `Waits for your yes: ${report.operation} in ${where(report)} (${report.release})`,
    ["This waits for a yes, and yours counts."],
    facts(report),
    [whereToLook(report, page)],
    ["Neither this mail nor its link decides anything: you do, with your secret."],
  );

export const decidedText = (report: ReleaseReport, page: string | undefined): Text =>
  textOf(
    `${report.state}: ${report.operation} in ${where(report)} (${report.release})`,
    [report.description, ...(report.remark === undefined ? [] : [line(report.remark)])],
    facts(report),
    [whereToLook(report, page)],
  );
