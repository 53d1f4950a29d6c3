/** What generated documents say of a declaration. */
import type { Declaration, Failure } from "../core/operations/declaration";
import type { Field } from "../core/operations/fields";
import { metaOf } from "../core/schema/kind";

export const effects: Readonly<Record<Declaration["effect"], string>> = {
  read: "Changes nothing.",
  change: "Changes or asks for something.",
  money: "Commits or moves money, or changes who may approve it. Never sent twice.",
};

/** The kind of a field, and whether it is needed. */
export function kindWords({ kind, schema, required, default: fallback }: Field): string {
  const type = metaOf(schema).format ?? (kind === "string" ? "text" : kind);
  const state = required ? "required" : "optional";
  return [type, fallback === undefined ? state : `default ${JSON.stringify(fallback)}`].join(", ");
}

/** What a field means and allows. */
export const fieldWords = ({ description, options }: Field): string =>
  [description, options && `One of ${options.map((option) => `\`${option}\``).join(", ")}.`]
    .filter(Boolean)
    .join(" ");

export const failureWords = (failure: Failure): string =>
  typeof failure === "string" ? failure : failure[0];
