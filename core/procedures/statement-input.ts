/** The text of a statement file, which can be read several times, so that memory use does not grow with it. */
import { open as openHandle } from "node:fs/promises";
import { invalidInputError } from "../call/call-errors";

/** Returns the text from its beginning. */
export type OpenText = () => AsyncIterable<string> | string;

const isUtf16 = ([first, second]: Uint8Array): boolean =>
  (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);

/** Finds the encoding: UTF-16 with a byte order mark, UTF-8, or else Windows-1252, which includes ISO 8859-1: banks use all. */
async function encodingOf(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string> {
  const utf8 = new TextDecoder("utf-8", { fatal: true });
  let isFirst = true;
  try {
    for await (const chunk of chunks) {
      if (isFirst && isUtf16(chunk)) return chunk[0] === 0xff ? "utf-16le" : "utf-16be";
      isFirst = false;
      utf8.decode(chunk, { stream: true });
    }
    utf8.decode();
    return "utf-8";
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_ENCODING_INVALID_ENCODED_DATA") throw error;
    return "windows-1252";
  }
}

async function* decode(chunks: AsyncIterable<Uint8Array>, encoding: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

const pieceLength = 16_384;

/** Yields the bytes of a file in one buffer, which the next piece overwrites: a buffer for each would take more memory. */
async function* readPieces(path: string): AsyncGenerator<Uint8Array, void, void> {
  const file = await openHandle(path);
  try {
    const buffer = new Uint8Array(pieceLength);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, pieceLength);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** Opens a file by its path. Throws InvalidInput for a file that cannot be read. */
export async function openFile(
  operation: string,
  field: string,
  path: string,
  given?: string,
): Promise<OpenText> {
  try {
    const encoding = given ?? (await encodingOf(readPieces(path)));
    return () => decode(readPieces(path), encoding);
  } catch (error) {
    const message = `cannot be read: ${(error as Error).message}`;
    throw invalidInputError({ name: operation }, [{ field, message }]);
  }
}

export async function openBytes(bytes: Uint8Array, given?: string): Promise<OpenText> {
  const text = new TextDecoder(given ?? (await encodingOf([bytes]))).decode(bytes);
  return () => text;
}

/** Returns the beginning of a text. */
export async function beginningOf(open: OpenText, length: number): Promise<string> {
  const text = open();
  if (typeof text === "string") return text.slice(0, length);
  let beginning = "";
  for await (const piece of text) {
    beginning += piece;
    if (beginning.length >= length) break;
  }
  return beginning.slice(0, length);
}
