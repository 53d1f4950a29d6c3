import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import type { Dispatcher } from "undici";

type Body = Dispatcher.ResponseData["body"];

/** A file the service sent. It arrives as it is read: consume it by one of `stream`, `bytes` and `save`. */
export class ReceivedFile {
  constructor(
    /** Media type as the service gave it. */
    readonly contentType: string,
    /** File name the service suggests; without folders. */
    readonly fileName: string | undefined,
    /** Length in bytes, when the service announced it. */
    readonly size: number | undefined,
    readonly stream: Body,
  ) {}

  async bytes(): Promise<Buffer> {
    return Buffer.from(await this.stream.arrayBuffer());
  }

  /** Writes the file to a path: whole, or not at all. */
  async save(path: string): Promise<void> {
    const partial = `${path}.part`;
    try {
      await pipeline(this.stream, createWriteStream(partial));
      await rename(partial, path);
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
  }
}

function suggestedName(disposition: string | undefined): string | undefined {
  const name = /filename="?([^";]+)"?/i.exec(disposition ?? "")?.[1];
  return name?.split(/[/\\]/).pop()?.trim() || undefined;
}

const first = (header: string | string[] | undefined) => (Array.isArray(header) ? header[0] : header);

export function receivedFile(headers: Dispatcher.ResponseData["headers"], body: Body): ReceivedFile {
  const length = first(headers["content-length"]);
  return new ReceivedFile(
    first(headers["content-type"]) ?? "application/octet-stream",
    suggestedName(first(headers["content-disposition"])),
    length === undefined ? undefined : Number(length),
    body,
  );
}
