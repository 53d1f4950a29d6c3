/** Calls what a command names. Loaded when it is used: commands that call nothing begin sooner without the client. */
import type { ServiceResponse } from "../../core/client/response";
import { createClient } from "../../core/client/client";
import { hasMore } from "../../core/client/pages";
import type { PreparedCall } from "../../core/client/pipeline";
import { mayRespondWith, type Declaration } from "../../core/declaration/operation";
import type { Service } from "../../core/declaration/service";
import { type ParsedArguments, UsageError } from "../arguments";
import { asUsageError, clientOptions, settingsFrom } from "../connection";
import type { Terminal } from "../terminal";
import { exitCodeFor, printResponseFor, printPages, sayMore } from "./print";
import { commit } from "./commit";
import { inputFrom, withFlagNames } from "./fields";
import { preview } from "./preview";
import { nameOfSource, type ReadSource, sourceReader } from "./sources";
import type { Values } from "../../core/declaration/fields";
import type { ClientCore } from "../../core/client/methods";

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
function outputOf(operation: Declaration, parsed: ParsedArguments, { stdout }: Terminal): string {
  const output = parsed.text("output");
  if (output === undefined && stdout.isTTY && mayRespondWith(operation, "file"))
    throw new UsageError(
      `${operation.name} returns a file: say where it goes with --output <path>, or --output - for this terminal.`,
    );
  return output ?? "-";
}

/** What a call is made with, beside its input. */
interface CallTarget {
  readonly service: Service;
  /** Flags that are fields of the operation, or of the command. */
  readonly taken: ReadonlySet<string>;
  /** Settings in force unless others are given. */
  readonly usual?: Readonly<Record<string, string>>;
}

/** Calls an operation with what the flags give, and prints its response. */
export function runCall(
  operation: Declaration,
  target: CallTarget,
  parsed: ParsedArguments,
  terminal: Terminal,
): Promise<number> {
  return run(operation, target, parsed, terminal).catch((error: unknown) => {
    throw withFlagNames(operation, error);
  });
}

async function inputOf(operation: Declaration, parsed: ParsedArguments, terminal: Terminal): Promise<Values> {
  const read = sourceReader(terminal);
  return {
    ...(await fromFile(parsed.text("input"), read)),
    ...(await inputFrom(operation, parsed, read)),
  };
}

function clientFor(
  { service, taken, usual }: CallTarget,
  parsed: ParsedArguments,
  { environment }: Terminal,
): ClientCore {
  const settings = { ...usual, ...settingsFrom(parsed, environment, service, taken) };
  const options = clientOptions(settings, service);
  return asUsageError(() => createClient(options, service), service);
}

const unconfirmed = (call: PreparedCall) =>
  new UsageError(
    `${call.operation.name} commits or moves money, or changes who may approve it. Nothing was sent. ` +
      `With --yes this leaves:\n\n${preview(call)}`,
  );

async function run(
  operation: Declaration,
  target: CallTarget,
  parsed: ParsedArguments,
  terminal: Terminal,
): Promise<number> {
  const client = clientFor(target, parsed, terminal);
  try {
    const input = await inputOf(operation, parsed, terminal);
    const printOptions = {
      asTable: parsed.switched("table") ?? false,
      asJson: parsed.switched("json") ?? false,
      output: outputOf(operation, parsed, terminal),
    };
    if (parsed.switched("all"))
      return await printPages(operation, client.pages(operation, input), printOptions, terminal);
    if (operation.effect === "money" && !parsed.switched("yes"))
      throw unconfirmed(client.prepare(operation, input));
    const print = (response: ServiceResponse) => printResponseFor(response, printOptions, terminal);
    if (operation.effect === "money") {
      const call = (signal: AbortSignal) => client.call(operation, input, { signal });
      return exitCodeFor(operation, await commit({ operation, call, print }, terminal));
    }
    const response = await client.call(operation, input);
    await print(response);
    if (hasMore(operation, input, response)) await sayMore(printOptions, terminal);
    return exitCodeFor(operation, response);
  } finally {
    // Not waited for: nobody may wait any more for a call that is under way.
    void client.close();
  }
}
