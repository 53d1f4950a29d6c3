/** One request and its response on a line. */
import { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import type { Deadline } from "./deadline";
import { IncompleteFile, ResponseTooLarge, TransportError } from "./transport-errors";

/** What an exchange needs of the connection on which its response comes. */
export interface ResponseSource {
  /** Whether anything of the request may have left this machine. */
  readonly sent: boolean;
  /** Whether nothing more is read for now. */
  isPaused: boolean;
  /** Whether the other end has closed, or the connection has broken. */
  readonly isClosing: boolean;
  resume(): void;
  /** Told when a response has arrived and the connection may take another request. */
  readonly onFree: (() => void) | undefined;
  destroy(reason: Error): void;
}

/** A class, as are others of which every call makes one: see `Exchange`. */
export class OutgoingRequest {
  constructor(
    readonly origin: string,
    /** Path and query. */
    readonly path: string,
    readonly method: Dispatcher.HttpMethod,
    /** Names and values in turn: an object that grows is a new shape for the engine with every call. */
    readonly headers: readonly string[],
    readonly body: string | null = null,
  ) {}
}

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** A response: its body is read whole, or is a file that arrives as it is read. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer | FileBody;
}

/** How a request is sent and its response read. */
export interface SendOptions {
  /** Whether a response with this status is a file. */
  readonly isFile: (status: number) => boolean;
  /** Bytes of a body that is read whole. */
  readonly maxResponseBytes: number;
  /**
   * On a connection of its own, which the caller's signal cannot close once the request has left: an idle connection may
   * be closing at the other end, and then nobody knows whether the request was taken.
   */
  readonly useOwnConnection: boolean;
  /** On a new connection: where one that was idle broke, others may be gone as well. */
  readonly useNewConnection: boolean;
}

/**
 * Hears from undici how a request goes. What belongs to one call is made by classes, and holds no function that is written
 * inside an object or where a property is assigned: the engine takes such functions, and objects of places in the code
 * where the first ones lived long, for long-lived, and all that they point to is collected late.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  /** The status, once it is known. */
  status: number | undefined;
  #headers: Headers = {};
  #chunks: Buffer[] = [];
  #length = 0;
  #file: FileBody | undefined;
  #hasEnded = false;

  constructor(
    readonly request: OutgoingRequest,
    private readonly connection: ResponseSource,
    private readonly sendOptions: SendOptions,
    private readonly deadline: Deadline,
    /** Takes the response, or its head where it is a file. */
    private readonly resolve: (received: RawResponse) => void,
    private readonly reject: (error: TransportError) => void,
  ) {
    deadline.setCancel((reason) => this.fail(reason));
  }

  /** The head of the request leaves. */
  onHeadWritten(): void {
    if (this.sendOptions.useOwnConnection) this.deadline.setAbortable(false);
  }

  /** Nothing more is to come: closes the connection, of which undici tells once more. */
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
        "The connection closed, and the service had not said how long the file is: it may be cut.";
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

  /** What the deadline stops from here on is another step. */
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
    `The response is larger than ${Math.round(bytes / 1024 ** 2)} MB. Ask for less at a time.`,
  );

/** The body of a file, no faster than it is read. */
export class FileBody extends Readable {
  #isComplete = false;

  constructor(private readonly connection: ResponseSource) {
    super();
    // Who does not read a file hears nothing of its end; that must not end the process.
    this.on("error", () => undefined);
  }

  /** All of it is here: the line is another's from now on. */
  finish(): void {
    this.#isComplete = true;
    this.push(null);
  }

  override _read(): void {
    if (!this.#isComplete) this.connection.resume();
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    if (!this.#isComplete) this.connection.destroy(error ?? new Error("The file is not read to its end."));
    callback(error);
  }
}
