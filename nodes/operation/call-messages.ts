/** From the response of the service to messages. */
import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { NodeMessage } from "node-red";
import type { ServiceResponse } from "../../core/client/response";
import type { CallOptions } from "../../core/client/call-options";
import { ReceivedFile } from "../../core/client/received-file";
import { isPaged, countEntries, hasMore, joinPages } from "../../core/client/pages";
import { listPathsIn } from "../../core/declaration/paged-lists";
import { invalidInputError } from "../../core/client/call-errors";
import { Aborted, FxdeskError } from "../../core/errors";
import { valueAt } from "../../core/schema/value-at";
import type { Callable } from "../../core/declaration/operation";
import { extractResultList } from "../../core/declaration/result-list";
import type { CallOutcome } from "./outcome-log";
import type { ResultProperty } from "./result-property";
import { TimeSlice } from "./time-slice";
import type { Values } from "../../core/declaration/fields";
import type { ClientCore } from "../../core/client/client-types";

/** The call that a node makes for one message. */
export interface NodeCall {
  readonly operation: Callable;
  readonly client: ClientCore;
  readonly input: Values;
  readonly options: CallOptions;
  /** Where a file goes; into the message when empty. */
  readonly saveTo: string | undefined;
  readonly msg: NodeMessage;
  /** A message of its own, with everything of the one that came but what the result takes the place of. */
  readonly copy: () => NodeMessage;
  readonly result: ResultProperty;
  readonly send: (msg: NodeMessage) => void;
  /** Returns when what was sent has gone on. */
  readonly gone: () => Promise<void>;
  /** Hears what became of the call, before anything is made of it. */
  readonly ended: (operation: Callable, ended: CallOutcome) => void;
}

/** What was sent. */
export interface SentSummary {
  /** Of the last response. */
  readonly body: unknown;
  readonly statusCode: number;
  /** What a file has become: its bytes, or its path. */
  readonly content?: unknown;
  /** How many entries a list had over all pages; undefined where it is no list. */
  readonly entries: number | undefined;
  /** Whether the list goes on. */
  readonly more?: boolean | undefined;
}

const abortedListError = (operation: Callable): Aborted =>
  new Aborted(`${operation.name}: The list was stopped before its end.`, {
    operation: operation.name,
    code: "aborted",
    outcome: "unknown",
  });

type CallAndSend = (call: NodeCall) => Promise<SentSummary>;

/** What is known beside the bodies, the same in every mode; of a list in pages, how many have been read and whether there are more. */
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
  // A folder that cannot be made is told by the file, which cannot be written then.
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

async function callService({ client, operation, input, options, ended }: NodeCall): Promise<ServiceResponse> {
  try {
    const response = await client.call(operation, input, options);
    ended(operation, response);
    return response;
  } catch (error) {
    if (error instanceof FxdeskError) ended(operation, error);
    throw error;
  }
}

/** How many entries a body has; undefined where it is no list and no list is its answer. */
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
  // A response without a body leaves what the flow brought.
  if (body !== undefined) result.set(msg, body);
  call.send(msg);
  return summary;
}

/** Sends every entry of every page, as one message. */
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

/** One message of a sequence, but for its number. */
interface SequenceMessage {
  readonly content: unknown;
  /** Whether a Join node makes one list of this one and those of the other messages. */
  readonly isList?: boolean;
  readonly statusCode: number;
  readonly fxdesk: object;
}

/**
 * What a Join node goes by to make one list of several: any length of more than one in the first message. That of a page
 * may be less, and the list would be another one where it has no entry, or one on each page.
 */
const joinListLength = 2;

/**
 * Messages that a Join node puts together again. Where it is not known how many there are, the last one says so: each waits
 * for the next.
 */
class MessageSequence {
  /** Of its own: the messages of a Split node share their _msgid, and a Join node would mix what is made of them. */
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

/** Reads page by page; the next one is read when what was made of the one before has gone on. */
async function forEachPage(
  call: NodeCall,
  handlePage: (response: ServiceResponse, fxdesk: object) => void | Promise<void>,
): Promise<SentSummary> {
  const { operation, client, input, options, gone } = call;
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
    // A page that is not full is the last one, where nobody counts.
    if (details.more ?? count === maxPageLength) await gone();
  }
  const { body, status: statusCode } = lastResponse!;
  return { body, statusCode, entries };
}

/** Sends a message for each page, in a sequence: a Join node makes one list of lists, and a list of objects. */
async function sendEachPage(call: NodeCall): Promise<SentSummary> {
  const sequence = new MessageSequence(call);
  const summary = await forEachPage(call, ({ body: content, status: statusCode }, fxdesk) => {
    sequence.add({ content, isList: Array.isArray(content), statusCode, fxdesk });
  });
  sequence.end();
  return summary;
}

/**
 * Adds a message for each entry to a sequence, without holding the event loop. No object of an entry begins with a spread and
 * goes on: the engine (of Node.js 20) makes a class of its own for each such object, slowly and in memory that is collected late.
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

/** Sends a message for each entry of each page, in a sequence; `msg.fxdesk.list` names the list where there are several. */
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
 * Sends a message for each entry of the list that is the answer, in a sequence; `msg.fxdesk.result` has what is told about
 * the list. An empty list is no message.
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

/** How a list that comes in pages becomes messages. */
export type PageMode = "one" | "all" | "each" | "items";

const pageModes: Readonly<Record<PageMode, CallAndSend>> = {
  one: sendOnePage,
  all: sendAllPages,
  each: sendEachPage,
  items: sendEachListEntry,
};

/** A flow that was edited by hand may name another. Throws InvalidInput. */
function requirePageMode(operation: Callable, pages: PageMode): CallAndSend {
  if (Object.hasOwn(pageModes, pages)) return pageModes[pages];
  const message = `must be one of ${Object.keys(pageModes).join(", ")}, not ${JSON.stringify(pages)}`;
  throw invalidInputError(operation, [{ field: "pages", message }]);
}

/** How a result whose answer is one of its lists becomes messages. */
export type ResultListMode = "whole" | "each";

interface SendModes {
  /** Only counts for lists that come in pages. */
  readonly pages: PageMode;
  /** Only counts for results that have rows. */
  readonly rows: ResultListMode;
}

/** Sends the messages that a call results in. */
export function callAndSend(call: NodeCall, { pages, rows }: SendModes): Promise<SentSummary> {
  const { operation } = call;
  if (isPaged(operation)) return requirePageMode(operation, pages)(call);
  return (operation.resultList !== undefined && rows === "each" ? sendEachResultEntry : sendOnePage)(call);
}
