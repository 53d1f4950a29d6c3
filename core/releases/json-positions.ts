/** Line numbers in JSON text, for error messages. */

const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Returns the line of each value, starting at 1, by its path: names and indexes joined by dots. */
export function lineNumbersByPath(json: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const tokens = [...json.matchAll(token)];
  let cursor = 0;
  let [line, counted] = [1, 0];
  const lineOf = (index: number): number => {
    for (; counted < index; counted += 1) if (json[counted] === "\n") line += 1;
    return line;
  };
  const next = () => tokens[cursor++]!;
  const isNext = (text: string) => tokens[cursor]?.[0] === text;

  function value(path: string): void {
    const { 0: text, index } = next();
    if (!found.has(path)) found.set(path, lineOf(index));
    if (text !== "{" && text !== "[") return;
    for (let position = 0; !isNext("}") && !isNext("]"); position += 1) {
      const name = text === "{" ? memberName() : String(position);
      value(path === "" ? name : `${path}.${name}`);
      if (isNext(",")) next();
    }
    next();
  }

  /** Reads the name of a member and its colon. */
  function memberName(): string {
    const name = JSON.parse(next()[0]) as string;
    next();
    return name;
  }

  value("");
  return found;
}

/** Returns the line that a JSON.parse error refers to. */
export function lineOfSyntaxError(json: string, { message }: Error): number {
  const [, line] = /line (\d+)/.exec(message) ?? [];
  if (line !== undefined) return Number(line);
  const [, position = String(json.length)] = /position (\d+)/.exec(message) ?? [];
  return json.slice(0, Number(position)).split("\n").length;
}
