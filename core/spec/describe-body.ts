/** Description of a body: its fields and those one level below. */
import type { z } from "zod";
import { elementOf, kindOf, metaOf, propertyOf, shapeOf } from "../values/kind";

/** A field of a body with its path: `amount.currency`, or `payments[].status` for every entry of a list. */
export interface BodyField {
  readonly path: string;
  /** Result of `typeNameOf`. */
  readonly type: string;
  readonly description: string;
}

export interface BodyDoc {
  readonly schema: z.ZodType;
  /** Result of `typeNameOf`. */
  readonly type: string;
  /** Fields of the body, or of one entry if the body is a list. */
  readonly fields: readonly BodyField[];
  /** Paths of the paged lists, and the fields of their entries. All lists of a body have the same entry type. */
  readonly entries?: { readonly paths: readonly string[]; readonly fields: readonly BodyField[] };
}

/** Returns `string`, `integer`, `array of object` or `any`. */
export function typeNameOf(schema: z.ZodType): string {
  const kind = kindOf(schema);
  const element = elementOf(schema);
  if (element) return `array of ${typeNameOf(element)}`;
  return kind === "unknown" ? (metaOf(schema)["x-extensible-enum"] ? "string" : "any") : kind;
}

/** Deeper fields are not listed, to keep the description short. */
const maxLevels = 2;

function fieldsBelow(schema: z.ZodType, path: string, level: number): BodyField[] {
  const element = elementOf(schema);
  if (element) return fieldsBelow(element, `${path}[]`, level);
  return Object.entries(shapeOf(schema)).flatMap(([name, field]) => {
    const below = path ? `${path}.${name}` : name;
    const own = { path: below, type: typeNameOf(field), description: metaOf(field).description ?? "" };
    return [own, ...(level < maxLevels ? fieldsBelow(field, below, level + 1) : [])];
  });
}

/** Returns the fields of the body, or of one entry if the body is a list. Paths are relative to it. */
const fieldsIn = (schema: z.ZodType): BodyField[] => fieldsBelow(elementOf(schema) ?? schema, "", 1);

const schemaAt = (schema: z.ZodType, path: string): z.ZodType | undefined =>
  path.split(".").reduce<z.ZodType | undefined>((inner, name) => inner && propertyOf(inner, name), schema);

/** Describes a body. `lists` are the paths of its paged lists. */
export function describeBody(schema: z.ZodType, lists: readonly string[] = []): BodyDoc {
  const list = lists.length > 0 ? schemaAt(schema, lists[0]!) : undefined;
  return {
    schema,
    type: typeNameOf(schema),
    fields: fieldsIn(schema),
    ...(list && { entries: { paths: lists, fields: fieldsIn(list) } }),
  };
}
