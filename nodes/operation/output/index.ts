/** Makes the call of a message and sends its result: one message, or a sequence of messages. */
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { invalidInputError } from "../../../core/call/call-errors";
import { isPaged, joinPages } from "../../../core/call/pages";
import { ReceivedFile } from "../../../core/call/received-file";
import type { ServiceResponse } from "../../../core/call/response";
import { ReleaseNeeded } from "../../../core/spec/errors";
import type { Callable } from "../../../core/spec/operation";
import { findConfirmationLink } from "../../../core/values/confirmation-link";
import { isObject } from "../../../core/values/json";
import { asReleaseReport } from "../../shared/release-status";
import {
  callService,
  countResultEntries,
  type NodeCall,
  responseMetadata,
  type SentSummary,
} from "./node-call";
import { entriesIn, toCsv } from "./entries";
import { sendEachEntry, sendEachListEntry, sendEachPage } from "./sequence";

async function saveFile(file: ReceivedFile, path: string): Promise<string> {
  // If the folder cannot be created, writing the file reports the error.
  await mkdir(dirname(path), { recursive: true }).catch(() => undefined);
  await file.save(path);
  return path;
}

/** Puts a file into the message, or its path if it is saved. Returns its size in the message. */
async function setFile({ msg, result, saveTo }: NodeCall, file: ReceivedFile): Promise<number | undefined> {
  const content = saveTo ? await saveFile(file, saveTo) : await file.bytes();
  result.set(msg, content);
  Object.assign(msg, { filename: saveTo || file.fileName, contentType: file.contentType });
  return Buffer.isBuffer(content) ? content.length : undefined;
}

/** Response of a call, and its details for the message. */
interface Result {
  readonly response: ServiceResponse;
  readonly fxdesk: ReturnType<typeof responseMetadata>;
}

async function readOnce(call: NodeCall): Promise<Result> {
  const response = await callService(call);
  return { response, fxdesk: responseMetadata(call, response) };
}

/** Reads the whole result: all pages of a list, joined. */
async function readAll(call: NodeCall): Promise<Result> {
  const { operation, client, input, options } = call;
  if (!isPaged(operation)) return readOnce(call);
  const responses: ServiceResponse[] = [];
  for await (const response of client.pages(operation, input, options)) responses.push(response);
  const response = joinPages(operation, responses);
  return { response, fxdesk: responseMetadata(call, response, responses.length, false) };
}

/** Returns the numbers of entries of the lists of a result. */
const countLists = (body: unknown): Readonly<Record<string, number>> | undefined =>
  isObject(body)
    ? Object.fromEntries(
        Object.entries(body).flatMap(([name, value]) => (Array.isArray(value) ? [[name, value.length]] : [])),
      )
    : undefined;

type FormatEntries = (call: NodeCall, entries: readonly unknown[]) => unknown;

/** Sends a result as one message: as it is, or its entries in another form. */
async function sendResult(
  call: NodeCall,
  { response, fxdesk }: Result,
  format?: FormatEntries,
): Promise<SentSummary> {
  const { operation, list, msg, result, send } = call;
  const { status: statusCode, body } = response;
  const found = format && entriesIn(operation, body, list);
  Object.assign(msg, { statusCode, fxdesk: found?.rest ? { ...fxdesk, result: found.rest } : fxdesk });
  let bytes: number | undefined;
  if (body instanceof ReceivedFile) bytes = await setFile(call, body);
  else if (found) result.set(msg, format(call, found.entries));
  // A response without a body keeps the payload of the flow.
  else if (body !== undefined) result.set(msg, body);
  send(msg);
  return {
    statusCode,
    entries: found ? found.entries.length : countResultEntries(operation, body),
    more: fxdesk.more,
    bytes,
    counts: countLists(body),
    release: asReleaseReport(body),
    needsConfirmation: findConfirmationLink(body) !== undefined,
  };
}

/** Sends one message for each entry, or one message if the response has no entries. */
async function sendEach(call: NodeCall): Promise<SentSummary> {
  if (isPaged(call.operation)) return sendEachListEntry(call);
  const read = await readOnce(call);
  const found = entriesIn(call.operation, read.response.body, call.list);
  if (!found) return sendResult(call, read);
  return { ...(await sendEachEntry(call, read, found)), counts: countLists(read.response.body) };
}

/** Conversion of a result to messages. */
export type ResultMode = "all" | "list" | "each" | "csv" | "pages" | "one";

const resultModes: Readonly<Record<ResultMode, (call: NodeCall) => Promise<SentSummary>>> = {
  all: async (call) => sendResult(call, await readAll(call)),
  list: async (call) => sendResult(call, await readAll(call), (_call, entries) => entries),
  csv: async (call) =>
    sendResult(call, await readAll(call), ({ operation, list }, entries) => toCsv(operation, list, entries)),
  each: sendEach,
  pages: async (call) =>
    isPaged(call.operation) ? sendEachPage(call) : sendResult(call, await readOnce(call)),
  one: async (call) => sendResult(call, await readOnce(call)),
};

/** Form of the results of a node. */
export interface ResultForm {
  readonly results: ResultMode;
  /** List of the result. Empty: the main list. */
  readonly list: string;
  /** Lists of the result, the main list first. */
  readonly lists: readonly string[];
}

/** Throws InvalidInput if a value is not among the choices, which can happen in a flow edited by hand. */
function assertChoice(operation: Callable, field: string, choices: readonly string[], value: string): void {
  if (choices.includes(value)) return;
  const message = `must be one of ${choices.join(", ")}, not ${JSON.stringify(value)}`;
  throw invalidInputError(operation, [{ field, message }]);
}

/** Sends the report of a call that waits for release by a person, as an order does. */
async function sendWaiting(call: NodeCall, error: ReleaseNeeded): Promise<SentSummary> {
  const { operation, client, msg, result, send } = call;
  const { release } = error;
  const report = await client.orders.get(release).catch(() => Promise.reject(error));
  result.set(msg, report);
  send(Object.assign(msg, { statusCode: 202, fxdesk: { operation: operation.name, release } }));
  return { statusCode: 202, entries: undefined, release: report };
}

/** Makes a call and sends the resulting messages. */
export async function callAndSend(
  call: Omit<NodeCall, "list">,
  { results, list: chosen, lists }: ResultForm,
): Promise<SentSummary> {
  const { operation } = call;
  assertChoice(operation, "results", Object.keys(resultModes), results);
  if (chosen) assertChoice(operation, "list", lists, chosen);
  const nodeCall: NodeCall = { ...call, list: chosen || lists[0] };
  try {
    return await resultModes[results](nodeCall);
  } catch (error) {
    if (error instanceof ReleaseNeeded) return sendWaiting(nodeCall, error);
    throw error;
  }
}
