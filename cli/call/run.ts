/** Runs a call. Loaded on demand, because commands without a call start faster without the client. */
import { isObject } from "../../core/values/json";
import type { ServiceResponse } from "../../core/call/response";
import { createClient } from "../../core/client/client";
import { findLostDigits } from "../../core/call/lost-digits";
import { destinationOf, intoPath } from "../../core/call/file-delivery";
import { hasMore } from "../../core/call/pages";
import type { PreparedCall } from "../../core/call/prepared-call";
import { type Callable, type Declaration, mayRespondWith } from "../../core/spec/operation";
import { describeViolations } from "../../core/spec/errors";
import { isProcedure, type Procedure, type Progress } from "../../core/spec/procedure";
import type { Service } from "../../core/spec/service";
import { flagName, type ParsedArguments, UsageError } from "../command-line/arguments";
import { columns } from "../command-line/command";
import { clientOptions } from "../settings/client-options";
import { asUsageError, settingsFrom } from "../settings/connection-settings";
import { effectiveSettings } from "../settings/profile";
import { createStatusLine, printable, type Terminal, writeLog, writeStderr } from "../terminal/terminal";
import { exitCodeFor, printResponse, printPages, printMorePagesNote } from "./print-response";
import { printFormatFrom } from "./print-format";
import { callAndReport } from "./call-and-report";
import {
  createSourceReader,
  nameOfSource,
  readFieldFlags,
  type ReadSource,
  withFlagNames,
} from "./field-flags";
import { encodeRequest } from "../../core/call/encode-request";
import { type Field, fieldsOf, generatedCallerFields, type Values } from "../../core/spec/fields";
import { keyViolation } from "../../core/spec/check";
import type { ClientCore } from "../../core/api/client-types";

async function readInputFile(path: string | undefined, read: ReadSource): Promise<object> {
  if (path === undefined) return {};
  const source = nameOfSource(path);
  const content = await read("input", path);
  const input = parseJson(content, source);
  const lost = findLostDigits(content);
  if (lost.length > 0) throw new UsageError(`--input: ${source}: ${describeViolations(lost)}`);
  if (isObject(input)) return input;
  throw new UsageError(`--input: ${source} must contain one JSON object with the fields of the operation.`);
}

function parseJson(content: string, source: string): unknown {
  try {
    return JSON.parse(content);
  } catch (error) {
    throw new UsageError(`--input: ${source} is not valid JSON (${(error as Error).message}).`);
  }
}

/** Returns the destination of a file. A terminal must be requested explicitly. */
function outputOf(operation: Callable, parsed: ParsedArguments, { stdout }: Terminal): string {
  const output = parsed.string("output");
  if (output === undefined && stdout.isTTY && mayRespondWith(operation, "file"))
    throw new UsageError(
      `${operation.name} returns a file. Save it with --output <path>, or print it here with --output -.`,
    );
  return output ?? "-";
}

async function destinationNote(path: string): Promise<string> {
  const { folder, fileName } = await destinationOf(path);
  return fileName === undefined
    ? `Files are saved in the folder ${printable(folder)}.\n`
    : `The file is saved as ${printable(path)}.\n`;
}

export interface CallTarget {
  readonly service: Service;
  /** Flags of the operation or command, which therefore do not set a connection setting of the same name. */
  readonly reservedFlags: ReadonlySet<string>;
  /** Fallback settings for a service without login. */
  readonly defaultSettings?: Readonly<Record<string, string>>;
}

/** Calls an operation with the values of the flags and prints its response. */
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

/** Reads the input from --input and the flags; flags take precedence. */
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
  const onRecovered = (line: string) => void writeLog(terminal, "info", line);
  const options = { ...clientOptions(settings, service), onRecovered };
  return asUsageError(() => createClient(options, service), service);
}

/** Returns the value of --key. */
function keyFrom(parsed: ParsedArguments): { readonly key?: string } {
  const key = parsed.string("key");
  if (key === undefined) return {};
  const violation = keyViolation(key);
  if (violation !== undefined) throw new UsageError(`--key ${violation}.`);
  return { key };
}

const progressText = ({ done, total, message }: Progress): string =>
  `${printable(message)} (${total === undefined ? done : `${done}/${total}`})`;

const json = "application/json";

const readable = (mediaType: string | undefined, body: string) =>
  mediaType === json ? JSON.stringify(JSON.parse(body), null, 2) : body;

/** True for headers of no interest in a preview: accepted formats and the JSON content type. */
const isRoutineHeader = ([name, value]: readonly [string, string]) =>
  name === "accept" || name === "accept-encoding" || (name === "content-type" && value === json);

