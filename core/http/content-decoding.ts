/** Decompresses response bodies within a size limit, and decodes their text. */
import { isUtf8 } from "node:buffer";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream";
import { promisify } from "node:util";
import * as zlib from "node:zlib";
import { tooLargeError } from "./exchange";

interface ContentCoding {
  sync(bytes: Buffer, options: zlib.ZlibOptions): Buffer;
  async(bytes: Buffer, options: zlib.ZlibOptions): Promise<Buffer>;
  readonly createStream: () => zlib.Unzip | zlib.BrotliDecompress;
}

/** Detects gzip and deflate. */
const unzip: ContentCoding = {
  sync: zlib.unzipSync,
  async: promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.unzip),
  createStream: zlib.createUnzip,
};

const contentCodings: Readonly<Record<string, ContentCoding>> = {
  gzip: unzip,
  "x-gzip": unzip,
  deflate: unzip,
  br: {
    sync: zlib.brotliDecompressSync,
    async: promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress),
    createStream: zlib.createBrotliDecompress,
  },
};

/** Accept-Encoding header. */
export const acceptedEncodings = "gzip, deflate, br";

/**
 * Larger bodies are decompressed on another thread, so that they do not block other calls. Smaller ones are not: a response
 * that has arrived must not miss its deadline because those threads are busy.
 */
const asyncThresholdBytes = 256 * 1024;

function findCoding(encoding: string | undefined): ContentCoding | undefined {
  const name = encoding?.trim().toLowerCase();
  if (!name || name === "identity") return undefined;
  const coding = contentCodings[name];
  if (!coding) throw new Error(`The response has the unsupported encoding ${name}.`);
  return coding;
}

/** Returns the decompressed body. Throws ResponseTooLarge beyond `maxBytes`. */
export async function decompress(
  bytes: Buffer,
  encoding: string | undefined,
  maxBytes: number,
): Promise<Buffer> {
  // Some servers send Content-Encoding without a body.
  const coding = bytes.length === 0 ? undefined : findCoding(encoding);
  if (!coding) return bytes;
  const options = { maxOutputLength: maxBytes };
  try {
    return bytes.length >= asyncThresholdBytes
      ? await coding.async(bytes, options)
      : coding.sync(bytes, options);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE" ? tooLargeError(maxBytes) : error;
  }
}

/** Decompresses a file while it is received. */
export function decompressStream(stream: Readable, encoding: string | undefined): Readable {
  const coding = findCoding(encoding);
  if (!coding) return stream;
  const decompressed = coding.createStream();
  decompressed.on("error", () => undefined);
  return pipeline(stream, decompressed, () => undefined);
}

export interface DecodedText {
  readonly text: string;
  /** Description of a decoding problem. */
  readonly problem?: string;
}

/** Code points 0x80 to 0x9f of windows-1252, which Node.js 20 decodes as ISO 8859-1. */
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

/** Decodes a body by the charset of its media type. Default: UTF-8. */
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
    return { text: decodeUtf8(bytes).text, problem: `is not valid ${charset} and was decoded as UTF-8` };
  }
}

const parseCharset = (contentType: string) =>
  /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1]?.toLowerCase();

/** The byte order mark of UTF-16 selects the byte order. */
const resolveByteOrder = (charset: string, bytes: Buffer) =>
  charset === "utf-16" && bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : charset;

function decodeUtf8(bytes: Buffer): DecodedText {
  const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
  return isUtf8(bytes) ? { text } : { text, problem: "is not valid UTF-8; some characters are lost" };
}
