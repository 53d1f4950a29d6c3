/** From what was received to the response of a call. */
import { pipeline, type Readable } from "node:stream";
import type { ResponseDeclaration } from "../declaration/operation";
import { decoded, inflated, inflatedStream, type Text } from "../transport/content";
import { DeadlineEnded } from "../transport/deadline";
import { TransportError } from "../transport/error";
import type { Secrets } from "../credentials/secrets";
import { FileBody, type Headers, type RawResponse } from "../transport/exchange";
import { retryAfterMs } from "../transport/backoff";
import type { ServiceResponse } from "./response";
import type { Connection } from "./connection";
import { errorFrom, errorOfResponse, unreadableResponse } from "./call-errors";
import { serviceMessage } from "./service-messages";
import { FileContent, receivedFile } from "./file";
import { type CallState, largestBytes } from "./call-state";
import { readBody, type ResponseContent, type TextResponse, totalOf } from "./response-body";
import type { Violation } from "../declaration/violation";

const text = (value: unknown) => (typeof value === "string" ? value : undefined);

/** Headers without secrets; the same object where none holds one, as is mostly so. */
function withoutSecrets(headers: Headers, secrets: Secrets): Headers {
  let all = "";
  for (const name in headers) all += `${name}: ${String(headers[name])}\n`;
  if (secrets.redact(all) === all) return headers;
  const shown = Object.entries(headers).map(([name, value]) => [
    secrets.redact(name),
    typeof value === "string" ? secrets.redact(value) : value?.map((each) => secrets.redact(each)),
  ]);
  return Object.fromEntries(shown) as Headers;
}

/** The text of a body, without the secrets of the connection. */
function textOf(
  state: CallState,
  body: Buffer,
  headers: Headers,
  { secrets }: Connection,
): Text | Promise<Text> {
  const { call, deadline } = state;
  const plain = (bytes: Buffer): Text => {
    const content = decoded(bytes, text(headers["content-type"]));
    const shown = secrets.redact(content.text);
    if (shown === content.text) return content;
    const doubts = [content.doubt, "held a secret of the connection, which is not shown"];
    return { ...content, text: shown, doubt: doubts.filter(Boolean).join("; ") };
  };
  const fail = (error: unknown): never => {
    if (error instanceof DeadlineEnded) throw error;
    throw unreadableResponse(call.operation, (error as Error).message, state, error);
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
  state: CallState,
  body: Buffer,
  headers: Headers,
  connection: Connection,
): Promise<unknown> {
  try {
    return JSON.parse((await textOf(state, body, headers, connection)).text);
  } catch {
    return undefined;
  }
}

/** A file without its coding. One in a coding that is not read gives its connection back. */
function inflatedFile(state: CallState, file: FileBody, headers: Headers): Readable {
  try {
    return inflatedStream(file, text(headers["content-encoding"]));
  } catch (error) {
    file.destroy();
    throw unreadableResponse(state.call.operation, (error as Error).message, state, error);
  }
}

/** The file as it arrives. The call's time is up when it has not arrived by then. */
function fileContent(
  state: CallState,
  file: FileBody,
  headers: Headers,
  { secrets }: Connection,
): FileContent {
  const { call, deadline } = state;
  const stream = inflatedFile(state, file, headers);
  const explain = (error: Error) => {
    const ended =
      error instanceof DeadlineEnded
        ? error
        : new TransportError(secrets.redactError(error), true, state.status);
    return errorFrom(call.operation, ended, state);
  };
  const content = new FileContent(secrets, explain);
  deadline.stepBegins((reason) => void content.destroy(reason));
  content.once("close", () => {
    deadline.release();
    state.permit?.release();
  });
  pipeline(stream, content, () => undefined);
  return content;
}

/** Looks for what differs from the contract when somebody asks: mostly nobody does, and it takes as long as reading. */
class CheckedResponse implements ServiceResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly total: number | undefined;
  readonly requestId: string | undefined;
  readonly attempts: number;
  readonly body: unknown;
  #violations: readonly Violation[] = [];
  /** Holds the text; undefined once it has looked. */
  #find: (() => readonly Violation[]) | undefined;

  constructor(
    { requestId, attempts }: CallState,
    { status, headers }: TextResponse,
    total: number | undefined,
    { body, violations }: ResponseContent,
  ) {
    this.status = status;
    this.headers = headers;
    this.total = total;
    this.requestId = requestId;
    this.attempts = attempts;
    this.body = body;
    this.#find = violations;
  }

  // Not a property of its own: the engine takes longer to define one with a getter than for all the rest.
  get violations(): readonly Violation[] {
    if (this.#find) {
      this.#violations = this.#find();
      this.#find = undefined;
    }
    return this.#violations;
  }
}

/**
 * Reads a response. Throws the error for a status that is not documented as a success, and for a body that cannot be. Mostly
 * there is nothing to wait for.
 */
export function readResponse(
  state: CallState,
  received: RawResponse,
  connection: Connection,
): ServiceResponse | Promise<ServiceResponse> {
  const { call, attempts } = state;
  const { operation } = call;
  const { status, body: raw } = received;
  const { secrets, service } = connection;
  const headers = withoutSecrets(received.headers, secrets);
  if (service.requestIdHeader)
    state.requestId = text(headers[service.requestIdHeader.toLowerCase()]) ?? state.requestId;
  if (raw instanceof FileBody) {
    const { requestId } = state;
    const total = totalOf(operation, headers);
    const body = receivedFile(operation.name, headers, fileContent(state, raw, headers, connection));
    return { status, headers, total, requestId, attempts, body, violations: [] };
  }
  const response = operation.responses[status];
  if (!response) return refused(state, { status, headers, body: raw }, connection);
  const content = textOf(state, raw, headers, connection);
  return content instanceof Promise
    ? content.then((whole) => checked(state, response, { status, headers, content: whole }))
    : checked(state, response, { status, headers, content });
}

/** Throws the error that a status stands for, with what its body says. */
async function refused(
  state: CallState,
  { status, headers, body }: { status: number; headers: Headers; body: Buffer },
  connection: Connection,
): Promise<never> {
  const { call, attempts, requestId } = state;
  const { service } = connection;
  const content = await errorBody(state, body, headers, connection);
  const serviceError = serviceMessage(content, service.errorBodies);
  throw errorOfResponse(call.operation, {
    status,
    service: serviceError,
    advice: serviceError && service.advice?.[serviceError.code],
    requestId,
    retryAfterMs: retryAfterMs(headers["retry-after"], Date.now()),
    attempts,
  });
}

/** A response that is here to its end: nothing waits for it any longer. */
function checked(state: CallState, declared: ResponseDeclaration, received: TextResponse): ServiceResponse {
  const { operation } = state.call;
  state.permit?.release();
  state.deadline.release();
  const content = readBody(operation, declared, received, state);
  return new CheckedResponse(state, received, totalOf(operation, received.headers), content);
}
