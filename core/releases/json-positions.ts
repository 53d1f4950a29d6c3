/** JSON with the line of each value, for error messages that never quote the text: the file may be another than intended. */

export interface LocatedJson {
  readonly value: unknown;
  /** Line of each value, starting at 1, by its path: names and indexes joined by dots. */
  readonly lines: ReadonlyMap<string, number>;
  /** Lines of members whose name occurs earlier in the same object. JSON.parse ignores the earlier one. */
  readonly duplicateLines: readonly number[];
}

/** The text is not JSON. */
export class JsonSyntaxError extends Error {
  constructor(readonly line: number) {
    super(`line ${line}: is not JSON`);
  }
}

const space = /[ \t\r\n]*/y;
const token =
  /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|[{}[\],:]|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/uy;
const maxDepth = 50;

/** Parses JSON. Throws a JsonSyntaxError with the line of the first fault. */
export function parseLocatedJson(text: string): LocatedJson {
  const lines = new Map<string, number>();
  const duplicateLines: number[] = [];
  let [index, line] = [0, 1];

  const matchAt = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = index;
    return pattern.exec(text)?.[0];
  };
  /** Returns the next token without consuming it; undefined at the end and at a fault. */
  function peek(): string | undefined {
    const skipped = matchAt(space)!;
    line += skipped.split("\n").length - 1;
    index += skipped.length;
    return matchAt(token);
  }
  function next(expected?: string): string {
    const found = peek();
    if (found === undefined || (expected !== undefined && found !== expected))
      throw new JsonSyntaxError(line);
    index += found.length;
    return found;
  }
  function isNext(wanted: string): boolean {
    if (peek() !== wanted) return false;
    next();
    return true;
  }

  function readValue(path: string, depth: number): void {
    const first = next();
    if (depth > maxDepth || /^[\]},:]/.test(first)) throw new JsonSyntaxError(line);
    lines.set(path, line);
    if (first !== "{" && first !== "[") return;
    const end = first === "{" ? "}" : "]";
    if (isNext(end)) return;
    const names = new Set<string>();
    do {
      const name = first === "{" ? readName() : String(names.size);
      if (names.has(name)) duplicateLines.push(line);
      names.add(name);
      readValue(path === "" ? name : `${path}.${name}`, depth + 1);
    } while (isNext(","));
    next(end);
  }

  /** Reads the name of a member and its colon. */
  function readName(): string {
    const name = next();
    if (!name.startsWith('"')) throw new JsonSyntaxError(line);
    next(":");
    return JSON.parse(name) as string;
  }

  readValue("", 0);
  peek();
  if (index < text.length) throw new JsonSyntaxError(line);
  return { value: JSON.parse(text) as unknown, lines, duplicateLines };
}
