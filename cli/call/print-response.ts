/** Prints responses as JSON, text, table or file. */
import { pipeline } from "node:stream/promises";
import type { ServiceResponse } from "../../core/call/response";
import { ReceivedFile } from "../../core/call/received-file";
import { joinPages } from "../../core/call/pages";
import type { JournalNote, Violation } from "../../core/spec/errors";
import { mayRespondWith, type Callable } from "../../core/spec/operation";
import { columnsOf, extractResultList, listEntryFields, listEntrySchema } from "../../core/spec/result-list";
import { shapeOf } from "../../core/values/kind";
import { formatRows, toRow } from "../../core/files/csv/rows";
import { unknownWordError } from "../command-line/arguments";
import { notReady, success } from "../command-line/exit-codes";
import { entriesOf, resultTable, table } from "../terminal/table";
import type { PrintFormat } from "./print-format";
import { printable, printJson, writeStderr, type Terminal, write } from "../terminal/terminal";

interface PrintOptions extends PrintFormat {
  /** Print notes about the response as JSON, too. */
  readonly asJson: boolean;
  /** Destination of a file: a path, or "-" for stdout. */
  readonly output: string;
}

/** Returns the entries of the main list, or the whole body as the only entry. */
const entriesIn = (callable: Callable, body: unknown): readonly unknown[] =>
  extractResultList(callable, body)?.entries ?? entriesOf(body) ?? [body];

/** Returns the declared fields of an entry of the main list. */
function fieldsIn(callable: Callable): readonly string[] {
  if (callable.resultList !== undefined) return listEntryFields(callable, callable.resultList);
  const entry = listEntrySchema(callable);
  return entry ? Object.keys(shapeOf(entry)) : [];
}

/** Throws a UsageError for a column that no row has, unless it is a declared field. */
function assertKnownColumns(callable: Callable, body: unknown, columns: readonly string[] = []): void {
  const rows = entriesIn(callable, body).map(toRow);
  if (rows.length === 0) return;
  const fields = fieldsIn(callable);
  const known = columnsOf(rows, fields);
  const unknown = columns.find((name) => !known.includes(name) && !fields.includes(name));
  if (unknown !== undefined)
    throw unknownWordError(
      `The response has no column ${JSON.stringify(unknown)}`,
      unknown,
      known,
      `Its columns: ${known.join(", ")}.`,
    );
}

async function printTable(
  callable: Callable,
  body: unknown,
  columns: PrintFormat["columns"],
  terminal: Terminal,
): Promise<void> {
  const { stdout } = terminal;
  const hidden: string[] = [];
  const resultList = extractResultList(callable, body);
  const tableOptions = {
    width: stdout.isTTY ? stdout.columns : undefined,
    fields: resultList ? listEntryFields(callable, resultList.name) : [],
    columns,
    onHidden: (names: readonly string[]) => void hidden.push(...names),
  };
  const text = resultList ? resultTable(resultList, tableOptions) : table(body, tableOptions);
  await write(stdout, text);
  if (hidden.length > 0)
    await writeStderr(
      terminal,
      `Note: ${hidden.length} more columns do not fit. Choose with --columns: ${hidden.join(", ")}.\n`,
    );
}

function csvText(callable: Callable, body: unknown, columns?: readonly string[]): string {
  const rows = entriesIn(callable, body).map(toRow);
  const fields = fieldsIn(callable);
  return formatRows(columns ?? (rows.length > 0 ? columnsOf(rows, fields) : fields), rows);
}

async function printBody(
  callable: Callable,
  body: unknown,
  printOptions: PrintOptions,
  terminal: Terminal,
): Promise<void> {
  if (body === undefined) return;
  if (typeof body === "string") await write(terminal.stdout, `${body.trimEnd()}\n`);
  else await printFormatted(callable, body, printOptions, terminal);
}

async function printFormatted(
  callable: Callable,
  body: unknown,
  { format, columns }: PrintFormat,
  terminal: Terminal,
): Promise<void> {
  const { stdout } = terminal;
  assertKnownColumns(callable, body, columns);
  if (format === "table") await printTable(callable, body, columns, terminal);
  else if (format === "csv") await write(stdout, csvText(callable, body, columns));
  else if (format === "jsonl")
    for (const entry of entriesIn(callable, body)) await write(stdout, `${JSON.stringify(entry)}\n`);
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

/** Prints all pages as one response. A JSON list is streamed; tables, CSV and linked pages are collected first. */
export async function printPages(
  operation: Callable,
  pages: AsyncIterable<ServiceResponse>,
  printOptions: PrintOptions,
  terminal: Terminal,
): Promise<number> {
  const { format } = printOptions;
  if (format === "table" || format === "csv" || operation.linkedPages) {
    const responses: ServiceResponse[] = [];
    for await (const response of pages) responses.push(response);
    await printBody(operation, joinPages(operation, responses).body, printOptions, terminal);
    return success;
  }
  if (format === "jsonl") {
    for await (const { body } of pages) await printFormatted(operation, body, printOptions, terminal);
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
