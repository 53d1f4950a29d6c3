/** HTML templates that escape every inserted text. */
import { printable } from "../terminal/terminal";

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export class Html {
  constructor(readonly text: string) {}
}

type Insert = string | Html | readonly Html[] | undefined;

function escapeInsert(value: Insert): string {
  if (value === undefined) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "string") return printable(value).replace(/[&<>"']/g, (each) => entities[each]!);
  return value.map(({ text }) => text).join("");
}

/** Template tag: escapes markup in insertions and strips their control and bidi characters. */
export const html = ([first = "", ...pieces]: TemplateStringsArray, ...values: readonly Insert[]) =>
  new Html(pieces.reduce((text, piece, index) => text + escapeInsert(values[index]) + piece, first));