/** Returns the caller's fields that were omitted and therefore generated. */
const generatedFields = ({ operation, values, given }: PreparedCall): readonly Field[] =>
  generatedCallerFields(operation).filter(({ name }) => values[name] !== given[name]);

const generatedLaterNote = ({ name }: Field) =>
  `${name} is generated when the request is sent. Set your own with --${flagName(name)}.`;

/**
 * Renders the request without credentials and generated values. Names the flags that set a generated value, because a
 * preview that changes with each run could not be compared.
 */
export function preview(call: PreparedCall): string {
  const { operation, address, values } = call;
  const generatedLater = generatedFields(call);
  const generated = [
    ...fieldsOf(operation).filter(({ filledBy }) => filledBy === "fxdesk"),
    ...generatedLater,
  ];
  const shownValues = { ...values, ...Object.fromEntries(generated.map(({ name }) => [name, undefined])) };
  const { target, headers, body } = encodeRequest(operation, shownValues);
  const lines = Object.entries(headers)
    .filter((header) => !isRoutineHeader(header))
    .map(([name, value]) => `${name}: ${value}`);
  const content = body === undefined ? [] : ["", readable(headers["content-type"], body)];
  const notes = generatedLater.length > 0 ? ["", ...generatedLater.map(generatedLaterNote)] : [];
  return [`${operation.method} ${address}${target}`, ...lines, ...content, ...notes].join("\n");
}

const unconfirmedError = (call: PreparedCall) =>
  new UsageError(
    `${call.operation.name} commits or moves money, or changes who may approve payments. Nothing was sent. ` +
      `With --yes, this request is sent:\n\n${preview(call)}`,
  );

const valueText = (value: unknown) => printable(typeof value === "string" ? value : JSON.stringify(value));

/** Shows the input and the names of the operations: the requests of a procedure depend on earlier responses. */
const unconfirmedProcedureError = ({ name, uses }: Procedure, values: Values) =>
  new UsageError(
    `${name} commits or moves money, or changes who may approve payments. Nothing was sent. ` +
      `With --yes, it runs with these values and may call ${uses.join(", ")}:\n\n` +
      columns(
        Object.entries(values).flatMap(([field, value]) =>
          value === undefined ? [] : [[`--${flagName(field)}`, valueText(value)] as const],
        ),
      ),
  );

async function run(
  operation: Callable,
  target: CallTarget,
  parsed: ParsedArguments,
  terminal: Terminal,
): Promise<number> {
  const client = await createClientFor(target, parsed, terminal);
  let isInFlight = false;
  try {
    const input = await readInput(operation, parsed, terminal);
    const printOptions = {
      ...printFormatFrom(parsed),
      asJson: parsed.boolean("json") ?? false,
      output: outputOf(operation, parsed, terminal),
    };
    if (parsed.boolean("all"))
      return await printPages(operation, client.pages(operation, input), printOptions, terminal);
    const print = (response: ServiceResponse) => printResponse(operation, response, printOptions, terminal);
    const { show, erase } = createStatusLine(terminal);
    const outputPath = parsed.string("output");
    const progressOptions = show ? { onProgress: (step: Progress) => show(progressText(step)) } : {};
    const deliveryOptions = operation.deliversFiles ? { deliver: intoPath(outputPath ?? ".") } : {};
    if (outputPath !== undefined && operation.deliversFiles && !parsed.boolean("json"))
      await writeStderr(terminal, await destinationNote(outputPath));
    const keyOptions = operation.effect === "money" ? { ...keyFrom(parsed), surface: "cli" } : {};
    if (operation.effect === "money" && !parsed.boolean("yes"))
      throw isProcedure(operation)
        ? unconfirmedProcedureError(operation, await client.preview(operation, input))
        : unconfirmedError(client.prepare(operation as Declaration, input, keyOptions));
    const options = { ...keyOptions, ...progressOptions, ...deliveryOptions };
    const call = (signal?: AbortSignal) => {
      isInFlight = true;
      return client.call(operation, input, { ...options, ...(signal && { signal }) }).finally(() => {
        isInFlight = false;
        erase();
      });
    };
    if (operation.effect !== "read")
      return exitCodeFor(operation, await callAndReport({ operation, call, print }, terminal));
    const response = await call();
    await print(response);
    if (hasMore(operation, input, response)) await printMorePagesNote(printOptions, terminal);
    return exitCodeFor(operation, response);
  } finally {
    const closed = client.close();
    // Closing waits for calls in flight, and the user may have stopped waiting for this one.
    if (!isInFlight) await closed;
  }
}
