/** What stands behind an operation gives back. */
import type { Readable } from "node:stream";
import type { StoredFile } from "./world/stored-file";

/** A file as a response; a long one is made while it is sent. */
export interface FileResponse extends Omit<StoredFile, "bytes"> {
  readonly bytes: Buffer | Readable;
}

/** One of the documented responses. The body is what the response's kind takes: a value, text, a FileResponse or nothing. */
export interface Result {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** One of the media types in which a JSON response may come as text: the body is that text. */
  readonly asText?: string;
}
