/** From what was received to the response of a call. */
import { pipeline, type Readable } from "node:stream";
import type { Problem } from "../operations/check";
import { decoded, inflated, inflatedStream, type Text } from "../transport/content";
import { Ended } from "../transport/deadline";
import { TransportError } from "../transport/error";
import { FileBody, type Headers, type Received } from "../transport/exchange";
import { retryAfterMs } from "../transport/retry";
import type { Reply } from "./reply";
import type { Connection } from "./connection";
import { failureOf, refusalError, serviceMessage, unreadable } from "./failure";
import { FileContent, receivedFile } from "./file";
import { type Journey, largestBytes } from "./journey";
import { readResponse, totalOf } from "./response";

const text = (value: unknown) => (typeof value === "string" ? value : undefined);

/** Headers without secrets; the same object where none holds one. */
function withoutSecrets(headers: Headers, cut: (text: string) => string): Headers {
  const cutAll = (value: string | string[] | undefined) =>
    typeof value === "string" ? cut(value) : value?.map(cut);
  for (const name in headers)
    if (String(cutAll(headers[name])) !== String(headers[name]))
      return Object.fromEntries(Object.entries(headers).map(([key, value]) => [key, cutAll(value)]));
  return headers;
}

/** The text of a body, without the secrets of the connection. */
function textOf(
  journey: Journey,
  body: Buffer,
  headers: Headers,
  { secrets }: Connection,
): Text | Promise<Text> {
  const { call, deadline } = journey;
  const plain = (bytes: Buffer): Text => {
    const content = decoded(bytes, text(headers["content-type"]));
    return { ...content, text: secrets.cut(content.text) };
  };
  const fail = (error: unknown): never => {
    if (error instanceof Ended) throw error;
    throw unreadable(call.operation, (error as Error).message, journey, error);
  };
  try {
    const bytes = inflated(body, text(headers["content-encoding"]), largestBytes);
    return bytes instanceof Promise ? deadline.race(bytes).then(plain).catch(fail) : plain(bytes);
  } catch (error) {
    return fail(error);
  }
}

/** What an error body says; nothing where it cannot be read, for the status says enough. */
async function errorBody(
  journey: Journey,
  body: Buffer,
  headers: Headers,
  connection: Connection,
): Promise<unknown> {
  try {
    return JSON.parse((await textOf(journey, body, headers, connection)).text);
  } catch {
    return undefined;
  }
}

/** A file without its coding. One in a coding that is not read gives its connection back. */
function inflatedFile(journey: Journey, file: FileBody, headers: Headers): Readable {
  try {
    return inflatedStream(file, text(headers["content-encoding"]));
  } catch (error) {
    file.destroy();
    throw unreadable(journey.call.operation, (error as Error).message, journey, error);
  }
}

/** The file as it arrives. The call's time is up when it has not arrived by then. */
function fileContent(
  journey: Journey,
  file: FileBody,
  headers: Headers,
  { secrets }: Connection,
): FileContent {
  const { call, deadline } = journey;
  const stream = inflatedFile(journey, file, headers);
  const explain = (error: Error) => {
    const ended =
      error instanceof Ended ? error : new TransportError(secrets.cutError(error), true, journey.status);
    return failureOf(call.operation, ended, journey);
  };
  const content = new FileContent(secrets, explain);
  deadline.follow((reason) => content.destroy(reason));
  content.once("close", () => {
    deadline.release();
    journey.permit();
  });
  pipeline(stream, content, () => undefined);
  return content;
}

/** Looks for what differs from the contract when somebody asks: mostly nobody does, and it takes as long as reading. */
class CheckedReply implements Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly total: number | undefined;
  readonly requestId: string | undefined;
  readonly attempts: number;
  readonly body: unknown;
  #problems: readonly Problem[] | undefined;
  readonly #find: () => readonly Problem[];

  constructor(reply: Omit<Reply, "problems">, find: () => readonly Problem[]) {
    this.status = reply.status;
    this.headers = reply.headers;
    this.total = reply.total;
    this.requestId = reply.requestId;
    this.attempts = reply.attempts;
    this.body = reply.body;
    this.#find = find;
  }

  // Not a property of its own: the engine takes longer to define one with a getter than for all the rest.
  get problems(): readonly Problem[] {
    return (this.#problems ??= this.#find());
  }
}

/** Reads a response. Throws the error for a status that is not documented as a success, and for a body that cannot be. */
export async function read(journey: Journey, received: Received, connection: Connection): Promise<Reply> {
  const { call, attempts, deadline } = journey;
  const { operation } = call;
  const { status, body: raw } = received;
  const { secrets, service } = connection;
  const headers = withoutSecrets(received.headers, (value) => secrets.cut(value));
  if (service.requestIdHeader)
    journey.requestId = text(headers[service.requestIdHeader.toLowerCase()]) ?? journey.requestId;
  const { requestId } = journey;
  const total = totalOf(operation, headers);
  if (raw instanceof FileBody) {
    const body = receivedFile(operation.name, headers, fileContent(journey, raw, headers, connection));
    return { status, headers, total, requestId, attempts, body, problems: [] };
  }
  const answer = operation.answers[status];
  if (!answer) {
    const wait = retryAfterMs(headers["retry-after"], Date.now());
    const said = serviceMessage(await errorBody(journey, raw, headers, connection), service.errorBodies);
    throw refusalError(operation, { status, service: said, requestId, retryAfterMs: wait, attempts });
  }
  const pending = textOf(journey, raw, headers, connection);
  const content = pending instanceof Promise ? await pending : pending;
  journey.permit();
  deadline.release();
  const { body, problems } = readResponse(operation, answer, { status, headers, content }, journey);
  return new CheckedReply({ status, headers, total, requestId, attempts, body }, problems);
}
