/** One request and its response on a line. */
import { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { BrokenOff, TooLarge } from "./error";

/** What an exchange needs of the connection on which its response comes. */
export interface ResponseSource {
  /** Whether nothing more is read for now. */
  isHeld: boolean;
  /** Whether the other end has closed, or the connection has broken. */
  readonly isClosing: boolean;
  readOn(): void;
  destroy(reason: Error): void;
}

export interface OutgoingRequest {
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  readonly method: Dispatcher.HttpMethod;
  /** Names and values in turn: an object that grows is a new shape for the engine with every call. */
  readonly headers: readonly string[];
  readonly body: string | null;
}

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** A response: its body is read whole, or is a file that arrives as it is read. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer | FileBody;
}

/** How a response is read. */
export interface ReadOptions {
  /** Whether a response with this status is a file. */
  readonly isFile: (status: number) => boolean;
  /** Bytes of a body that is read whole. */
  readonly largestBytes: number;
}

/** How an exchange tells its ends. */
export interface ExchangeHandler {
  /** The response, or its head where it is a file. */
  resolve(received: RawResponse): void;
  reject(error: Error): void;
  /** The whole response has arrived: the line is free. */
  done(): void;
  /** The head of the request leaves. */
  headLeaves(): void;
}

/** Hears from undici how a request goes. */
export class Exchange implements Dispatcher.DispatchHandler {
  /** The status, once it is known. */
  status: number | undefined;
  #headers: Headers = {};
  #chunks: Buffer[] = [];
  #length = 0;
  #file: FileBody | undefined;

  constructor(
    readonly request: OutgoingRequest,
    private readonly connection: ResponseSource,
    private readonly readOptions: ReadOptions,
    private readonly handler: ExchangeHandler,
  ) {}

  headLeaves(): void {
    this.handler.headLeaves();
  }

  onRequestStart(): void {}

  onResponseStart(_controller: unknown, status: number, headers: Headers): void {
    if (status < 200) return;
    this.status = status;
    this.#headers = headers;
    if (!this.readOptions.isFile(status)) return;
    this.#file = new FileBody(this.connection);
    this.handler.resolve({ status, headers, body: this.#file });
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    if (this.#file) {
      if (!this.#file.push(chunk)) this.connection.isHeld = true;
      return;
    }
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length > this.readOptions.largestBytes)
      this.connection.destroy(tooLarge(this.readOptions.largestBytes));
  }

  onResponseEnd(): void {
    if (this.#file && this.connection.isClosing && this.#headers["content-length"] === undefined) {
      const message =
        "The connection closed, and the service had not said how long the file is: it may be cut.";
      this.#file.destroy(new BrokenOff(message));
      return;
    }
    this.connection.isHeld = false;
    this.handler.done();
    if (this.#file) this.#file.end();
    else this.handler.resolve({ status: this.status!, headers: this.#headers, body: this.#whole() });
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.#file) this.#file.destroy(error);
    else this.handler.reject(error);
  }

  #whole(): Buffer {
    return this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks, this.#length);
  }
}

export const tooLarge = (bytes: number): TooLarge =>
  new TooLarge(`The response is larger than ${Math.round(bytes / 1024 ** 2)} MB. Ask for less at a time.`);

/** The body of a file, no faster than it is read. */
export class FileBody extends Readable {
  #arrived = false;

  constructor(private readonly connection: ResponseSource) {
    super();
    // Who does not read a file hears nothing of its end; that must not end the process.
    this.on("error", () => undefined);
  }

  /** All of it is here: the line is another's from now on. */
  end(): void {
    this.#arrived = true;
    this.push(null);
  }

  override _read(): void {
    if (!this.#arrived) this.connection.readOn();
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    if (!this.#arrived) this.connection.destroy(error ?? new Error("The file is not read to its end."));
    callback(error);
  }
}
