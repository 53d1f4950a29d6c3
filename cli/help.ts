/** Help pages: text in columns, wrapped. */
import type { Flag } from "./arguments";

const width = 100;

function wrapped(text: string, room: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    if (line && line.length + 1 + word.length > room) {
      lines.push(line);
      line = word;
    } else line = line ? `${line} ${word}` : word;
  }
  return [...lines, line];
}

/** A paragraph. */
export const paragraph = (text: string): string => wrapped(text, width).join("\n");

/** Names on the left, what they mean on the right. */
export function columns(rows: readonly (readonly [name: string, description: string])[]): string {
  const left = Math.min(44, Math.max(...rows.map(([name]) => name.length))) + 4;
  const indent = `\n${" ".repeat(left)}`;
  return rows
    .map(([name, description]) => {
      const right = wrapped(description, width - left).join(indent);
      const head = `  ${name}`;
      return head.length + 2 > left ? `${head}${indent}${right}` : head.padEnd(left) + right;
    })
    .join("\n");
}

/** A heading with what belongs to it; nothing when there is nothing. */
export const section = (heading: string, body: string | undefined): string | undefined =>
  body ? `${heading}\n${body}` : undefined;

/** A page of the parts that are there. */
export const page = (...parts: readonly (string | undefined)[]): string =>
  `${parts.filter((part) => part !== undefined).join("\n\n")}\n`;

export const flagRows = (flags: readonly Flag[]): string | undefined =>
  flags.length === 0
    ? undefined
    : columns(
        flags.map(({ name, value, negatable, description }) => [
          `--${negatable ? "[no-]" : ""}${name}${value ? ` ${value}` : ""}`,
          description,
        ]),
      );
