/** HTML in which every text is escaped, unless it is HTML already. */
import { printable } from "../terminal";

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

/** A template whose insertions are escaped: nothing in them is markup, a control character or reversed writing. */
export const html = ([first = "", ...pieces]: TemplateStringsArray, ...values: readonly Insert[]) =>
  new Html(pieces.reduce((text, piece, index) => text + escapeInsert(values[index]) + piece, first));
