/** Calls what a command names. Loaded when it is used: commands that call nothing begin sooner without the client. */
import type { ServiceResponse } from "../../core/client/response";
import { createClient } from "../../core/client/client";
import { findLostDigits } from "../../core/client/lost-digits";
import { intoFolder } from "../../core/client/file-delivery";
import { hasMore } from "../../core/client/pages";
import type { PreparedCall } from "../../core/client/prepared-call";
import { type Callable, type Declaration, mayRespondWith } from "../../core/declaration/operation";
import { describeViolations } from "../../core/declaration/violation";
import { isProcedure, type Procedure } from "../../core/declaration/procedure";
import type { Service } from "../../core/declaration/service";
import { type ParsedArguments, UsageError } from "../arguments";
import { asUsageError, clientOptions, settingsFrom } from "../connection-settings";
import { effectiveSettings } from "../profile";
import { type Terminal, writeStderr } from "../terminal";
import { exitCodeFor, printResponse, printPages, printMorePagesNote } from "./print-response";
import { callAndReport } from "./call-and-report";
import { readFieldFlags, withFlagNames } from "./field-flags";
import { createProgressLine } from "./progress-line";
import { preview } from "./preview";
import { nameOfSource, type ReadSource, createSourceReader } from "./sources";
import type { Values } from "../../core/declaration/fields";
import { keyViolation } from "../../core/declaration/idempotency-key";
import type { ClientCore } from "../../core/client/client-types";

async function readInputFile(path: string | undefined, read: ReadSource): Promise<object> {
  if (path === undefined) return {};
  const source = nameOfSource(path);
  const content = await read("input", path);
  const input = parseJson(content, source);
  const lost = findLostDigits(content);
  if (lost.length > 0) throw new UsageError(`--input: ${source}: ${describeViolations(lost)}`);
  if (typeof input === "object" && input !== null && !Array.isArray(input)) return input;
  throw new UsageError(`--input: ${source} must hold one JSON object with the fields of the operation.`);
}

function parseJson(content: string, source: string): unknown {
  try {
    return JSON.parse(content);
  } catch (error) {
    throw new UsageError(`--input: ${source} is not JSON (${(error as Error).message}).`);
  }
}

/** A file goes where the person says; never, unasked, onto their screen. */
function outputOf(operation: Callable, parsed: ParsedArguments, { stdout }: Terminal): string {
  const output = parsed.string("output");
  if (output === undefined && stdout.isTTY && mayRespondWith(operation, "file"))
    throw new UsageError(
      `${operation.name} returns a file: say where it goes with --output <path>, or --output - for this terminal.`,
    );
  return output ?? "-";
}

/** What a call is made with, beside its input. */
export interface CallTarget {
  readonly service: Service;
  /** Flags that are fields of the operation, or of the command. */
  readonly reservedFlags: ReadonlySet<string>;
  /** Settings in force unless others are given, for a service that nobody logs in to. */
  readonly defaultSettings?: Readonly<Record<string, string>>;
}

/** Calls an operation with what the flags give, and prints its response. */
export function runCall(
  operation: Callable,
  target: CallTarget,
  parsed: ParsedArguments,
  terminal: Terminal,
): Promise<number> {
  return run(operation, target, parsed, terminal).catch((error: unknown) => {
    throw withFlagNames(operation, error);
  });
}

/** What the flags give, over what the file or stdin holds that --input names. */
export async function readInput(
  operation: Callable,
  parsed: ParsedArguments,
  terminal: Terminal,
): Promise<Values> {
  const read = createSourceReader(terminal);
  return {
    ...(await readInputFile(parsed.string("input"), read)),
    ...(await readFieldFlags(operation, parsed, read)),
  };
}

export async function createClientFor(
  { service, reservedFlags, defaultSettings }: CallTarget,
  parsed: ParsedArguments,
  terminal: Terminal,
): Promise<ClientCore> {
  const settings = defaultSettings
    ? { ...defaultSettings, ...settingsFrom(parsed, terminal.environment, service, reservedFlags) }
    : await effectiveSettings(parsed, terminal, service, reservedFlags);
  const onRecovered = (line: string) => void writeStderr(terminal, `fxdesk: ${line}\n`);
  const options = { ...clientOptions(settings, service), onRecovered };
  return asUsageError(() => createClient(options, service), service);
}

/** The key that is given, of a call that commits money. */
function keyFrom(parsed: ParsedArguments): { readonly key?: string } {
  const key = parsed.string("key");
  if (key === undefined) return {};
  const violation = keyViolation(key);
  if (violation !== undefined) throw new UsageError(`--key ${violation}.`);
  return { key };
}

const unconfirmedError = (call: PreparedCall) =>
  new UsageError(
    `${call.operation.name} commits or moves money, or changes who may approve it. Nothing was sent. ` +
      `With --yes this leaves:\n\n${preview(call)}`,
  );

/** What a procedure sends depends on what it reads before. */
const unconfirmedProcedureError = ({ name, uses }: Procedure) =>
  new UsageError(
    `${name} commits or moves money, or changes who may approve it. Nothing was sent. ` +
      `With --yes it runs; it may call ${uses.join(", ")}.`,
  );

async function run(
  operation: Callable,
  target: CallTarget,
  parsed: ParsedArguments,
  terminal: Terminal,
): Promise<number> {
  const client = await createClientFor(target, parsed, terminal);
  try {
    const input = await readInput(operation, parsed, terminal);
    const printOptions = {
      asTable: parsed.boolean("table") ?? false,
      asJson: parsed.boolean("json") ?? false,
      output: outputOf(operation, parsed, terminal),
    };
    if (parsed.boolean("all"))
      return await printPages(operation, client.pages(operation, input), printOptions, terminal);
    const print = (response: ServiceResponse) => printResponse(operation, response, printOptions, terminal);
    const { onProgress, erase } = createProgressLine(terminal);
    const progressOptions = onProgress ? { onProgress } : {};
    const deliveryOptions = operation.deliversFiles
      ? { deliver: intoFolder(parsed.string("output") ?? ".") }
      : {};
    const keyOptions = operation.effect === "money" ? { ...keyFrom(parsed), surface: "cli" } : {};
    if (operation.effect === "money" && !parsed.boolean("yes"))
      throw isProcedure(operation)
        ? unconfirmedProcedureError(operation)
        : unconfirmedError(client.prepare(operation as Declaration, input, keyOptions));
    const options = { ...keyOptions, ...progressOptions, ...deliveryOptions };
    const call = (signal?: AbortSignal) =>
      client.call(operation, input, { ...options, ...(signal && { signal }) }).finally(erase);
    if (operation.effect !== "read")
      return exitCodeFor(operation, await callAndReport({ operation, call, print }, terminal));
    const response = await call();
    await print(response);
    if (hasMore(operation, input, response)) await printMorePagesNote(printOptions, terminal);
    return exitCodeFor(operation, response);
  } finally {
    // Not waited for: nobody may wait any more for a call that is under way.
    void client.close();
  }
}
