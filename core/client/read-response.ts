/** From what was received to the response of a call. */
import { pipeline, type Readable } from "node:stream";
import type { ResponseDeclaration } from "../declaration/operation";
import { decodeText, decompress, decompressStream, type DecodedText } from "../transport/content-decoding";
import { DeadlineEnded } from "../transport/deadline";
import { TransportError } from "../transport/transport-errors";
import type { Secrets } from "../credentials/secrets";
import { FileBody, type Headers, type RawResponse } from "../transport/exchange";
import { retryAfterMs } from "../transport/backoff";
import type { ServiceResponse } from "./response";
import type { ClientContext } from "./client-context";
import { toFxdeskError, toResponseError, unreadableResponseError } from "./call-errors";
import { parseServiceMessage } from "./service-messages";
import { RedactedFileStream, createReceivedFile } from "./received-file";
import { type CallContext, maxResponseBytes } from "./call-context";
import { readBody, type ResponseContent, type TextResponse, parseTotal } from "./response-body";
import type { Violation } from "../declaration/violation";

const stringOrUndefined = (value: unknown) => (typeof value === "string" ? value : undefined);

/** Headers without secrets; the same object where none holds one, as is mostly so. */
function redactHeaders(headers: Headers, secrets: Secrets): Headers {
  let all = "";
  for (const name in headers) all += `${name}: ${String(headers[name])}\n`;
  if (secrets.redact(all) === all) return headers;
  const redacted = Object.entries(headers).map(([name, value]) => [
    secrets.redact(name),
    typeof value === "string" ? secrets.redact(value) : value?.map((each) => secrets.redact(each)),
  ]);
  return Object.fromEntries(redacted) as Headers;
}

/** The text of a body, without the secrets of the connection. */
function decodeBody(
  callContext: CallContext,
  body: Buffer,
  headers: Headers,
  { secrets }: ClientContext,
): DecodedText | Promise<DecodedText> {
  const { call, deadline } = callContext;
  const decode = (bytes: Buffer): DecodedText => {
    const content = decodeText(bytes, stringOrUndefined(headers["content-type"]));
    const redacted = secrets.redact(content.text);
    if (redacted === content.text) return content;
    const problems = [content.problem, "held a secret of the connection, which is not shown"];
    return { ...content, text: redacted, problem: problems.filter(Boolean).join("; ") };
  };
  const fail = (error: unknown): never => {
    if (error instanceof DeadlineEnded) throw error;
    throw unreadableResponseError(call.operation, (error as Error).message, callContext, error);
  };
  try {
    const bytes = decompress(body, stringOrUndefined(headers["content-encoding"]), maxResponseBytes);
    return bytes instanceof Promise ? deadline.race(bytes).then(decode).catch(fail) : decode(bytes);
  } catch (error) {
    return fail(error);
  }
}

/** What an error body says; nothing where it cannot be read, for the status says enough. */
async function readErrorBody(
  callContext: CallContext,
  body: Buffer,
  headers: Headers,
  context: ClientContext,
): Promise<unknown> {
  try {
    return JSON.parse((await decodeBody(callContext, body, headers, context)).text);
  } catch {
    return undefined;
  }
}

/** A file without its coding. One in a coding that is not read gives its connection back. */
function decompressFile(callContext: CallContext, file: FileBody, headers: Headers): Readable {
  try {
    return decompressStream(file, stringOrUndefined(headers["content-encoding"]));
  } catch (error) {
    file.destroy();
    throw unreadableResponseError(callContext.call.operation, (error as Error).message, callContext, error);
  }
}

/** The file as it arrives. The call's time is up when it has not arrived by then. */
function createFileStream(
  callContext: CallContext,
  file: FileBody,
  headers: Headers,
  { secrets }: ClientContext,
): RedactedFileStream {
  const { call, deadline } = callContext;
  const stream = decompressFile(callContext, file, headers);
  const toError = (error: Error) => {
    const failure =
      error instanceof DeadlineEnded
        ? error
        : new TransportError(secrets.redactError(error), true, callContext.status);
    return toFxdeskError(call.operation, failure, callContext);
  };
  const content = new RedactedFileStream(secrets, toError);
  deadline.setCancel((reason) => void content.destroy(reason));
  content.once("close", () => {
    deadline.release();
    callContext.permit?.release();
  });
  pipeline(stream, content, () => undefined);
  return content;
}

/** Looks for what differs from the contract when somebody asks: mostly nobody does, and it takes as long as reading. */
class LazilyCheckedResponse implements ServiceResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly total: number | undefined;
  readonly requestId: string | undefined;
  readonly attempts: number;
  readonly body: unknown;
  #violations: readonly Violation[] = [];
  /** Holds the text; undefined once it has looked. */
  #findViolations: (() => readonly Violation[]) | undefined;

  constructor(
    { requestId, attempts }: CallContext,
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
    this.#findViolations = violations;
  }

  // Not a property of its own: the engine takes longer to define one with a getter than for all the rest.
  get violations(): readonly Violation[] {
    if (this.#findViolations) {
      this.#violations = this.#findViolations();
      this.#findViolations = undefined;
    }
    return this.#violations;
  }
}

/**
 * Reads a response. Throws the error for a status that is not documented as a success, and for a body that cannot be. Mostly
 * there is nothing to wait for.
 */
export function readResponse(
  callContext: CallContext,
  received: RawResponse,
  context: ClientContext,
): ServiceResponse | Promise<ServiceResponse> {
  const { call, attempts } = callContext;
  const { operation } = call;
  const { status, body: raw } = received;
  const { secrets, service } = context;
  const headers = redactHeaders(received.headers, secrets);
  if (service.requestIdHeader)
    callContext.requestId =
      stringOrUndefined(headers[service.requestIdHeader.toLowerCase()]) ?? callContext.requestId;
  if (raw instanceof FileBody) {
    const { requestId } = callContext;
    const total = parseTotal(operation, headers);
    const body = createReceivedFile(
      operation.name,
      headers,
      createFileStream(callContext, raw, headers, context),
    );
    return { status, headers, total, requestId, attempts, body, violations: [] };
  }
  const response = operation.responses[status];
  if (!response) return throwResponseError(callContext, { status, headers, body: raw }, context);
  const content = decodeBody(callContext, raw, headers, context);
  return content instanceof Promise
    ? content.then((decodedContent) =>
        toCheckedResponse(callContext, response, { status, headers, content: decodedContent }),
      )
    : toCheckedResponse(callContext, response, { status, headers, content });
}

/** Throws the error that a status stands for, with what its body says. */
async function throwResponseError(
  callContext: CallContext,
  { status, headers, body }: { status: number; headers: Headers; body: Buffer },
  context: ClientContext,
): Promise<never> {
  const { call, attempts, requestId } = callContext;
  const { service } = context;
  const content = await readErrorBody(callContext, body, headers, context);
  const serviceError = parseServiceMessage(content, service.errorBodies);
  throw toResponseError(call.operation, {
    status,
    service: serviceError,
    advice: serviceError && service.advice?.[serviceError.code],
    requestId,
    retryAfterMs: retryAfterMs(headers["retry-after"], Date.now()),
    attempts,
  });
}

/** A response that is here to its end: nothing waits for it any longer. */
function toCheckedResponse(
  callContext: CallContext,
  declared: ResponseDeclaration,
  received: TextResponse,
): ServiceResponse {
  const { operation } = callContext.call;
  callContext.permit?.release();
  callContext.deadline.release();
  const content = readBody(operation, declared, received, callContext);
  return new LazilyCheckedResponse(callContext, received, parseTotal(operation, received.headers), content);
}
