/** From the bytes of a response to its text: inflated within a limit, and decoded. */
import { isUtf8 } from "node:buffer";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream";
import { promisify } from "node:util";
import * as zlib from "node:zlib";
import { tooLargeError } from "./exchange";

interface ContentCoding {
  sync(bytes: Buffer, options: zlib.ZlibOptions): Buffer;
  async(bytes: Buffer, options: zlib.ZlibOptions): Promise<Buffer>;
  stream(): NodeJS.ReadWriteStream & Readable;
}

const gzip: ContentCoding = {
  sync: zlib.gunzipSync,
  async: promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip),
  stream: zlib.createGunzip,
};

const contentCodings: Readonly<Record<string, ContentCoding>> = {
  gzip,
  "x-gzip": gzip,
  deflate: {
    sync: zlib.inflateSync,
    async: promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflate),
    stream: zlib.createInflate,
  },
  br: {
    sync: zlib.brotliDecompressSync,
    async: promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress),
    stream: zlib.createBrotliDecompress,
  },
};

/** What is read; the weights are for servers that would rather compress files than lists. */
export const acceptedEncodings = "gzip, deflate, br";

/** From this many bytes on, other calls are not kept waiting while a body is inflated. */
const asyncThresholdBytes = 256 * 1024;

function findCoding(encoding: string | undefined): ContentCoding | undefined {
  const name = encoding?.trim().toLowerCase();
  if (!name || name === "identity") return undefined;
  const coding = contentCodings[name];
  if (!coding) throw new Error(`The response is encoded as ${name}, which is not read here.`);
  return coding;
}

/** The bytes of a body as the service meant them. Throws TooLarge for a body that inflates beyond the limit. */
export function decompress(bytes: Buffer, encoding: string | undefined, maxBytes: number) {
  // Where there is no body, some servers name a coding nevertheless.
  if (bytes.length === 0) return bytes;
  const coding = findCoding(encoding);
  if (!coding) return bytes;
  const options = { maxOutputLength: maxBytes };
  const throwExplained = (error: NodeJS.ErrnoException): never => {
    throw error.code === "ERR_BUFFER_TOO_LARGE" ? tooLargeError(maxBytes) : error;
  };
  if (bytes.length >= asyncThresholdBytes) return coding.async(bytes, options).catch(throwExplained);
  try {
    return coding.sync(bytes, options);
  } catch (error) {
    return throwExplained(error as NodeJS.ErrnoException);
  }
}

/** The same for a file, while it arrives. */
export function decompressStream(stream: Readable, encoding: string | undefined): Readable {
  const coding = findCoding(encoding);
  if (!coding) return stream;
  const decompressed = coding.stream();
  decompressed.on("error", () => undefined);
  return pipeline(stream, decompressed, () => undefined) as unknown as Readable;
}

export interface DecodedText {
  readonly text: string;
  /** What it was made of, where its digits and signs are those of ASCII. */
  readonly bytes?: Buffer;
  /** What could not be read as it was meant. */
  readonly problem?: string;
}

/** The sixteenth to twentieth row of windows-1252, in which Node.js 20 reads what is in ISO 8859-1. */
const windows1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

const westernCharsets = new Set([
  "windows-1252",
  "cp1252",
  "iso-8859-1",
  "iso8859-1",
  "latin1",
  "us-ascii",
  "ascii",
]);

/** The text of a body, by the charset of its media type; UTF-8 where it names none. */
export function decodeText(bytes: Buffer, contentType: string | undefined): DecodedText {
  const charset = contentType?.includes("charset") ? parseCharset(contentType) : undefined;
  if (charset === undefined || charset === "utf-8" || charset === "utf8") return decodeUtf8(bytes);
  if (westernCharsets.has(charset))
    return {
      text: bytes.toString("latin1").replace(/[\x80-\x9f]/g, (c) => windows1252[c.charCodeAt(0) - 0x80]!),
    };
  try {
    return { text: new TextDecoder(resolveByteOrder(charset, bytes), { fatal: true }).decode(bytes) };
  } catch {
    return { text: decodeUtf8(bytes).text, problem: `cannot be read as ${charset}, and was read as UTF-8` };
  }
}

const parseCharset = (contentType: string) =>
  /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1]?.toLowerCase();

/** UTF-16 says by its first character which byte of a character comes first. */
const resolveByteOrder = (charset: string, bytes: Buffer) =>
  charset === "utf-16" && bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : charset;

function decodeUtf8(bytes: Buffer): DecodedText {
  const text = bytes.toString("utf8", bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0);
  return isUtf8(bytes) ? { text, bytes } : { text, bytes, problem: "is not UTF-8: some characters are lost" };
}
