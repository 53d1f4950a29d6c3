/** Printing what a call answers. */
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import type { Reply } from "../../core/client/call";
import { ReceivedFile } from "../../core/client/file";
import { notNow, success } from "../exit";
import { table } from "../table";
import { printJson, type Terminal, write } from "../terminal";

export interface Printing {
  /** As a table instead of JSON. */
  readonly asTable: boolean;
  /** Where a file goes: a path, or "-" for stdout. */
  readonly output: string;
}

const asTable = (body: unknown, { stdout }: Terminal): string =>
  table(body, stdout.isTTY ? stdout.columns : undefined);

async function printBody(body: unknown, printing: Printing, terminal: Terminal): Promise<void> {
  if (body === undefined) return;
  if (typeof body === "string") await write(terminal.stdout, `${body.trimEnd()}\n`);
  else if (printing.asTable) await write(terminal.stdout, asTable(body, terminal));
  else await printJson(terminal, body);
}

async function printFile(file: ReceivedFile, { output }: Printing, terminal: Terminal): Promise<void> {
  if (output === "-") {
    await pipeline(file.stream, terminal.stdout, { end: false });
    return;
  }
  await file.save(output);
  const { size } = await stat(output);
  await printJson(terminal, { path: output, contentType: file.contentType, size });
}

/** Prints an answer; where a file was asked for and is not there yet, its state, with the exit code for "not now". */
export async function printAnswer(
  { body, problems }: Reply,
  mayBeFile: boolean,
  printing: Printing,
  terminal: Terminal,
): Promise<number> {
  for (const { field, says } of problems)
    await write(terminal.stderr, `Note: the answer differs from the contract: ${field} ${says}\n`);
  if (body instanceof ReceivedFile) {
    await printFile(body, printing, terminal);
    return success;
  }
  await printBody(body, printing, terminal);
  return mayBeFile ? notNow : success;
}

const indented = (value: unknown): string => JSON.stringify(value, null, 2).replace(/^/gm, "  ");

/** Prints every page as one list. As JSON it is written while it arrives; a table needs all of it first. */
export async function printPages(
  pages: AsyncIterable<readonly unknown[]>,
  printing: Printing,
  terminal: Terminal,
): Promise<number> {
  if (printing.asTable) {
    const entries: unknown[] = [];
    for await (const page of pages) entries.push(...page);
    await write(terminal.stdout, asTable(entries, terminal));
    return success;
  }
  let before = "[\n";
  for await (const page of pages) {
    for (const entry of page) {
      await write(terminal.stdout, before + indented(entry));
      before = ",\n";
    }
  }
  await write(terminal.stdout, before === "[\n" ? "[]\n" : "\n]\n");
  return success;
}
