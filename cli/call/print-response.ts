/** Printing the response of a call. */
import { pipeline } from "node:stream/promises";
import type { ServiceResponse } from "../../core/client/response";
import { ReceivedFile } from "../../core/client/received-file";
import { joinPages } from "../../core/client/pages";
import type { JournalNote } from "../../core/errors";
import { mayRespondWith, type Callable } from "../../core/declaration/operation";
import { extractResultList, listEntryFields } from "../../core/declaration/result-list";
import { notReady, success } from "../exit-codes";
import { resultTable, table } from "../table";
import { printable, printJson, writeStderr, type Terminal, write } from "../terminal";
import type { Violation } from "../../core/declaration/violation";

export interface PrintOptions {
  /** As a table instead of JSON. */
  readonly asTable: boolean;
  /** What is said about the response, too. */
  readonly asJson: boolean;
  /** Where a file goes: a path, or "-" for stdout. */
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
  // By its path, stdout would be opened once more, and what is printed about the file would follow in it.
  if (output === "-" || output === "/dev/stdout") {
    await pipeline(file.stream, terminal.stdout, { end: false });
    return;
  }
  const size = await file.save(output);
  await printJson(terminal, { path: output, contentType: file.contentType, size });
}

/** A response of many entries can differ as many times. */
const maxDifferences = 5;

function differencesText(violations: readonly Violation[], { asJson }: PrintOptions): string {
  if (asJson) return `${JSON.stringify({ code: "differs_from_contract", violations })}\n`;
  const shown = violations
    .slice(0, maxDifferences)
    .map(({ field, message }) => `\n  ${printable(`${field}: ${message}`)}`);
  const more = violations.length > maxDifferences ? `\n  and ${violations.length - maxDifferences} more` : "";
  return `Note: the response differs from the contract:${shown.join("")}${more}\n`;
}

/** Where the journal has a call that commits money, how the service shows it, and whether anything was sent. */
function journalText(journal: JournalNote, { asJson }: PrintOptions): string {
  if (asJson) return `${JSON.stringify({ code: "journal", ...journal })}\n`;
  const { entry, reference, replayed } = journal;
  const entryText = reference === undefined ? entry : `${entry}, reference ${reference}`;
  return replayed
    ? `Note: this is what an earlier call with the same key ended with; nothing was sent now. Journal entry ${entryText}.\n`
    : `Journal entry ${entryText}.\n`;
}

/** Prints a response; where a file was asked for and is not there yet, its state. */
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

/** The exit code of a call that was answered: "not now" where a file was asked for and is not there yet. */
export const exitCodeFor = (operation: Callable, { body }: ServiceResponse): number =>
  mayRespondWith(operation, "file") && !(body instanceof ReceivedFile) ? notReady : success;

const indented = (value: unknown): string => JSON.stringify(value, null, 2).replace(/^/gm, "  ");

/** Says that a list goes on after the page that was printed. */
export const printMorePagesNote = ({ asJson }: PrintOptions, terminal: Terminal): Promise<void> =>
  writeStderr(
    terminal,
    asJson ? `${JSON.stringify({ code: "more_pages" })}\n` : "Note: more pages follow; --all fetches them.\n",
  );

/** Prints every page as one response. A list as JSON is written while it arrives; anything else needs all of it first. */
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
