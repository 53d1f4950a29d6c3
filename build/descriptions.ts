/** What generated documents say of a declaration. */
import { type Declaration, effectDescriptions } from "../core/declaration/operation";
import type { Field } from "../core/declaration/fields";
import { metaOf } from "../core/schema/kind";

export const effectSentences: Readonly<Record<Declaration["effect"], string>> = {
  read: effectDescriptions.read,
  change: effectDescriptions.change,
  money: `${effectDescriptions.money} Never sent twice.`,
};

/** The kind of a field, and whether it is needed. */
export function fieldType({ kind, schema, required, default: fallback }: Field): string {
  const type = metaOf(schema).format ?? (kind === "string" ? "text" : kind);
  const state = required ? "required" : "optional";
  return [type, fallback === undefined ? state : `default ${JSON.stringify(fallback)}`].join(", ");
}

/** What a field means and allows. */
export const fieldDescription = ({ description, options }: Field): string =>
  [description, options && `One of ${options.map((option) => `\`${option}\``).join(", ")}.`]
    .filter(Boolean)
    .join(" ");
