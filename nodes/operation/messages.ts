/** From the response of the service to messages. */
import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { NodeMessage } from "node-red";
import type { ServiceResponse } from "../../core/client/response";
import type { CallOptions } from "../../core/client/call-options";
import { ReceivedFile } from "../../core/client/file";
import { comesInPages, entriesIn, hasMore, joined } from "../../core/client/pages";
import { listPathsOf } from "../../core/declaration/listing";
import { invalidInput } from "../../core/client/call-errors";
import { Aborted, FxdeskError } from "../../core/errors";
import { valueAt } from "../../core/schema/value-at";
import type { Callable } from "../../core/declaration/operation";
import { answerOf } from "../../core/declaration/rows";
import type { CallResult } from "./outcome";
import type { ResultProperty } from "./result";
import { Slice } from "./time-slice";
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
  /** A message of its own, with everything of the one that came but what the result takes the place of. */
  readonly copy: () => NodeMessage;
  readonly result: ResultProperty;
  readonly send: (msg: NodeMessage) => void;
  /** Returns when what was sent has gone on. */
  readonly gone: () => Promise<void>;
  /** Hears what became of the call, before anything is made of it. */
  readonly ended: (operation: Callable, ended: CallResult) => void;
}

/** What was sent. */
export interface Delivery {
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

const endedEarly = (operation: Callable): Aborted =>
  new Aborted(`${operation.name}: The list was stopped before its end.`, {
    operation: operation.name,
    code: "aborted",
    outcome: "unknown",
  });

type Deliver = (call: NodeCall) => Promise<Delivery>;

/** What is known beside the bodies, the same in every mode; of a list in pages, how many have been read and whether there are more. */
function detailsOf(
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
    ...(comesInPages(operation) && { pages, ...(more !== undefined && { more }) }),
  };
}

async function save(file: ReceivedFile, path: string): Promise<string> {
  // A folder that cannot be made is told by the file, which cannot be written then.
  await mkdir(dirname(path), { recursive: true }).catch(() => undefined);
  await file.save(path);
  return path;
}

async function withFile({ msg, result, saveTo }: NodeCall, file: ReceivedFile): Promise<unknown> {
  const content = saveTo ? await save(file, saveTo) : await file.bytes();
  result.set(msg, content);
  Object.assign(msg, { filename: saveTo || file.fileName, contentType: file.contentType });
  return content;
}

