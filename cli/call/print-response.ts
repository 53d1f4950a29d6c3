/** Prints responses as JSON, text, table or file. */
import { pipeline } from "node:stream/promises";
import type { ServiceResponse } from "../../core/call/response";
import { ReceivedFile } from "../../core/call/received-file";
import { joinPages } from "../../core/call/pages";
import type { JournalNote, Violation } from "../../core/spec/errors";
import { mayRespondWith, type Callable } from "../../core/spec/operation";
import { extractResultList, listEntryFields } from "../../core/spec/result-list";
import { notReady, success } from "../command-line/exit-codes";
import { resultTable, table } from "../terminal/table";
import { printable, printJson, writeStderr, type Terminal, write } from "../terminal/terminal";

interface PrintOptions {
  /** Print a table instead of JSON. */
  readonly asTable: boolean;
  /** Print notes about the response as JSON, too. */
  readonly asJson: boolean;
  /** Destination of a file: a path, or "-" for stdout. */
  readonly output: string;
}

function asTable(callable: Callable, body: unknown, { stdout }: Terminal): string {
  const width = stdout.isTTY ? stdout.columns : undefined;
  const resultList = extractResultList(callable, body);
  return resultList
    ? resultTable(resultList, listEntryFields(callable, resultList.name), width)
    : table(body, width);
}

async function printBody(
  callable: Callable,
  body: unknown,
  printOptions: PrintOptions,
  terminal: Terminal,
): Promise<void> {
  if (body === undefined) return;
  if (typeof body === "string") await write(terminal.stdout, `${body.trimEnd()}\n`);
  else if (printOptions.asTable) await write(terminal.stdout, asTable(callable, body, terminal));
  else await printJson(terminal, body);
}

async function printFile(file: ReceivedFile, { output }: PrintOptions, terminal: Terminal): Promise<void> {
  // Opening /dev/stdout as a path would append the JSON summary to the file.
  if (output === "-" || output === "/dev/stdout") {
    await pipeline(file.stream, terminal.stdout, { end: false });
    return;
  }
  const size = await file.save(output);
  await printJson(terminal, { path: output, contentType: file.contentType, size });
}

/** Upper bound for printed contract violations; a long list may have one per entry. */
const maxDifferences = 5;

function differencesText(violations: readonly Violation[], { asJson }: PrintOptions): string {
  if (asJson) return `${JSON.stringify({ code: "differs_from_contract", violations })}\n`;
  const shown = violations
    .slice(0, maxDifferences)
    .map(({ field, message }) => `\n  ${printable(`${field}: ${message}`)}`);
  const more = violations.length > maxDifferences ? `\n  and ${violations.length - maxDifferences} more` : "";
  return `Note: the response deviates from the contract:${shown.join("")}${more}\n`;
}

/** Returns the note with the journal entry of a money call, and whether its outcome is a replay. */
function journalText(journal: JournalNote, { asJson }: PrintOptions): string {
  if (asJson) return `${JSON.stringify({ code: "journal", ...journal })}\n`;
  const { entry, reference, replayed } = journal;
  const entryText = reference === undefined ? entry : `${entry}, reference ${reference}`;
  return replayed
    ? `Note: nothing was sent now; this is the recorded outcome of an earlier call with the same key. Journal entry ${entryText}.\n`
    : `Journal entry ${entryText}.\n`;
}

/** Prints a response. For a file that is not ready yet, prints its state. */
export async function printResponse(
  callable: Callable,
  { body, violations, journal }: ServiceResponse,
  printOptions: PrintOptions,
  terminal: Terminal,
): Promise<void> {
  if (journal) await writeStderr(terminal, journalText(journal, printOptions));
  if (violations.length > 0) await writeStderr(terminal, differencesText(violations, printOptions));
  if (body instanceof ReceivedFile) await printFile(body, printOptions, terminal);
  else await printBody(callable, body, printOptions, terminal);
}

/** Returns the exit code of a successful call: `notReady` if a requested file is not ready yet. */
export const exitCodeFor = (operation: Callable, { body }: ServiceResponse): number =>
  mayRespondWith(operation, "file") && !(body instanceof ReceivedFile) ? notReady : success;

const indented = (value: unknown): string => JSON.stringify(value, null, 2).replace(/^/gm, "  ");

/** Prints a note that more pages follow. */
export const printMorePagesNote = ({ asJson }: PrintOptions, terminal: Terminal): Promise<void> =>
  writeStderr(
    terminal,
    asJson
      ? `${JSON.stringify({ code: "more_pages" })}\n`
      : "Note: there are more pages. Fetch them with --all.\n",
  );

/** Prints all pages as one response. A JSON list is streamed; tables and linked pages are collected first. */
export async function printPages(
  operation: Callable,
  pages: AsyncIterable<ServiceResponse>,
  printOptions: PrintOptions,
  terminal: Terminal,
): Promise<number> {
  if (printOptions.asTable || operation.linkedPages) {
    const responses: ServiceResponse[] = [];
    for await (const response of pages) responses.push(response);
    await printBody(operation, joinPages(operation, responses).body, printOptions, terminal);
    return success;
  }
  let separator = "[\n";
  for await (const { body } of pages) {
    for (const entry of body as readonly unknown[]) {
      await write(terminal.stdout, separator + indented(entry));
      separator = ",\n";
    }
  }
  await write(terminal.stdout, separator === "[\n" ? "[]\n" : "\n]\n");
  return success;
}
