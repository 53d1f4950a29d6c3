/** Calls what a command names. Loaded when it is used: commands that call nothing begin sooner without the client. */
import type { Reply } from "../../core/client/reply";
import { type ClientCore, createClient } from "../../core/client/client";
import { hasMore } from "../../core/client/pages";
import type { PreparedCall } from "../../core/client/pipeline";
import type { Values } from "../../core/operations/check";
import { answersWith, type Declaration } from "../../core/operations/declaration";
import type { Service } from "../../core/operations/definition";
import { type Given, UsageError } from "../arguments";
import { asUsage, clientOptions, settingsFrom } from "../connection";
import type { Terminal } from "../terminal";
import { exitCodeFor, printAnswer, printPages, sayMore } from "./answer";
import { commit } from "./commit";
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

/** What a call is made with, beside its input. */
interface Called {
  readonly service: Service;
  /** Flags that are fields of the operation, or of the command. */
  readonly taken: ReadonlySet<string>;
  /** Settings in force unless others are given. */
  readonly usual?: Readonly<Record<string, string>>;
}

/** Calls an operation with what the flags give, and prints its answer. */
export function runCall(
  operation: Declaration,
  called: Called,
  given: Given,
  terminal: Terminal,
): Promise<number> {
  return run(operation, called, given, terminal).catch((error: unknown) => {
    throw saidOfFlags(operation, error);
  });
}

async function inputOf(operation: Declaration, given: Given, terminal: Terminal): Promise<Values> {
  const read = sourceReader(terminal);
  return {
    ...(await fromFile(given.text("input"), read)),
    ...(await inputFrom(operation, given, read)),
  };
}

function clientFor({ service, taken, usual }: Called, given: Given, { environment }: Terminal): ClientCore {
  const settings = { ...usual, ...settingsFrom(given, environment, service, taken) };
  const options = clientOptions(settings, service);
  return asUsage(() => createClient(options, service), service);
}

const unconfirmed = (call: PreparedCall) =>
  new UsageError(
    `${call.operation.name} commits or moves money, or changes who may approve it. Nothing was sent. ` +
      `With --yes this leaves:\n\n${preview(call)}`,
  );

async function run(
  operation: Declaration,
  called: Called,
  given: Given,
  terminal: Terminal,
): Promise<number> {
  const client = clientFor(called, given, terminal);
  try {
    const input = await inputOf(operation, given, terminal);
    const printing = {
      asTable: given.switched("table") ?? false,
      asJson: given.switched("json") ?? false,
      output: outputOf(operation, given, terminal),
    };
    if (given.switched("all"))
      return await printPages(operation, client.pages(operation, input), printing, terminal);
    if (operation.effect === "money" && !given.switched("yes"))
      throw unconfirmed(client.prepare(operation, input));
    const print = (reply: Reply) => printAnswer(reply, printing, terminal);
    if (operation.effect === "money") {
      const call = (signal: AbortSignal) => client.call(operation, input, { signal });
      return exitCodeFor(operation, await commit({ operation, call, print }, terminal));
    }
    const reply = await client.call(operation, input);
    await print(reply);
    if (hasMore(operation, input, reply)) await sayMore(printing, terminal);
    return exitCodeFor(operation, reply);
  } finally {
    // Not waited for: nobody may wait any more for a call that is under way.
    void client.close();
  }
}