async function responseTo({ client, operation, input, options, ended }: NodeCall): Promise<ServiceResponse> {
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
const entriesOf = (operation: Callable, body: unknown): number | undefined =>
  answerOf(operation, body)?.rows.length ??
  (Array.isArray(body) || (operation.linkedPages && typeof body === "object")
    ? entriesIn(operation, body)
    : undefined);

/** Sends the response of one call. */
async function sendOnePage(call: NodeCall): Promise<Delivery> {
  const { operation, msg, result } = call;
  const response = await responseTo(call);
  const { status: statusCode, body } = response;
  const fxdesk = detailsOf(call, response);
  Object.assign(msg, { statusCode, fxdesk });
  const delivery = { body, statusCode, entries: entriesOf(operation, body), more: fxdesk.more };
  if (body instanceof ReceivedFile) {
    const content = await withFile(call, body);
    call.send(msg);
    return { ...delivery, content };
  }
  // A response without a body leaves what the flow brought.
  if (body !== undefined) result.set(msg, body);
  call.send(msg);
  return delivery;
}

/** Sends every entry of every page, as one message. */
async function sendAllPages(call: NodeCall): Promise<Delivery> {
  const { operation, client, input, options, msg, result, send } = call;
  const responses: ServiceResponse[] = [];
  for await (const response of client.pages(operation, input, options)) responses.push(response);
  const response = joined(operation, responses);
  const { status: statusCode, body } = response;
  result.set(msg, body);
  send(Object.assign(msg, { statusCode, fxdesk: detailsOf(call, response, responses.length, false) }));
  return { body, statusCode, entries: entriesOf(operation, body) };
}

/** One message of a sequence, but for its number. */
interface Part {
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
const lengthOfLists = 2;

/**
 * Messages that a Join node puts together again. Where it is not known how many there are, the last one says so: each waits
 * for the next.
 */
class Sequence {
  /** Of its own: the messages of a Split node share their _msgid, and a Join node would mix what is made of them. */
  readonly #id = randomUUID();
  #waiting: Part | undefined;
  #index = 0;

  constructor(
    private readonly call: NodeCall,
    private readonly count?: number,
  ) {}

  add(part: Part): void {
    if (this.#waiting) this.#send(this.call.copy(), this.#waiting);
    this.#waiting = part;
  }

  end(): void {
    if (this.#waiting) this.#send(this.call.msg, this.#waiting, this.#index + 1);
  }

  #send(onto: NodeMessage, { content, isList, statusCode, fxdesk }: Part, count = this.count): void {
    const { parts: outer } = this.call.msg;
    const parts = {
      id: this.#id,
      type: "array",
      ...(outer !== undefined && { parts: outer }),
      index: this.#index,
      len: isList ? lengthOfLists : 1,
      ...(count !== undefined && { count }),
    };
    this.#index += 1;
    this.call.result.set(onto, content);
    this.call.send(Object.assign(onto, { parts, statusCode, fxdesk: { ...fxdesk } }));
  }
}

/** Reads page by page; the next one is read when what was made of the one before has gone on. */
async function eachPage(
  call: NodeCall,
  use: (response: ServiceResponse, fxdesk: object) => void | Promise<void>,
): Promise<Delivery> {
  const { operation, client, input, options, gone } = call;
  let last: ServiceResponse | undefined;
  let entries = 0;
  let full = 0;
  let pages = 0;
  for await (const response of client.pages(operation, input, options)) {
    last = response;
    pages += 1;
    const count = entriesIn(operation, response.body);
    entries += count;
    full = Math.max(full, count);
    const details = detailsOf(call, response, pages);
    await use(response, details);
    // A page that is not full is the last one, where nobody counts.
    if (details.more ?? count === full) await gone();
  }
  const { body, status: statusCode } = last!;
  return { body, statusCode, entries };
}

/** Sends a message for each page, in a sequence: a Join node makes one list of lists, and a list of objects. */
async function sendEachPage(call: NodeCall): Promise<Delivery> {
  const sequence = new Sequence(call);
  const delivery = await eachPage(call, ({ body: content, status: statusCode }, fxdesk) => {
    sequence.add({ content, isList: Array.isArray(content), statusCode, fxdesk });
  });
  sequence.end();
  return delivery;
}

/**
 * Adds a message for each entry to a sequence, without holding the event loop. No object of an entry begins with a spread and
 * goes on: the engine (of Node.js 20) makes a class of its own for each such object, slowly and in memory that is collected late.
 */
async function addEntries(
  { operation, options }: NodeCall,
  sequence: Sequence,
  entries: readonly unknown[],
  part: Pick<Part, "statusCode" | "fxdesk">,
): Promise<void> {
  const slice = new Slice();
  for (const content of entries) {
    if (options.signal?.aborted) throw endedEarly(operation);
    sequence.add({ content, ...part });
    if (slice.isOver) await slice.next();
  }
}

/** Sends a message for each entry of each page, in a sequence; `msg.fxdesk.list` names the list where there are several. */
async function sendEachItem(call: NodeCall): Promise<Delivery> {
  const sequence = new Sequence(call);
  const paths = listPathsOf(call.operation);
  const delivery = await eachPage(call, async ({ body, status: statusCode }, details) => {
    for (const path of paths) {
      const fxdesk = paths.length > 1 ? { ...details, list: path.join(".") } : details;
      const entries = valueAt(body, path);
      if (Array.isArray(entries)) await addEntries(call, sequence, entries, { statusCode, fxdesk });
    }
  });
  sequence.end();
  return delivery;
}

/**
 * Sends a message for each entry of the list that is the answer, in a sequence; `msg.fxdesk.result` has what is told about
 * the list. An empty list is no message.
 */
async function sendEachEntry(call: NodeCall): Promise<Delivery> {
  const response = await responseTo(call);
  const { status: statusCode, body } = response;
  const { rows, rest: result } = answerOf(call.operation, body)!;
  const sequence = new Sequence(call, rows.length);
  await addEntries(call, sequence, rows, { statusCode, fxdesk: { ...detailsOf(call, response), result } });
  sequence.end();
  return { body, statusCode, entries: rows.length };
}

/** How a list that comes in pages becomes messages. */
export type PageMode = "one" | "all" | "each" | "items";

const modes: Readonly<Record<PageMode, Deliver>> = {
  one: sendOnePage,
  all: sendAllPages,
  each: sendEachPage,
  items: sendEachItem,
};

/** A flow that was edited by hand may name another. Throws InvalidInput. */
function modeNamed(operation: Callable, pages: PageMode): Deliver {
  if (Object.hasOwn(modes, pages)) return modes[pages];
  const message = `must be one of ${Object.keys(modes).join(", ")}, not ${JSON.stringify(pages)}`;
  throw invalidInput(operation, [{ field: "pages", message }]);
}

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
  if (comesInPages(operation)) return modeNamed(operation, pages)(call);
  return (operation.rows !== undefined && rows === "each" ? sendEachEntry : sendOnePage)(call);
}
