/** Makes the call of a message and sends its result: one message, or a sequence of messages. */
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { invalidInputError } from "../../../core/call/call-errors";
import { isPaged, joinPages } from "../../../core/call/pages";
import { ReceivedFile } from "../../../core/call/received-file";
import type { ServiceResponse } from "../../../core/call/response";
import type { Callable } from "../../../core/spec/operation";
import {
  callService,
  countResultEntries,
  type NodeCall,
  responseMetadata,
  type SentSummary,
} from "./node-call";
import { sendEachListEntry, sendEachPage, sendEachResultEntry } from "./sequence";

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

/** Sends the response of one call. */
async function sendOnePage(call: NodeCall): Promise<SentSummary> {
  const { operation, msg, result, send } = call;
  const response = await callService(call);
  const { status: statusCode, body } = response;
  const fxdesk = responseMetadata(call, response);
  Object.assign(msg, { statusCode, fxdesk });
  let bytes: number | undefined;
  if (body instanceof ReceivedFile) bytes = await setFile(call, body);
  // A response without a body keeps the payload of the flow.
  else if (body !== undefined) result.set(msg, body);
  send(msg);
  return { statusCode, entries: countResultEntries(operation, body), more: fxdesk.more, bytes };
}

/** Sends the entries of all pages as one message. */
async function sendAllPages(call: NodeCall): Promise<SentSummary> {
  const { operation, client, input, options, msg, result, send } = call;
  const responses: ServiceResponse[] = [];
  for await (const response of client.pages(operation, input, options)) responses.push(response);
  const response = joinPages(operation, responses);
  const { status: statusCode, body } = response;
  result.set(msg, body);
  send(Object.assign(msg, { statusCode, fxdesk: responseMetadata(call, response, responses.length, false) }));
  return { statusCode, entries: countResultEntries(operation, body) };
}

/** Conversion of a paged list to messages. */
export type PageMode = "one" | "all" | "each" | "items";

/** Conversion of a result with a result list to messages. */
export type ResultListMode = "whole" | "each";

const pageModes: Readonly<Record<PageMode, (call: NodeCall) => Promise<SentSummary>>> = {
  one: sendOnePage,
  all: sendAllPages,
  each: sendEachPage,
  items: sendEachListEntry,
};

/** Returns the function of a mode. Throws InvalidInput for an unknown mode, which a flow edited by hand may contain. */
function requirePageMode(operation: Callable, pages: PageMode) {
  if (Object.hasOwn(pageModes, pages)) return pageModes[pages];
  const message = `must be one of ${Object.keys(pageModes).join(", ")}, not ${JSON.stringify(pages)}`;
  throw invalidInputError(operation, [{ field: "pages", message }]);
}

interface SendModes {
  /** Applies to paged lists. */
  readonly pages: PageMode;
  /** Applies to results with a result list. */
  readonly rows: ResultListMode;
}

/** Makes a call and sends the resulting messages. */
export function callAndSend(call: NodeCall, { pages, rows }: SendModes): Promise<SentSummary> {
  const { operation } = call;
  if (isPaged(operation)) return requirePageMode(operation, pages)(call);
  return (operation.resultList !== undefined && rows === "each" ? sendEachResultEntry : sendOnePage)(call);
}
