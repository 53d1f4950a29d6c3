/** What a body holds, for people: its fields, and those one level below them. */
import type { z } from "zod";
import { elementOf, kindOf, metaOf, propertyOf, shapeOf } from "../schema/kind";

/** A field of a body, by its path: `amount.currency`, or `payments[].status` in each entry of a list. */
export interface BodyField {
  readonly path: string;
  /** As `typeNameOf` says it. */
  readonly type: string;
  readonly description: string;
}

export interface BodyDoc {
  readonly schema: z.ZodType;
  /** As `typeNameOf` says it. */
  readonly type: string;
  /** The fields of one entry, where the body is a list of them; else of the body. */
  readonly fields: readonly BodyField[];
  /** Where entries lie that pages add to, and their fields: those of the first such list, as all are alike. */
  readonly entries?: { readonly paths: readonly string[]; readonly fields: readonly BodyField[] };
}

/** `string`, `integer`, `array of object`, or `any`. */
export function typeNameOf(schema: z.ZodType): string {
  const kind = kindOf(schema);
  const element = elementOf(schema);
  if (element) return `array of ${typeNameOf(element)}`;
  // An enumeration that is open is text of which some values are known.
  return kind === "unknown" ? (metaOf(schema)["x-extensible-enum"] ? "string" : "any") : kind;
}

/** Fields that lie deeper than this are not listed: the service's own words say what they are. */
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

/** The fields of one entry, where a body is a list of them; else of the body. Paths begin there. */
const fieldsIn = (schema: z.ZodType): BodyField[] => fieldsBelow(elementOf(schema) ?? schema, "", 1);

/** The schema at the end of a path. */
const schemaAt = (schema: z.ZodType, path: string): z.ZodType | undefined =>
  path.split(".").reduce<z.ZodType | undefined>((inner, name) => inner && propertyOf(inner, name), schema);

/** Describes a body. `lists` are the paths of lists that come in pages. */
export function describeBody(schema: z.ZodType, lists: readonly string[] = []): BodyDoc {
  const list = lists.length > 0 ? schemaAt(schema, lists[0]!) : undefined;
  return {
    schema,
    type: typeNameOf(schema),
    fields: fieldsIn(schema),
    ...(list && { entries: { paths: lists, fields: fieldsIn(list) } }),
  };
}
