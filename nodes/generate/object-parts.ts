/** Structure of objects and lists for the row editor of forms. The texts come from the locale files. */
import type { z } from "zod";
import { titleOf } from "../../core/spec/fields";
import { elementOf, isRequired, kindOf, metaOf, optionsOf, shapeOf, valueOf } from "../../core/values/kind";
import { type Precision, precisionOf } from "../shared/coerce";

/** Precision of a time (UTC), or a period from a first to a last day. */
export type Moment = Precision | "period";

/** Returns the picker type of a field. Undefined if it is not a time. */
export const momentOf = (schema: z.ZodType): Moment | undefined =>
  metaOf(schema).periods ? "period" : precisionOf(schema);

/** Structure of a value. */
export type Part =
  | { readonly kind: "text" | "number" | "boolean"; readonly moment?: Moment }
  | { readonly kind: "choice"; readonly options: readonly string[] }
  | { readonly kind: "object"; readonly parts: Readonly<Record<string, Part & { readonly required?: true }>> }
  | { readonly kind: "list" | "map"; readonly of: Part };

const scalars = { string: "text", integer: "number", number: "number", boolean: "boolean" } as const;

/** Returns the structure of a value. Undefined if any part has no fixed type; such values are edited as JSON. */
export function partOf(schema: z.ZodType): Part | undefined {
  const options = optionsOf(schema);
  if (options) return { kind: "choice", options };
  const kind = kindOf(schema);
  const moment = momentOf(schema);
  if (kind in scalars) return { kind: scalars[kind as keyof typeof scalars], ...(moment && { moment }) };
  const entry = elementOf(schema) ?? valueOf(schema);
  if (entry) {
    const of = partOf(entry);
    return of && { kind: kind === "array" ? "list" : "map", of };
  }
  const parts = Object.entries(shapeOf(schema)).map(
    ([name, each]) => [name, partOf(each), isRequired(each)] as const,
  );
  if (parts.length === 0 || parts.some(([, part]) => !part)) return undefined;
  const named = parts.map(([name, part, required]) => [name, { ...part, ...(required && { required }) }]);
  return { kind: "object", parts: Object.fromEntries(named) };
}

/** Label and description of a part. */
export interface PartTexts {
  readonly label: string;
  readonly description?: string;
  readonly parts?: Readonly<Record<string, PartTexts>>;
}

/** Returns the texts of the parts by name. Undefined if there are none. */
export function partTexts(schema: z.ZodType): PartTexts["parts"] {
  const entry = elementOf(schema) ?? valueOf(schema);
  if (entry) return partTexts(entry);
  const texts = Object.entries(shapeOf(schema)).map(([name, each]) => {
    const { description } = metaOf(each);
    const parts = partTexts(each);
    return [
      name,
      { label: titleOf(name, each), ...(description && { description }), ...(parts && { parts }) },
    ];
  });
  return texts.length === 0 ? undefined : Object.fromEntries(texts);
}
