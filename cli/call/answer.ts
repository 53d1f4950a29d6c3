/** Printing what a call answers. */
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import type { Reply } from "../../core/client/reply";
import { ReceivedFile } from "../../core/client/file";
import { joined } from "../../core/client/pages";
import type { Problem } from "../../core/operations/check";
import { answersWith, type Declaration } from "../../core/operations/declaration";
import { notNow, success } from "../exit";
import { table } from "../table";
import { printable, printJson, say, type Terminal, write } from "../terminal";

export interface Printing {
  /** As a table instead of JSON. */
  readonly asTable: boolean;
  /** What is said about the answer, too. */
  readonly asJson: boolean;
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

/** An answer of many entries can differ as many times. */
const mostDifferences = 5;

function differences(problems: readonly Problem[], { asJson }: Printing): string {
  if (asJson) return `${JSON.stringify({ code: "differs_from_contract", problems })}\n`;
  const shown = problems
    .slice(0, mostDifferences)
    .map(({ field, says }) => `\n  ${printable(`${field}: ${says}`)}`);
  const more = problems.length > mostDifferences ? `\n  and ${problems.length - mostDifferences} more` : "";
  return `Note: the answer differs from the contract:${shown.join("")}${more}\n`;
}

/** Prints an answer; where a file was asked for and is not there yet, its state. */
export async function printAnswer(
  { body, problems }: Reply,
  printing: Printing,
  terminal: Terminal,
): Promise<void> {
  if (problems.length > 0) await say(terminal, differences(problems, printing));
  if (body instanceof ReceivedFile) await printFile(body, printing, terminal);
  else await printBody(body, printing, terminal);
}

/** The exit code of a call that was answered: "not now" where a file was asked for and is not there yet. */
export const exitCodeFor = (operation: Declaration, { body }: Reply): number =>
  answersWith(operation, "file") && !(body instanceof ReceivedFile) ? notNow : success;

const indented = (value: unknown): string => JSON.stringify(value, null, 2).replace(/^/gm, "  ");

/** Says that a list goes on after the page that was printed. */
export const sayMore = ({ asJson }: Printing, terminal: Terminal): Promise<void> =>
  say(
    terminal,
    asJson ? `${JSON.stringify({ code: "more_pages" })}\n` : "Note: more pages follow; --all fetches them.\n",
  );

/** Prints every page as one answer. A list as JSON is written while it arrives; anything else needs all of it first. */
export async function printPages(
  operation: Declaration,
  pages: AsyncIterable<Reply>,
  printing: Printing,
  terminal: Terminal,
): Promise<number> {
  if (printing.asTable || operation.linkedPages) {
    const replies: Reply[] = [];
    for await (const reply of pages) replies.push(reply);
    await printBody(joined(operation, replies).body, printing, terminal);
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
