/** Destinations for the files that procedures produce. */
import { randomUUID } from "node:crypto";
import { link, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Callable } from "../spec/operation";
import type { DeliverFile, ProducedFile } from "../spec/procedure";
import { createError, FxdeskError } from "../spec/errors";

/** Size limit of a file held in memory. */
const maxBytesInMemory = 256 * 1024 * 1024;

const chunksOf = ({ content }: ProducedFile) => (content instanceof Uint8Array ? [content] : content);

/** Returns the content of a file. Throws if it is larger than `maxBytes`. */
export async function readBytes(file: ProducedFile, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunksOf(file)) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBytes) throw new Error(`it is larger than ${maxBytes / 1024 / 1024} MB`);
  }
  return Buffer.concat(chunks, length);
}

/** Returns the content in memory, up to 256 MB per file. */
export const intoMemory: DeliverFile = async (file) => ({ content: await readBytes(file, maxBytesInMemory) });

/** Returns a file name without path separators, reserved names and excess length. */
function safeName(name: string): string {
  const plain = name
    .replace(/[\p{C}<>:"/\\|?*]+/gu, "-")
    .replace(/^[\s.]+|[\s.]+$/g, "")
    .replace(/^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i, "$1-");
  const extension = extname(plain).slice(0, 16);
  const stem = plain.slice(0, plain.length - extname(plain).length);
  return `${Array.from(stem).slice(0, 120).join("") || "file"}${extension}`;
}

const numberedName = (name: string, number: number): string => {
  if (number === 1) return name;
  const extension = extname(name);
  return `${name.slice(0, name.length - extension.length)} (${number})${extension}`;
};

const errorCodeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

/** Renames a complete file, unless the name is taken. Returns false if it is. */
async function linkIfFree(partial: string, path: string): Promise<boolean> {
  try {
    await link(partial, path);
    await rm(partial);
    return true;
  } catch (error) {
    if (errorCodeOf(error) === "EEXIST") return false;
    // File systems without hard links: reserve the name first.
    await (await open(path, "wx")).close();
    await rename(partial, path);
    return true;
  }
}

/** Moves a complete file to the first free name. */
async function moveToFreeName(partial: string, folder: string, name: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const path = join(folder, numberedName(name, number));
    if (await linkIfFree(partial, path)) return path;
  }
}

/**
 * Returns a destination that writes files to a folder, which is created if needed. Files are written completely or not at
 * all, and existing files are never replaced: a number is added to the name.
 */
export const intoFolder =
  (folder: string): DeliverFile =>
  async (file) => {
    await mkdir(folder, { recursive: true });
    const partial = join(folder, `${randomUUID()}.part`);
    try {
      // Opened here because a stream that opens the file itself may do so after a failure has removed it.
      const opened = await open(partial, "wx");
      await pipeline(chunksOf(file), opened.createWriteStream());
      return { path: await moveToFreeName(partial, folder, safeName(file.name)) };
    } catch (error) {
      await rm(partial, { force: true }).catch(() => undefined);
      throw error;
    }
  };

/** Where files are written: a folder, or one file in it. */
export interface Destination {
  readonly folder: string;
  readonly fileName?: string;
}

/**
 * Returns the destination that a path means: a folder that exists or ends with a slash, one file if the name has an
 * extension, otherwise a folder.
 */
export async function destinationOf(path: string): Promise<Destination> {
  const existing = await stat(path).catch(() => undefined);
  const isFile = !existing?.isDirectory() && !/[/\\]$/.test(path) && extname(path) !== "";
  return isFile ? { folder: dirname(path), fileName: basename(path) } : { folder: path };
}

/** Writes files to a path, as `destinationOf` describes it. */
export const intoPath =
  (path: string): DeliverFile =>
  async (file) => {
    const { folder, fileName = file.name } = await destinationOf(path);
    return intoFolder(folder)({ ...file, name: fileName });
  };

/** Converts failures of a destination to FxdeskErrors and destroys the stream of an undelivered file. */
export const withDeliveryErrors =
  (deliver: DeliverFile, { name }: Callable): DeliverFile =>
  async (file) => {
    try {
      return await deliver(file);
    } catch (error) {
      if (file.content instanceof Readable) file.content.destroy();
      if (error instanceof FxdeskError) throw error;
      const message = `${name}: ${file.name} could not be delivered (${(error as Error).message}).`;
      throw createError(name, "file", "unknown", message, { attempts: 1, cause: error });
    }
  };
