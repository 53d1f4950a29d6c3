import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { type Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Secrets } from "../http/secrets";
import { createError, FxdeskError } from "../spec/errors";
import type { ServiceResponse } from "./response";

/** Size limit of a file held in memory. */
const maxBytesInMemory = 256 * 1024 * 1024;

/** Returns undefined for a missing path and rethrows other errors. */
function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

/** Resolves symbolic links, also if the target does not exist yet. */
async function resolveLinks(path: string): Promise<string> {
  const known = await realpath(path).catch(undefinedIfMissing);
  if (known !== undefined) return known;
  const link = await readlink(path).catch(() => undefined);
  return link === undefined ? path : resolveLinks(resolve(await realpath(dirname(path)), link));
}

/** A file streamed from the service. Consume it once, through `stream`, `bytes()` or `save()`. */
export class ReceivedFile {
  constructor(
    /** Media type from the response. */
    readonly contentType: string,
    /** File name suggested by the service, without folders. */
    readonly fileName: string | undefined,
    /** Length in bytes, if the service announced it. */
    readonly size: number | undefined,
    /** Content. Fails with an FxdeskError if the transfer is interrupted. */
    readonly stream: Readable,
    /** Operation that returned the file. */
    readonly operation: string,
  ) {}

  /** Returns the whole content, up to 256 MB. Throws an FxdeskError for larger files. */
  async bytes(): Promise<Buffer> {
    this.#assertUnread();
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of this.stream as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxBytesInMemory) throw this.#failure("The file is larger than 256 MB: save it to disk.");
      chunks.push(chunk);
    }
    return Buffer.concat(chunks, length);
  }

  /**
   * Writes the file to a path, completely or not at all. Follows symbolic links; pipes and devices are written as data arrives.
   * Returns the number of bytes written.
   */
  async save(path: string): Promise<number> {
    this.#assertUnread();
    try {
      const existing = await stat(path).catch(undefinedIfMissing);
      if (existing?.isDirectory()) throw new Error(`${path} is a folder`);
      return await (existing && !existing.isFile()
        ? this.#writeTo(path)
        : this.#replaceFile(await resolveLinks(path)));
    } catch (error) {
      // An unread stream would hold its connection.
      if (!this.stream.readableDidRead) this.stream.destroy();
      if (error instanceof FxdeskError) throw error;
      throw this.#failure(`The file could not be written (${(error as Error).message}).`, error);
    }
  }

  async #writeTo(path: string, options: { readonly flags?: string } = {}): Promise<number> {
    this.#assertUnread();
    const file = createWriteStream(path, options);
    await pipeline(this.stream, file);
    return file.bytesWritten;
  }

  async #replaceFile(path: string): Promise<number> {
    const partial = `${path}.${randomUUID()}.part`;
    try {
      const size = await this.#writeTo(partial, { flags: "wx" });
      await rename(partial, path);
      return size;
    } catch (error) {
      await rm(partial, { force: true }).catch(() => undefined);
      throw error;
    }
  }

  /** Throws if the stream was consumed before; a second read would look like an empty file. */
  #assertUnread(): void {
    if (this.stream.errored) throw this.stream.errored;
    if (this.stream.destroyed || this.stream.readableDidRead)
      throw this.#failure("The file was already read.");
  }

  #failure(message: string, cause?: unknown): FxdeskError {
    const { operation } = this;
    return createError(operation, "file", "unknown", `${operation}: ${message}`, { attempts: 1, cause });
  }
}

/** Stream that blanks secrets and converts transfer errors to FxdeskErrors. */
export class RedactedFileStream extends Transform {
  #pending: Buffer = Buffer.alloc(0);

  constructor(
    private readonly secrets: Secrets,
    private readonly toError: (error: Error) => Error,
  ) {
    super();
    // Without a listener, an error of an unread file would end the process.
    this.on("error", () => undefined);
  }

  /** Holds back the end of each chunk, because a secret may span two chunks. */
  override _transform(chunk: Buffer, _encoding: string, callback: () => void): void {
    const all = Buffer.concat([this.#pending, chunk]);
    this.secrets.blank(all);
    const ready = Math.max(0, all.length - this.secrets.maxByteLength);
    this.push(all.subarray(0, ready));
    this.#pending = all.subarray(ready);
    callback();
  }

  override _flush(callback: () => void): void {
    this.push(this.#pending);
    callback();
  }

  override destroy(error?: Error): this {
    return super.destroy(error && !(error instanceof FxdeskError) ? this.toError(error) : error);
  }
}

function parseFileName(disposition: string | undefined): string | undefined {
  const name = /filename="?([^";]+)"?/i.exec(disposition ?? "")?.[1];
  return name?.split(/[/\\]/).pop()?.trim() || undefined;
}

const firstValue = (header: string | string[] | undefined) => (Array.isArray(header) ? header[0] : header);

export function createReceivedFile(
  operation: string,
  headers: ServiceResponse["headers"],
  stream: Readable,
): ReceivedFile {
  const length = firstValue(headers["content-length"]);
  return new ReceivedFile(
    firstValue(headers["content-type"]) ?? "application/octet-stream",
    parseFileName(firstValue(headers["content-disposition"])),
    length === undefined || headers["content-encoding"] !== undefined ? undefined : Number(length),
    stream,
    operation,
  );
}
