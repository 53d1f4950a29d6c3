/** HTML in which every text is escaped, unless it is HTML already. */
import { escaped } from "../html";

export class Html {
  constructor(readonly text: string) {}
}

type Insert = string | number | Html | readonly Html[] | undefined;

function inserted(value: Insert): string {
  if (value === undefined) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(({ text }) => text).join("");
  return escaped(String(value));
}

/** A template whose insertions are escaped. */
export const html = ([first = "", ...pieces]: TemplateStringsArray, ...values: readonly Insert[]) =>
  new Html(pieces.reduce((text, piece, index) => text + inserted(values[index]) + piece, first));
