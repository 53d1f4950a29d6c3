/** From the response of the service to messages. */
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { NodeMessage } from "node-red";
import type { ServiceResponse } from "../../core/client/response";
import type { CallOptions } from "../../core/client/call-options";
import { ReceivedFile } from "../../core/client/file";
import { comesInPages, entriesIn, hasMore, joined } from "../../core/client/pages";
import { FxdeskError } from "../../core/errors";
import type { Callable } from "../../core/declaration/operation";
import { answerOf } from "../../core/declaration/rows";
import type { CallResult } from "./outcome";
import type { Values } from "../../core/declaration/fields";
import type { ClientCore } from "../../core/client/methods";

/** The call that a node makes for one message. */
export interface NodeCall {
  readonly operation: Callable;
  readonly client: ClientCore;
  readonly input: Values;
  readonly options: CallOptions;
  /** Where a file goes; into the message when empty. */
  readonly saveTo: string | undefined;
  readonly msg: NodeMessage;
  /** A message of its own, with everything but the payload of the one that came. */
  readonly copy: () => NodeMessage;
  readonly send: (msg: NodeMessage) => void;
  /** Hears what became of the call, before anything is made of it. */
  readonly ended: (ended: CallResult) => void;
}

/** What was sent: the last message, how many entries a list had over all of them, and whether it goes on. */
export interface Delivery {
  readonly msg: NodeMessage;
  /** Of the last response. */
  readonly body: unknown;
  /** Undefined where it is no list. */
  readonly entries: number | undefined;
  readonly more?: boolean | undefined;
}

type Deliver = (call: NodeCall) => Promise<Delivery>;

/** What is known of a response beside its body. */
const metadataOf = (
  { operation }: NodeCall,
  { headers, total, requestId, attempts, violations, journal }: ServiceResponse,
) => ({
  operation: operation.name,
  headers,
  total,
  requestId,
  attempts,
  violations,
  ...(journal && { journal }),
});

async function save(file: ReceivedFile, path: string): Promise<string> {
  // A folder that cannot be made is told by the file, which cannot be written then.
  await mkdir(dirname(path), { recursive: true }).catch(() => undefined);
  await file.save(path);
  return path;
}

async function withFile(msg: NodeMessage, file: ReceivedFile, saveTo: string | undefined): Promise<void> {
  Object.assign(msg, {
    payload: saveTo ? await save(file, saveTo) : await file.bytes(),
    filename: saveTo || file.fileName,
    contentType: file.contentType,
  });
}

async function responseTo({ client, operation, input, options, ended }: NodeCall): Promise<ServiceResponse> {
  try {
    const response = await client.call(operation, input, options);
    ended(response);
    return response;
  } catch (error) {
    if (error instanceof FxdeskError) ended(error);
    throw error;
  }
}

/** How many entries a body has; undefined where it is no list and no list is its answer. */
const entriesOf = (operation: Callable, body: unknown): number | undefined =>
  answerOf(operation, body)?.rows.length ??
  (Array.isArray(body) || (operation.linkedPages && typeof body === "object")
    ? entriesIn(operation, body)
    : undefined);

/** Sends the response of one call. */
async function sendOnePage(call: NodeCall): Promise<Delivery> {
  const { operation, input } = call;
  const response = await responseTo(call);
  const { status: statusCode, body } = response;
  const more = hasMore(operation, input, response);
  const fxdesk = { ...metadataOf(call, response), ...(more !== undefined && { more }) };
  const msg = Object.assign(call.msg, { statusCode, fxdesk });
  if (body instanceof ReceivedFile) await withFile(msg, body, call.saveTo);
  // A response without a body leaves what the flow brought.
  else if (body !== undefined) msg.payload = body;
  call.send(msg);
  return { msg, body, entries: entriesOf(operation, body), more };
}

/** Sends every entry of every page, as one message. */
async function sendAllPages(call: NodeCall): Promise<Delivery> {
  const { operation, client, input, options, msg, send } = call;
  const responses: ServiceResponse[] = [];
  for await (const response of client.pages(operation, input, options)) responses.push(response);
  const response = joined(operation, responses);
  const { status: statusCode, body: payload } = response;
  const fxdesk = { ...metadataOf(call, response), pages: responses.length };
  send(Object.assign(msg, { payload, statusCode, fxdesk }));
  return { msg, body: payload, entries: entriesOf(operation, payload) };
}

/**
 * Sends a message for each page, in a sequence that a Join node puts together again: lists to one list, objects to a list of
 * them. A page waits for the next one, because the last message of a sequence says how many there were.
 */
async function sendEachPage(call: NodeCall): Promise<Delivery> {
  const { operation, client, input, options, msg, copy, send } = call;
  const { parts: outer } = msg;
  const sequence = { ...(outer !== undefined && { parts: outer }), id: msg._msgid, type: "array" };
  const sendPage = (onto: NodeMessage, response: ServiceResponse, index: number, count?: number) => {
    const { status: statusCode, body: payload } = response;
    const parts = {
      ...sequence,
      index,
      ...(Array.isArray(payload) && { len: payload.length }),
      ...(count !== undefined && { count }),
    };
    send(Object.assign(onto, { payload, parts, statusCode, fxdesk: metadataOf(call, response) }));
  };
  let waiting: ServiceResponse | undefined;
  let index = 0;
  let entries: number | undefined;
  for await (const response of client.pages(operation, input, options)) {
    if (waiting) sendPage(copy(), waiting, index++);
    waiting = response;
    const count = entriesOf(operation, response.body);
    if (count !== undefined) entries = (entries ?? 0) + count;
  }
  sendPage(msg, waiting!, index, index + 1);
  return { msg, body: waiting!.body, entries };
}

/**
 * Sends a message for each entry of the list that is the answer, in a sequence; `msg.fxdesk.result` has what is told about
 * the list. An empty list is no message.
 */
async function sendEachEntry(call: NodeCall): Promise<Delivery> {
  const { operation, msg, copy, send } = call;
  const { parts: outer } = msg;
  const response = await responseTo(call);
  const { status: statusCode, body } = response;
  const { rows, rest: result } = answerOf(operation, body)!;
  const sequence = { ...(outer !== undefined && { parts: outer }), id: msg._msgid, type: "array", len: 1 };
  for (const [index, payload] of rows.entries()) {
    const parts = { ...sequence, index, count: rows.length };
    const fxdesk = { ...metadataOf(call, response), result };
    send(Object.assign(copy(), { payload, parts, statusCode, fxdesk }));
  }
  return { msg: Object.assign(msg, { statusCode }), body, entries: rows.length };
}

/** How a list that comes in pages becomes messages. */
export type PageMode = "one" | "all" | "each";

const modes: Readonly<Record<PageMode, Deliver>> = {
  one: sendOnePage,
  all: sendAllPages,
  each: sendEachPage,
};

/** How a result whose answer is one of its lists becomes messages. */
export type RowsMode = "whole" | "each";

interface Modes {
  /** Only counts for lists that come in pages. */
  readonly pages: PageMode;
  /** Only counts for results that have rows. */
  readonly rows: RowsMode;
}

/** Sends the messages that a call results in. */
export function deliver(call: NodeCall, { pages, rows }: Modes): Promise<Delivery> {
  const { operation } = call;
  if (comesInPages(operation)) return modes[pages](call);
  return (operation.rows !== undefined && rows === "each" ? sendEachEntry : sendOnePage)(call);
}
