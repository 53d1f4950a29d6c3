/** Converts the received response to the result of a call. */
import { pipeline, type Readable } from "node:stream";
import { decodeText, decompress, decompressStream, type DecodedText } from "../http/content-decoding";
import { type Deadline, DeadlineEnded } from "../http/deadline";
import { TransportError } from "../http/transport-errors";
import type { Permit } from "../http/pacing";
import type { Secrets } from "../http/secrets";
import { FileBody, type Headers, type RawResponse } from "../http/exchange";
import { retryAfterMs } from "../http/backoff";
import type { ServiceResponse } from "./response";
import type { ClientContext } from "./client-context";
import { toFxdeskError, toResponseError, unreadableResponseError } from "./call-errors";
import { parseServiceMessage } from "./service-messages";
import type { SendProgress } from "./middleware";
import type { PreparedCall } from "./prepared-call";
import { RedactedFileStream, createReceivedFile } from "./received-file";
import { readBody, type ResponseContent, type TextResponse, parseTotal } from "./response-body";
import type { Violation } from "../spec/errors";

/** Limit for decompressed response text. Parsing more would block the process for too long. */
export const maxResponseBytes = 32 * 1024 * 1024;

/** The call whose response is read. */
export interface PendingCall {
  readonly call: PreparedCall;
  readonly deadline: Deadline;
  readonly progress: SendProgress;
  /** Released once the response is complete; for a file, once its transfer is. */
  readonly permit: Permit;
}

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
async function decodeBody(
  { call, deadline, progress }: PendingCall,
  body: Buffer,
  headers: Headers,
  { secrets }: ClientContext,
): Promise<DecodedText> {
  const encoding = stringOrUndefined(headers["content-encoding"]);
  try {
    // Most bodies are not encoded, and need no race against the deadline.
    const bytes =
      encoding === undefined ? body : await deadline.race(decompress(body, encoding, maxResponseBytes));
    const content = decodeText(bytes, stringOrUndefined(headers["content-type"]));
    const redacted = secrets.redact(content.text);
    if (redacted === content.text) return content;
    const problems = [content.problem, "contained a secret of the connection, which was removed"];
    return { ...content, text: redacted, problem: problems.filter(Boolean).join("; ") };
  } catch (error) {
    if (error instanceof DeadlineEnded) throw error;
    throw unreadableResponseError(call.operation, (error as Error).message, progress, error);
  }
}

/** Returns a parsed error body, or undefined if it is unreadable: the status is enough then. */
async function readErrorBody(
  pending: PendingCall,
  body: Buffer,
  headers: Headers,
  context: ClientContext,
): Promise<unknown> {
  try {
    return JSON.parse((await decodeBody(pending, body, headers, context)).text);
  } catch {
    return undefined;
  }
}

/** Decompresses a file. An unknown coding destroys the stream, which releases the connection. */
function decompressFile(pending: PendingCall, file: FileBody, headers: Headers): Readable {
  try {
    return decompressStream(file, stringOrUndefined(headers["content-encoding"]));
  } catch (error) {
    file.destroy();
    throw unreadableResponseError(pending.call.operation, (error as Error).message, pending.progress, error);
  }
}

/** Returns the file as a stream. The time limit of the call includes its transfer. */
function createFileStream(
  pending: PendingCall,
  file: FileBody,
  headers: Headers,
  { secrets }: ClientContext,
): RedactedFileStream {
  const { call, deadline, progress, permit } = pending;
  const stream = decompressFile(pending, file, headers);
  const toError = (error: Error) => {
    const failure =
      error instanceof DeadlineEnded
        ? error
        : new TransportError(secrets.redactError(error), true, progress.status);
    return toFxdeskError(call.operation, failure, progress);
  };
  const content = new RedactedFileStream(secrets, toError);
  deadline.setCancel((reason) => void content.destroy(reason));
  content.once("close", () => {
    deadline.release();
    permit.release();
  });
  pipeline(stream, content, () => undefined);
  return content;
}

/**
 * Compares the body with the contract on first access: most callers never ask, and it takes as long as parsing. A class,
 * because a response as an object literal with closures leaves 2,722 bytes a call to the garbage collector instead of 471.
 */
class CheckedResponse implements ServiceResponse {
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
    { requestId, attempts }: SendProgress,
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

/** Reads a response. Throws for an undocumented status and for an unreadable body. */
export async function readResponse(
  pending: PendingCall,
  { status, headers: rawHeaders, body: raw }: RawResponse,
  context: ClientContext,
): Promise<ServiceResponse> {
  const { progress, permit } = pending;
  const { operation } = pending.call;
  const { secrets, service } = context;
  const headers = redactHeaders(rawHeaders, secrets);
  if (service.requestIdHeader)
    progress.requestId =
      stringOrUndefined(headers[service.requestIdHeader.toLowerCase()]) ?? progress.requestId;
  const { attempts, requestId } = progress;
  const total = parseTotal(operation, headers);
  if (raw instanceof FileBody) {
    const stream = createFileStream(pending, raw, headers, context);
    const body = createReceivedFile(operation.name, headers, stream);
    return { status, headers, total, requestId, attempts, body, violations: [] };
  }
  const declared = operation.responses[status];
  if (!declared) {
    const serviceError = parseServiceMessage(
      await readErrorBody(pending, raw, headers, context),
      service.errorBodies,
    );
    throw toResponseError(operation, {
      status,
      service: serviceError,
      advice: serviceError && service.advice?.[serviceError.code],
      requestId,
      retryAfterMs: retryAfterMs(headers["retry-after"], Date.now()),
      attempts,
    });
  }
  const content = await decodeBody(pending, raw, headers, context);
  // The response is complete; parsing it needs no permit.
  permit.release();
  const received: TextResponse = { status, headers, content };
  return new CheckedResponse(progress, received, total, readBody(operation, declared, received, progress));
}
