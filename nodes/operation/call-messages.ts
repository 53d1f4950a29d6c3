/** Converts responses of the service to messages. */
import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { NodeMessage } from "node-red";
import type { ServiceResponse } from "../../core/call/response";
import type { CallOptions } from "../../core/call/call-options";
import { ReceivedFile } from "../../core/call/received-file";
import { isPaged, countEntries, hasMore, joinPages } from "../../core/call/pages";
import { listPathsIn, extractResultList } from "../../core/spec/result-list";
import { invalidInputError } from "../../core/call/call-errors";
import { Aborted, FxdeskError } from "../../core/spec/errors";
import { valueAt } from "../../core/values/json";
import type { Callable } from "../../core/spec/operation";
import type { CallOutcome } from "./outcome-log";
import type { ResultProperty } from "./result-property";
import { TimeSlice } from "./time-slice";
import type { Values } from "../../core/spec/fields";
import type { ClientCore } from "../../core/api/client-types";

/** Call that a node makes for one message. */
export interface NodeCall {
  readonly operation: Callable;
  readonly client: ClientCore;
  readonly input: Values;
  readonly options: CallOptions;
  /** Path for a received file. Empty: the file is put into the message. */
  readonly saveTo: string | undefined;
  readonly msg: NodeMessage;
  /** Copies the input message without the property that the result replaces. */
  readonly copy: () => NodeMessage;
  readonly result: ResultProperty;
  readonly send: (msg: NodeMessage) => void;
  /** Resolves when the next nodes have completed the sent messages. */
  readonly drained: () => Promise<void>;
  /** Receives the outcome of the call before the response is processed. */
  readonly onOutcome: (operation: Callable, outcome: CallOutcome) => void;
}

/** Summary of the sent messages, for the node status. */
export interface SentSummary {
  /** Body of the last response. */
  readonly body: unknown;
  readonly statusCode: number;
  /** Bytes of a file, or its path if it was saved. */
  readonly content?: unknown;
  /** Number of entries over all pages. Undefined if the result is not a list. */
  readonly entries: number | undefined;
  /** True if the list has further pages. */
  readonly more?: boolean | undefined;
}

const abortedListError = (operation: Callable): Aborted =>
  new Aborted(`${operation.name}: The list was cancelled before its end.`, {
    operation: operation.name,
    code: "aborted",
    outcome: "unknown",
  });

type CallAndSend = (call: NodeCall) => Promise<SentSummary>;

/** Returns the details of a response for `msg.fxdesk`, the same in every mode. */
function responseMetadata(
  { operation, input }: NodeCall,
  response: ServiceResponse,
  pages = 1,
  more = hasMore(operation, input, response),
) {
  const { status, headers, total, requestId, attempts, violations, journal } = response;
  return {
    operation: operation.name,
    status,
    headers,
    total,
    requestId,
    attempts,
    violations,
    ...(journal && { journal }),
    ...(isPaged(operation) && { pages, ...(more !== undefined && { more }) }),
  };
}

async function saveFile(file: ReceivedFile, path: string): Promise<string> {
  // If the folder cannot be created, writing the file reports the error.
  await mkdir(dirname(path), { recursive: true }).catch(() => undefined);
  await file.save(path);
  return path;
}

async function setFile({ msg, result, saveTo }: NodeCall, file: ReceivedFile): Promise<unknown> {
  const content = saveTo ? await saveFile(file, saveTo) : await file.bytes();
  result.set(msg, content);
  Object.assign(msg, { filename: saveTo || file.fileName, contentType: file.contentType });
  return content;
}

async function callService({
  client,
  operation,
  input,
  options,
  onOutcome,
}: NodeCall): Promise<ServiceResponse> {
  try {
    const response = await client.call(operation, input, options);
    onOutcome(operation, response);
    return response;
  } catch (error) {
    if (error instanceof FxdeskError) onOutcome(operation, error);
    throw error;
  }
}

/** Returns the number of entries of a body, or undefined if it is not a list and has no result list. */
const countResultEntries = (operation: Callable, body: unknown): number | undefined =>
  extractResultList(operation, body)?.entries.length ??
  (Array.isArray(body) || (operation.linkedPages && typeof body === "object")
    ? countEntries(operation, body)
    : undefined);

/** Sends the response of one call. */
async function sendOnePage(call: NodeCall): Promise<SentSummary> {
  const { operation, msg, result } = call;
  const response = await callService(call);
  const { status: statusCode, body } = response;
  const fxdesk = responseMetadata(call, response);
  Object.assign(msg, { statusCode, fxdesk });
  const summary = { body, statusCode, entries: countResultEntries(operation, body), more: fxdesk.more };
  if (body instanceof ReceivedFile) {
    const content = await setFile(call, body);
    call.send(msg);
    return { ...summary, content };
  }
  // A response without a body keeps the payload of the flow.
  if (body !== undefined) result.set(msg, body);
  call.send(msg);
  return summary;
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
  return { body, statusCode, entries: countResultEntries(operation, body) };
}

/** Message of a sequence, without its index. */
interface SequenceMessage {
  readonly content: unknown;
  /** True if a Join node should concatenate the content of the messages. */
  readonly isList?: boolean;
  readonly statusCode: number;
  readonly fxdesk: object;
}

/**
 * Value of `parts.len` for list messages. A Join node concatenates lists only if the first message has a length above 1;
 * the real length of a page can be 0 or 1.
 */
const joinListLength = 2;

