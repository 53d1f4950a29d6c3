/** Calls what a command names. Loaded when it is used: commands that call nothing begin sooner without the client. */
import { createClient } from "../../core/client/client";
import { answersWith, type Declaration } from "../../core/operations/declaration";
import { type Given, UsageError } from "../arguments";
import { asUsage, clientOptions, settingsFrom } from "../connection";
import type { Terminal } from "../terminal";
import { printAnswer, printPages } from "./answer";
import { inputFrom, saidOfFlags } from "./fields";
import { preview } from "./preview";
import { nameOfSource, type ReadSource, sourceReader } from "./sources";

async function fromFile(path: string | undefined, read: ReadSource): Promise<object> {
  if (path === undefined) return {};
  const source = nameOfSource(path);
  const input = asJson(await read("input", path), source);
  if (typeof input === "object" && input !== null && !Array.isArray(input)) return input;
  throw new UsageError(`--input: ${source} must hold one JSON object with the fields of the operation.`);
}

function asJson(content: string, source: string): unknown {
  try {
    return JSON.parse(content);
  } catch (error) {
    throw new UsageError(`--input: ${source} is not JSON (${(error as Error).message}).`);
  }
}

/** A file goes where the person says; never, unasked, onto their screen. */
function outputOf(operation: Declaration, given: Given, { stdout }: Terminal): string {
  const output = given.text("output");
  if (output === undefined && stdout.isTTY && answersWith(operation, "file"))
    throw new UsageError(
      `${operation.name} answers a file: say where it goes with --output <path>, or --output - for this terminal.`,
    );
  return output ?? "-";
}

/**
 * Calls an operation with what the flags give, and prints its answer. `taken` are flags that are fields of the operation;
 * `usual` are settings in force unless others are given.
 */
export function runCall(
  operation: Declaration,
  taken: ReadonlySet<string>,
  given: Given,
  terminal: Terminal,
  usual: Readonly<Record<string, string>> = {},
): Promise<number> {
  return called(operation, taken, given, terminal, usual).catch((error: unknown) => {
    throw saidOfFlags(operation, error);
  });
}

async function called(
  operation: Declaration,
  taken: ReadonlySet<string>,
  given: Given,
  terminal: Terminal,
  usual: Readonly<Record<string, string>>,
): Promise<number> {
  const options = clientOptions({ ...usual, ...settingsFrom(given, terminal.environment, taken) });
  const read = sourceReader(terminal);
  const input = {
    ...(await fromFile(given.text("input"), read)),
    ...(await inputFrom(operation, given, read)),
  };
  const printing = {
    asTable: given.switched("table") ?? false,
    asJson: given.switched("json") ?? false,
    output: outputOf(operation, given, terminal),
  };
  const client = asUsage(() => createClient(options));
  if (operation.effect === "money" && !given.switched("yes"))
    throw new UsageError(
      `${operation.name} commits or moves money, or changes who may approve it. Nothing was sent. ` +
        `With --yes this leaves:\n\n${preview(client.prepare(operation, input))}`,
    );
  try {
    if (given.switched("all")) return await printPages(client.pages(operation, input), printing, terminal);
    const reply = await client.call(operation, input);
    return await printAnswer(reply, answersWith(operation, "file"), printing, terminal);
  } finally {
    await client.close();
  }
}
