/** Lines of a file that is read as it comes. */

export interface Line {
  readonly text: string;
  /** Whether it ends as a line does, and all of it is text. */
  readonly isWhole: boolean;
}

const lineFeed = 10;

function lineOf(bytes: Uint8Array, isEnded: boolean): Line {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { text, isWhole: isEnded };
  } catch {
    return { text: "", isWhole: false };
  }
}

/** The lines, without what ends them. */
export async function* lines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  let begun: Uint8Array[] = [];
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      yield lineOf(Buffer.concat([...begun, chunk.subarray(start, end)]), true);
      begun = [];
      start = end + 1;
    }
    if (start < chunk.length) begun.push(chunk.subarray(start));
  }
  if (begun.length > 0) yield lineOf(Buffer.concat(begun), false);
}
