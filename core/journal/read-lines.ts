/** Lines of a file that is read as it comes. */

export interface Line {
  readonly text: string;
  /** Whether it ends as a line does, and all of it is text. */
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

/** The lines, without what ends them. */
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
