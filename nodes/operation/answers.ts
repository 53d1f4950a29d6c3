/** From the answer of the service to messages. */
import type { NodeMessage } from "node-red";
import type { Reply } from "../../core/client/call";
import type { ClientCore } from "../../core/client/client";
import type { CallOptions } from "../../core/client/connection";
import { ReceivedFile } from "../../core/client/file";
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

/** What was sent: the last message, and how many entries a list had over all of them. */
export interface Answered {
  readonly msg: NodeMessage;
  readonly entries: number;
}

type Answers = (call: Call) => Promise<Answered>;

/** What is known of an answer beside its body. */
const told = ({ operation }: Call, { body: _body, status: _status, ...rest }: Reply) => ({
  operation: operation.name,
  ...rest,
});

async function withFile(msg: NodeMessage, file: ReceivedFile, saveTo: string | undefined): Promise<void> {
  if (saveTo) await file.save(saveTo);
  Object.assign(msg, {
    payload: saveTo ?? (await file.bytes()),
    filename: saveTo ?? file.fileName,
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

/** The answer of one call. */
async function single(call: Call): Promise<Answered> {
  const reply = await replyTo(call);
  const { status: statusCode, body } = reply;
  const msg = Object.assign(call.msg, { statusCode, fxdesk: told(call, reply) });
  if (body instanceof ReceivedFile) await withFile(msg, body, call.saveTo);
  else msg.payload = body;
  call.send(msg);
  return { msg, entries: Array.isArray(body) ? body.length : 0 };
}

/** A list that comes in pages has one way to succeed. */
const success = ({ answers }: Declaration): number => Number(Object.keys(answers)[0]);

/** Every entry of every page, as one message. */
async function whole({ operation, client, input, options, msg, send }: Call): Promise<Answered> {
  const payload: unknown[] = [];
  let pages = 0;
  for await (const page of client.pages(operation, input, options)) {
    for (const entry of page) payload.push(entry);
    pages += 1;
  }
  const fxdesk = { operation: operation.name, pages };
  send(Object.assign(msg, { payload, statusCode: success(operation), fxdesk }));
  return { msg, entries: payload.length };
}

/**
 * A message for each page, in a sequence that a Join node puts together again. A page waits for the next one, because
 * the last message of a sequence says how many there were; an empty list is one empty page.
 */
async function pageByPage({ operation, client, input, options, msg, copy, send }: Call): Promise<Answered> {
  const { parts: outer } = msg;
  const sequence = { ...(outer !== undefined && { parts: outer }), id: msg._msgid, type: "array" };
  const sendPage = (onto: NodeMessage, payload: unknown[], index: number, count?: number) =>
    send(
      Object.assign(onto, {
        payload,
        parts: { ...sequence, index, len: payload.length, ...(count !== undefined && { count }) },
        statusCode: success(operation),
        fxdesk: { operation: operation.name },
      }),
    );
  let waiting: unknown[] | undefined;
  let index = 0;
  let entries = 0;
  for await (const page of client.pages(operation, input, options)) {
    if (waiting) sendPage(copy(), waiting, index++);
    waiting = page;
    entries += page.length;
  }
  sendPage(msg, waiting ?? [], index, index + 1);
  return { msg, entries };
}

/** How a list that comes in pages becomes messages. */
export type PageMode = "one" | "all" | "each";

const modes: Readonly<Record<PageMode, Answers>> = { one: single, all: whole, each: pageByPage };

/** Sends the messages that answer a call. `mode` only counts for lists that come in pages. */
export const answer = (call: Call, mode: PageMode): Promise<Answered> =>
  (call.operation.pages ? modes[mode] : single)(call);