/**
 * Sequence of messages for a Join node. If the count is not known in advance, only the last message carries it, so each
 * message is held until the next one arrives.
 */
class MessageSequence {
  /** Not derived from `_msgid`: messages of a Split node share it, and a Join node would mix their sequences. */
  readonly #id = randomUUID();
  #pending: SequenceMessage | undefined;
  #index = 0;

  constructor(
    private readonly call: NodeCall,
    private readonly count?: number,
  ) {}

  add(part: SequenceMessage): void {
    if (this.#pending) this.#send(this.call.copy(), this.#pending);
    this.#pending = part;
  }

  end(): void {
    if (this.#pending) this.#send(this.call.msg, this.#pending, this.#index + 1);
  }

  #send(
    target: NodeMessage,
    { content, isList, statusCode, fxdesk }: SequenceMessage,
    count = this.count,
  ): void {
    const { parts: outer } = this.call.msg;
    const parts = {
      id: this.#id,
      type: "array",
      ...(outer !== undefined && { parts: outer }),
      index: this.#index,
      len: isList ? joinListLength : 1,
      ...(count !== undefined && { count }),
    };
    this.#index += 1;
    this.call.result.set(target, content);
    this.call.send(Object.assign(target, { parts, statusCode, fxdesk: { ...fxdesk } }));
  }
}

/** Reads page by page. Waits for the following nodes to complete the messages of a page before reading the next. */
async function forEachPage(
  call: NodeCall,
  handlePage: (response: ServiceResponse, fxdesk: object) => void | Promise<void>,
): Promise<SentSummary> {
  const { operation, client, input, options, drained } = call;
  let lastResponse: ServiceResponse | undefined;
  let entries = 0;
  let maxPageLength = 0;
  let pages = 0;
  for await (const response of client.pages(operation, input, options)) {
    lastResponse = response;
    pages += 1;
    const count = countEntries(operation, response.body);
    entries += count;
    maxPageLength = Math.max(maxPageLength, count);
    const details = responseMetadata(call, response, pages);
    await handlePage(response, details);
    // Without a total count, a page with fewer entries than the largest one is the last.
    if (details.more ?? count === maxPageLength) await drained();
  }
  const { body, status: statusCode } = lastResponse!;
  return { body, statusCode, entries };
}

/** Sends one message per page, in a sequence. A Join node concatenates pages that are lists and collects objects. */
async function sendEachPage(call: NodeCall): Promise<SentSummary> {
  const sequence = new MessageSequence(call);
  const summary = await forEachPage(call, ({ body: content, status: statusCode }, fxdesk) => {
    sequence.add({ content, isList: Array.isArray(content), statusCode, fxdesk });
  });
  sequence.end();
  return summary;
}

/**
 * Adds one message per entry to a sequence without blocking the event loop. Objects per entry must not combine a spread with
 * further properties: V8 in Node.js 20 creates a separate hidden class for each, which is slow and retains memory.
 */
async function addEntries(
  { operation, options }: NodeCall,
  sequence: MessageSequence,
  entries: readonly unknown[],
  part: Pick<SequenceMessage, "statusCode" | "fxdesk">,
): Promise<void> {
  const slice = new TimeSlice();
  for (const content of entries) {
    if (options.signal?.aborted) throw abortedListError(operation);
    sequence.add({ content, ...part });
    if (slice.isOver) await slice.next();
  }
}

/** Sends one message per entry of all pages, in a sequence. `msg.fxdesk.list` names the list if a page has several. */
async function sendEachListEntry(call: NodeCall): Promise<SentSummary> {
  const sequence = new MessageSequence(call);
  const paths = listPathsIn(call.operation);
  const summary = await forEachPage(call, async ({ body, status: statusCode }, details) => {
    for (const path of paths) {
      const fxdesk = paths.length > 1 ? { ...details, list: path.join(".") } : details;
      const entries = valueAt(body, path);
      if (Array.isArray(entries)) await addEntries(call, sequence, entries, { statusCode, fxdesk });
    }
  });
  sequence.end();
  return summary;
}

/**
 * Sends one message per entry of the result list, in a sequence. `msg.fxdesk.result` holds the rest of the result. An empty
 * list sends no message.
 */
async function sendEachResultEntry(call: NodeCall): Promise<SentSummary> {
  const response = await callService(call);
  const { status: statusCode, body } = response;
  const { entries, rest: result } = extractResultList(call.operation, body)!;
  const sequence = new MessageSequence(call, entries.length);
  await addEntries(call, sequence, entries, {
    statusCode,
    fxdesk: { ...responseMetadata(call, response), result },
  });
  sequence.end();
  return { body, statusCode, entries: entries.length };
}

/** Conversion of a paged list to messages. */
export type PageMode = "one" | "all" | "each" | "items";

const pageModes: Readonly<Record<PageMode, CallAndSend>> = {
  one: sendOnePage,
  all: sendAllPages,
  each: sendEachPage,
  items: sendEachListEntry,
};

/** Returns the function of a mode. Throws InvalidInput for an unknown mode, which a flow edited by hand may contain. */
function requirePageMode(operation: Callable, pages: PageMode): CallAndSend {
  if (Object.hasOwn(pageModes, pages)) return pageModes[pages];
  const message = `must be one of ${Object.keys(pageModes).join(", ")}, not ${JSON.stringify(pages)}`;
  throw invalidInputError(operation, [{ field: "pages", message }]);
}

/** Conversion of a result with a result list to messages. */
export type ResultListMode = "whole" | "each";

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
