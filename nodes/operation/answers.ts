/** From the answer of the service to messages. */
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { NodeMessage } from "node-red";
import type { Reply } from "../../core/client/reply";
import type { ClientCore } from "../../core/client/client";
import type { CallOptions } from "../../core/client/options";
import { ReceivedFile } from "../../core/client/file";
import { comesInPages, entriesIn, hasMore, joined } from "../../core/client/pages";
import { FxdeskError } from "../../core/errors";
import type { Values } from "../../core/operations/check";
import type { Declaration } from "../../core/operations/declaration";
import type { Ended } from "./outcome";

/** One message on its way through a node. */
export interface Call {
  readonly operation: Declaration;
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
  readonly ended: (ended: Ended) => void;
}

/** What was sent: the last message, how many entries a list had over all of them, and whether it goes on. */
export interface Answered {
  readonly msg: NodeMessage;
  /** Of the last answer. */
  readonly body: unknown;
  /** Undefined where it is no list. */
  readonly entries: number | undefined;
  readonly more?: boolean | undefined;
}

type Answers = (call: Call) => Promise<Answered>;

/** What is known of an answer beside its body. */
const told = ({ operation }: Call, { headers, total, requestId, attempts, problems }: Reply) => ({
  operation: operation.name,
  headers,
  total,
  requestId,
  attempts,
  problems,
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

async function replyTo({ client, operation, input, options, ended }: Call): Promise<Reply> {
  try {
    const reply = await client.call(operation, input, options);
    ended(reply);
    return reply;
  } catch (error) {
    if (error instanceof FxdeskError) ended(error);
    throw error;
  }
}

/** How many entries a body has; undefined where it is no list. */
const entriesOf = (operation: Declaration, body: unknown): number | undefined =>
  Array.isArray(body) || (operation.linkedPages && typeof body === "object")
    ? entriesIn(operation, body)
    : undefined;

/** The answer of one call. */
async function single(call: Call): Promise<Answered> {
  const { operation, input } = call;
  const reply = await replyTo(call);
  const { status: statusCode, body } = reply;
  const more = hasMore(operation, input, reply);
  const fxdesk = { ...told(call, reply), ...(more !== undefined && { more }) };
  const msg = Object.assign(call.msg, { statusCode, fxdesk });
  if (body instanceof ReceivedFile) await withFile(msg, body, call.saveTo);
  // An answer without a body leaves what the flow brought.
  else if (body !== undefined) msg.payload = body;
  call.send(msg);
  return { msg, body, entries: entriesOf(operation, body), more };
}

/** Every entry of every page, as one message. */
async function whole(call: Call): Promise<Answered> {
  const { operation, client, input, options, msg, send } = call;
  const replies: Reply[] = [];
  for await (const reply of client.pages(operation, input, options)) replies.push(reply);
  const reply = joined(operation, replies);
  const { status: statusCode, body: payload } = reply;
  const fxdesk = { ...told(call, reply), pages: replies.length };
  send(Object.assign(msg, { payload, statusCode, fxdesk }));
  return { msg, body: payload, entries: entriesOf(operation, payload) };
}

/**
 * A message for each page, in a sequence that a Join node puts together again: lists to one list, objects to a list of
 * them. A page waits for the next one, because the last message of a sequence says how many there were.
 */
async function pageByPage(call: Call): Promise<Answered> {
  const { operation, client, input, options, msg, copy, send } = call;
  const { parts: outer } = msg;
  const sequence = { ...(outer !== undefined && { parts: outer }), id: msg._msgid, type: "array" };
  const sendPage = (onto: NodeMessage, reply: Reply, index: number, count?: number) => {
    const { status: statusCode, body: payload } = reply;
    const parts = {
      ...sequence,
      index,
      ...(Array.isArray(payload) && { len: payload.length }),
      ...(count !== undefined && { count }),
    };
    send(Object.assign(onto, { payload, parts, statusCode, fxdesk: told(call, reply) }));
  };
  let waiting: Reply | undefined;
  let index = 0;
  let entries: number | undefined;
  for await (const reply of client.pages(operation, input, options)) {
    if (waiting) sendPage(copy(), waiting, index++);
    waiting = reply;
    const count = entriesOf(operation, reply.body);
    if (count !== undefined) entries = (entries ?? 0) + count;
  }
  sendPage(msg, waiting!, index, index + 1);
  return { msg, body: waiting!.body, entries };
}

/** How a list that comes in pages becomes messages. */
export type PageMode = "one" | "all" | "each";

const modes: Readonly<Record<PageMode, Answers>> = { one: single, all: whole, each: pageByPage };

/** Sends the messages that answer a call. `mode` only counts for lists that come in pages. */
export const answer = (call: Call, mode: PageMode): Promise<Answered> =>
  (comesInPages(call.operation) ? modes[mode] : single)(call);
