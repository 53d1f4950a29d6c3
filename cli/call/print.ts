/** Printing the response of a call. */
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import type { ServiceResponse } from "../../core/client/response";
import { ReceivedFile } from "../../core/client/file";
import { joined } from "../../core/client/pages";
import { mayRespondWith, type Declaration } from "../../core/declaration/operation";
import { notReady, success } from "../exit";
import { table } from "../table";
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

const asTable = (body: unknown, { stdout }: Terminal): string =>
  table(body, stdout.isTTY ? stdout.columns : undefined);

async function printBody(body: unknown, printOptions: PrintOptions, terminal: Terminal): Promise<void> {
  if (body === undefined) return;
  if (typeof body === "string") await write(terminal.stdout, `${body.trimEnd()}\n`);
  else if (printOptions.asTable) await write(terminal.stdout, asTable(body, terminal));
  else await printJson(terminal, body);
}

async function printFile(file: ReceivedFile, { output }: PrintOptions, terminal: Terminal): Promise<void> {
  if (output === "-") {
    await pipeline(file.stream, terminal.stdout, { end: false });
    return;
  }
  await file.save(output);
  const { size } = await stat(output);
  await printJson(terminal, { path: output, contentType: file.contentType, size });
}

/** A response of many entries can differ as many times. */
const mostDifferences = 5;

function differences(violations: readonly Violation[], { asJson }: PrintOptions): string {
  if (asJson) return `${JSON.stringify({ code: "differs_from_contract", violations })}\n`;
  const shown = violations
    .slice(0, mostDifferences)
    .map(({ field, message }) => `\n  ${printable(`${field}: ${message}`)}`);
  const more =
    violations.length > mostDifferences ? `\n  and ${violations.length - mostDifferences} more` : "";
  return `Note: the response differs from the contract:${shown.join("")}${more}\n`;
}

/** Prints a response; where a file was asked for and is not there yet, its state. */
export async function printResponseFor(
  { body, violations }: ServiceResponse,
  printOptions: PrintOptions,
  terminal: Terminal,
): Promise<void> {
  if (violations.length > 0) await writeStderr(terminal, differences(violations, printOptions));
  if (body instanceof ReceivedFile) await printFile(body, printOptions, terminal);
  else await printBody(body, printOptions, terminal);
}

/** The exit code of a call that was answered: "not now" where a file was asked for and is not there yet. */
export const exitCodeFor = (operation: Declaration, { body }: ServiceResponse): number =>
  mayRespondWith(operation, "file") && !(body instanceof ReceivedFile) ? notReady : success;

const indented = (value: unknown): string => JSON.stringify(value, null, 2).replace(/^/gm, "  ");

/** Says that a list goes on after the page that was printed. */
export const sayMore = ({ asJson }: PrintOptions, terminal: Terminal): Promise<void> =>
  writeStderr(
    terminal,
    asJson ? `${JSON.stringify({ code: "more_pages" })}\n` : "Note: more pages follow; --all fetches them.\n",
  );

/** Prints every page as one response. A list as JSON is written while it arrives; anything else needs all of it first. */
export async function printPages(
  operation: Declaration,
  pages: AsyncIterable<ServiceResponse>,
  printOptions: PrintOptions,
  terminal: Terminal,
): Promise<number> {
  if (printOptions.asTable || operation.linkedPages) {
    const responses: ServiceResponse[] = [];
    for await (const response of pages) responses.push(response);
    await printBody(joined(operation, responses).body, printOptions, terminal);
    return success;
  }
  let before = "[\n";
  for await (const { body } of pages) {
    for (const entry of body as readonly unknown[]) {
      await write(terminal.stdout, before + indented(entry));
      before = ",\n";
    }
  }
  await write(terminal.stdout, before === "[\n" ? "[]\n" : "\n]\n");
  return success;
}
