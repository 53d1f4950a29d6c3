/** Splits a byte stream into lines. */

export interface Line {
  readonly text: string;
  /** True if the line ends with a line feed and is valid UTF-8. */
  readonly isComplete: boolean;
}

const lineFeed = 10;

function decodeLine(bytes: Uint8Array, isEnded: boolean): Line {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { text, isComplete: isEnded };
  } catch {
    return { text: "", isComplete: false };
  }
}

/** Yields the lines without their line feeds. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  let partial: Uint8Array[] = [];
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      yield decodeLine(Buffer.concat([...partial, chunk.subarray(start, end)]), true);
      partial = [];
      start = end + 1;
    }
    if (start < chunk.length) partial.push(chunk.subarray(start));
  }
  if (partial.length > 0) yield decodeLine(Buffer.concat(partial), false);
}
