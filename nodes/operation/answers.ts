/** From the answer of the service to messages. */
import type { NodeMessage } from "node-red";
import type { Reply } from "../../core/client/reply";
import type { ClientCore } from "../../core/client/client";
import type { CallOptions } from "../../core/client/options";
import { ReceivedFile } from "../../core/client/file";
import type { Values } from "../../core/operations/check";
import type { Declaration } from "../../core/operations/declaration";

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
}

type Answers = (call: Call) => AsyncGenerator<NodeMessage, void, void>;

/** What is known of an answer beside its body. */
const told = ({ operation }: Call, { body: _body, status: _status, ...rest }: Reply) => ({
  operation: operation.name,
  ...rest,
});

async function withFile(
  msg: NodeMessage,
  file: ReceivedFile,
  saveTo: string | undefined,
): Promise<NodeMessage> {
  if (saveTo) await file.save(saveTo);
  return Object.assign(msg, {
    payload: saveTo ?? (await file.bytes()),
    filename: saveTo ?? file.fileName,
    contentType: file.contentType,
  });
}

/** The answer of one call. */
async function* single(call: Call) {
  const reply = await call.client.call(call.operation, call.input, call.options);
  const { status: statusCode, body } = reply;
  const msg = Object.assign(call.msg, { statusCode, fxdesk: told(call, reply) });
  yield body instanceof ReceivedFile
    ? await withFile(msg, body, call.saveTo)
    : Object.assign(msg, { payload: body });
}

/** A list that comes in pages has one way to succeed. */
const success = ({ answers }: Declaration): number => Number(Object.keys(answers)[0]);

/** Every entry of every page, as one message. */
async function* whole({ operation, client, input, options, msg }: Call) {
  const payload: unknown[] = [];
  let pages = 0;
  for await (const page of client.pages(operation, input, options)) {
    for (const entry of page) payload.push(entry);
    pages += 1;
  }
  yield Object.assign(msg, {
    payload,
    statusCode: success(operation),
    fxdesk: { operation: operation.name, pages },
  });
}

/**
 * A message for each page, in a sequence that a Join node puts together again. A page waits for the next one, because
 * the last message of a sequence says how many there were; an empty list is one empty page.
 */
async function* pageByPage({ operation, client, input, options, msg, copy }: Call) {
  const { parts: outer } = msg;
  const sequence = { ...(outer !== undefined && { parts: outer }), id: msg._msgid, type: "array" };
  const message = (onto: NodeMessage, payload: unknown[], index: number, count?: number) =>
    Object.assign(onto, {
      payload,
      parts: { ...sequence, index, len: payload.length, ...(count !== undefined && { count }) },
      statusCode: success(operation),
      fxdesk: { operation: operation.name },
    });
  let waiting: unknown[] | undefined;
  let index = 0;
  for await (const page of client.pages(operation, input, options)) {
    if (waiting) yield message(copy(), waiting, index++);
    waiting = page;
  }
  yield message(msg, waiting ?? [], index, index + 1);
}

/** How a list that comes in pages becomes messages. */
export type PageMode = "one" | "all" | "each";

const modes: Readonly<Record<PageMode, Answers>> = { one: single, all: whole, each: pageByPage };

/** The messages that answer a call. `mode` only counts for lists that come in pages. */
export const answersTo = (call: Call, mode: PageMode): ReturnType<Answers> =>
  (call.operation.pages ? modes[mode] : single)(call);
