/** HTML templates that escape every text. */

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character]!);

export class Html {
  constructor(readonly text: string) {}
}

type Insert = string | number | Html | readonly Html[] | undefined;

function toInsertText(value: Insert): string {
  if (value === undefined) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(({ text }) => text).join("");
  return escapeHtml(String(value));
}

/** Tagged template that escapes its insertions, except nested Html. */
export const html = ([first = "", ...pieces]: TemplateStringsArray, ...values: readonly Insert[]) =>
  new Html(pieces.reduce((text, piece, index) => text + toInsertText(values[index]) + piece, first));

export const hiddenInput = (name: string, value: string): Html =>
  html`<input type="hidden" name="${name}" value="${value}" />`;

/** Renders names and values as a definition list. */
export const definitionList = (entries: readonly (readonly [name: string, value: string])[]): Html =>
  html`<dl>
    ${entries.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
