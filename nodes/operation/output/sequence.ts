/** Sequences of messages for a Join node: one message per page, or per entry. */
import { randomUUID } from "node:crypto";
import type { NodeMessage } from "node-red";
import { countEntries } from "../../../core/call/pages";
import type { ServiceResponse } from "../../../core/call/response";
import { Aborted } from "../../../core/spec/errors";
import { listPathsIn } from "../../../core/spec/result-list";
import { valueAt } from "../../../core/values/json";
import { TimeSlice } from "../../shared/background-work";
import type { Entries } from "./entries";
import { type NodeCall, responseMetadata, type SentSummary } from "./node-call";

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
 * Sends a sequence of messages. If the count is not known in advance, only the last message carries it, so each message is
 * held until the next one arrives.
 */
class MessageSequence {
  /** Not derived from `_msgid`: messages of a Split node share it, and a Join node would mix their sequences. */
  readonly #id = randomUUID();
  #pending: SequenceMessage | undefined;
  #index = 0;

  constructor(
    private readonly call: NodeCall,
    private readonly send: (msg: NodeMessage) => void,
    private readonly count?: number,
  ) {}

  add(part: SequenceMessage): void {
    const { msg, result } = this.call;
    if (this.#pending) this.#send(result.copy(msg), this.#pending);
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
    this.send(Object.assign(target, { parts, statusCode, fxdesk: { ...fxdesk } }));
  }
}

type AddPage = (sequence: MessageSequence, response: ServiceResponse, fxdesk: object) => void | Promise<void>;

/** Sends a sequence page by page. Reads the next page after the following nodes have completed the messages of the last. */
async function sendPages(call: NodeCall, addPage: AddPage): Promise<SentSummary> {
  const { operation, client, input, options, send, trackSent } = call;
  const sent = trackSent();
  const sequence = new MessageSequence(call, (msg) => {
    sent.add();
    send(msg);
  });
  let statusCode = 0;
  let entries = 0;
  let maxPageLength = 0;
  let pages = 0;
  try {
    for await (const response of client.pages(operation, input, options)) {
      statusCode = response.status;
      pages += 1;
      const count = countEntries(operation, response.body);
      entries += count;
      maxPageLength = Math.max(maxPageLength, count);
      const details = responseMetadata(call, response, pages);
      await addPage(sequence, response, details);
      // Without a total count, a page with fewer entries than the largest one is the last.
      if (details.more ?? count === maxPageLength) await sent.drained(options.signal);
    }
    sequence.end();
  } finally {
    sent.end();
  }
  return { statusCode, entries };
}

/** Sends one message per page, in a sequence. A Join node concatenates pages that are lists and collects objects. */
export const sendEachPage = (call: NodeCall): Promise<SentSummary> =>
  sendPages(call, (sequence, { body: content, status: statusCode }, fxdesk) =>
    sequence.add({ content, isList: Array.isArray(content), statusCode, fxdesk }),
  );

/**
 * Adds one message per entry to a sequence without blocking the event loop. Objects per entry must not combine a leading
 * spread with further properties: V8 in Node.js 20 creates a separate hidden class for each, and a million entries would need
 * more than 60 MB at the peak.
 */
async function addEntries(
  { operation, options }: NodeCall,
  sequence: MessageSequence,
  entries: readonly unknown[],
  part: Pick<SequenceMessage, "statusCode" | "fxdesk">,
): Promise<void> {
  const slice = new TimeSlice();
  for (const content of entries) {
    if (options.signal.aborted)
      throw new Aborted(`${operation.name}: Reading the list was cancelled.`, {
        operation: operation.name,
        code: "aborted",
        outcome: "unknown",
      });
    sequence.add({ content, ...part });
    if (slice.isOver) await slice.next();
  }
}

/** Sends one message per entry of all pages, in a sequence. `msg.fxdesk.list` names the list if a page has several. */
export function sendEachListEntry(call: NodeCall): Promise<SentSummary> {
  const paths = listPathsIn(call.operation);
  return sendPages(call, async (sequence, { body, status: statusCode }, details) => {
    for (const path of paths) {
      const fxdesk = paths.length > 1 ? { ...details, list: path.join(".") } : details;
      const entries = valueAt(body, path);
      if (Array.isArray(entries)) await addEntries(call, sequence, entries, { statusCode, fxdesk });
    }
  });
}

/**
 * Sends one message per entry of a result, in a sequence. `msg.fxdesk.result` holds the rest of the result. An empty list
 * sends no message.
 */
export async function sendEachEntry(
  call: NodeCall,
  { response, fxdesk }: { readonly response: ServiceResponse; readonly fxdesk: object },
  { entries, rest: result }: Entries,
): Promise<SentSummary> {
  const { status: statusCode } = response;
  const sequence = new MessageSequence(call, call.send, entries.length);
  await addEntries(call, sequence, entries, { statusCode, fxdesk: { ...fxdesk, ...(result && { result }) } });
  sequence.end();
  return { statusCode, entries: entries.length };
}
