/** Layout of help texts: wrapped paragraphs, columns and sections. */
import type { Flag } from "./arguments";

const width = 100;

function wrap(text: string, maxWidth: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    if (line && line.length + 1 + word.length > maxWidth) {
      lines.push(line);
      line = word;
    } else line = line ? `${line} ${word}` : word;
  }
  return [...lines, line];
}

export const paragraph = (text: string): string => wrap(text, width).join("\n");

/** Renders two columns: names and wrapped descriptions. */
export function columns(rows: readonly (readonly [name: string, description: string])[]): string {
  const leftWidth = Math.min(44, Math.max(...rows.map(([name]) => name.length))) + 4;
  const indent = `\n${" ".repeat(leftWidth)}`;
  return rows
    .map(([name, description]) => {
      const right = wrap(description, width - leftWidth).join(indent);
      const head = `  ${name}`;
      return head.length + 2 > leftWidth ? `${head}${indent}${right}` : head.padEnd(leftWidth) + right;
    })
    .join("\n");
}

/** Returns a heading with its body; undefined if the body is empty. */
export const section = (heading: string, body: string | undefined): string | undefined =>
  body ? `${heading}\n${body}` : undefined;

/** Joins the defined sections with empty lines. */
export const joinSections = (...parts: readonly (string | undefined)[]): string =>
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
