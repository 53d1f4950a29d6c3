/** One HTTP exchange: a request and its response on a connection. */
import { Readable } from "node:stream";
import type { Deadline } from "./deadline";
import type { HttpConnection, OutgoingRequest, RequestHandler } from "./http-connection";
import { IncompleteFile, ResponseTooLarge, TransportError } from "./transport-errors";

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** A response. The body is buffered, or a stream for files. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer | FileBody;
}

/** Options for sending a request and reading its response. */
export interface SendOptions {
  /** Returns true if a response with this status is a file. */
  readonly isFile: (status: number) => boolean;
  /** Size limit of a buffered body. */
  readonly maxResponseBytes: number;
  /**
   * Uses a separate new connection, which the caller's signal cannot close once the request was sent. The server may be closing
   * an idle connection, and then it is unknown whether the request was received.
   */
  readonly useOwnConnection: boolean;
  /** Opens a new connection: after one idle connection failed, others may also be dead. */
  readonly useNewConnection: boolean;
}

/** undici handler of one exchange. */
export class Exchange implements RequestHandler {
  /** Status of the response, once received. */
  status: number | undefined;
  #headers: Headers = {};
  #chunks: Buffer[] = [];
  #length = 0;
  #file: FileBody | undefined;
  #hasEnded = false;

  constructor(
    readonly request: OutgoingRequest,
    private readonly connection: HttpConnection,
    private readonly sendOptions: SendOptions,
    private readonly deadline: Deadline,
    /** Called with the response; for a file when its headers are received. */
    private readonly resolve: (received: RawResponse) => void,
    private readonly reject: (error: TransportError) => void,
  ) {
    deadline.setCancel((reason) => this.fail(reason));
  }

  /** Called when the request is being written. */
  onHeadWritten(): void {
    if (this.sendOptions.useOwnConnection) this.deadline.setAbortable(false);
  }

  /** Fails the exchange and closes the connection. undici then reports the error again, which is ignored. */
  fail(reason: Error): void {
    if (this.#hasEnded) return;
    this.#settle();
    this.connection.destroy(reason);
    this.reject(new TransportError(reason, this.connection.sent, this.status));
  }

  onRequestStart(): void {}

  onResponseStart(_controller: unknown, status: number, headers: Headers): void {
    if (status < 200) return;
    this.status = status;
    this.#headers = headers;
    if (!this.sendOptions.isFile(status)) return;
    this.#file = new FileBody(this.connection);
    this.#settle();
    this.resolve({ status, headers, body: this.#file });
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    if (this.#file) {
      if (!this.#file.push(chunk)) this.connection.isPaused = true;
      return;
    }
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length > this.sendOptions.maxResponseBytes)
      this.connection.destroy(tooLargeError(this.sendOptions.maxResponseBytes));
  }

  onResponseEnd(): void {
    if (this.#file && this.connection.isClosing && this.#headers["content-length"] === undefined) {
      const message =
        "The connection closed, and the response has no content-length: the file may be incomplete.";
      this.#file.destroy(new IncompleteFile(message));
      return;
    }
    this.connection.isPaused = false;
    this.connection.onFree?.();
    if (this.#file) return this.#file.finish();
    this.#settle();
    this.resolve({ status: this.status!, headers: this.#headers, body: this.#concatBody() });
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.#file) this.#file.destroy(error);
    else this.fail(error);
  }

  /** Ends the step of the deadline. */
  #settle(): void {
    this.#hasEnded = true;
    this.deadline.clearCancel();
  }

  #concatBody(): Buffer {
    return this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks, this.#length);
  }
}

export const tooLargeError = (bytes: number): ResponseTooLarge =>
  new ResponseTooLarge(
    `The response is larger than ${Math.round(bytes / 1024 ** 2)} MB. Request less at a time.`,
  );

/** Body of a file, with backpressure. */
export class FileBody extends Readable {
  #isComplete = false;

  constructor(private readonly connection: HttpConnection) {
    super();
    // Without a listener, an error of an unread file would end the process.
    this.on("error", () => undefined);
  }

  /** Marks the file as complete; the connection may be reused. */
  finish(): void {
    this.#isComplete = true;
    this.push(null);
  }

  override _read(): void {
    if (!this.#isComplete) this.connection.resume();
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    if (!this.#isComplete) this.connection.destroy(error ?? new Error("The file was not read completely."));
    callback(error);
  }
}
