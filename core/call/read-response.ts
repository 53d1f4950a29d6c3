/** Converts the received response to the result of a call. */
import { pipeline, type Readable } from "node:stream";
import type { ResponseDeclaration } from "../spec/operation";
import { decodeText, decompress, decompressStream, type DecodedText } from "../http/content-decoding";
import { DeadlineEnded } from "../http/deadline";
import { TransportError } from "../http/transport-errors";
import type { Secrets } from "../http/secrets";
import { FileBody, type Headers, type RawResponse } from "../http/exchange";
import { retryAfterMs } from "../http/backoff";
import type { ServiceResponse } from "./response";
import type { ClientContext } from "./client-context";
import { toFxdeskError, toResponseError, unreadableResponseError } from "./call-errors";
import { parseServiceMessage } from "./service-messages";
import { RedactedFileStream, createReceivedFile } from "./received-file";
import { type CallContext, maxResponseBytes } from "./call-context";
import { readBody, type ResponseContent, type TextResponse, parseTotal } from "./response-body";
import type { Violation } from "../spec/errors";

const stringOrUndefined = (value: unknown) => (typeof value === "string" ? value : undefined);

/** Redacts secrets in headers. Returns the same object if it contains none, which is the usual case. */
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

/** Returns the text of a body with secrets redacted. */
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
    const problems = [content.problem, "contained a secret of the connection, which was removed"];
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

/** Returns a parsed error body, or undefined if it is unreadable: the status is enough then. */
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

/** Decompresses a file. An unknown coding destroys the stream, which releases the connection. */
function decompressFile(callContext: CallContext, file: FileBody, headers: Headers): Readable {
  try {
    return decompressStream(file, stringOrUndefined(headers["content-encoding"]));
  } catch (error) {
    file.destroy();
    throw unreadableResponseError(callContext.call.operation, (error as Error).message, callContext, error);
  }
}

/** Returns the file as a stream. The time limit of the call includes its transfer. */
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

/** Compares the body with the contract on first access: most callers never ask, and it takes as long as parsing. */
class LazilyCheckedResponse implements ServiceResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly total: number | undefined;
  readonly requestId: string | undefined;
  readonly attempts: number;
  readonly body: unknown;
  #violations: readonly Violation[] = [];
  /** Keeps the text alive; cleared after the first access. */
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

  // A class getter, because defining an own getter costs more than the rest of the constructor.
  get violations(): readonly Violation[] {
    if (this.#findViolations) {
      this.#violations = this.#findViolations();
      this.#findViolations = undefined;
    }
    return this.#violations;
  }
}

/**
 * Reads a response. Throws for an undocumented status and for an unreadable body. Usually synchronous, to avoid needless
 * awaits.
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

/** Throws the error for a status, with the service's messages from the body. */
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

/** Finishes a complete response and releases its permit and deadline. */
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
