/** What a body holds, for the help of a node: its fields, and those one level below them. */
import type { z } from "zod";
import type { ResponseDeclaration, Declaration } from "../../core/declaration/operation";
import { elementOf, kindOf, metaOf, propertyOf, shapeOf } from "../../core/schema/kind";

/** A field of a body, by its path: `amount.currency`, or `payments[].status` in each entry of a list. */
export interface PayloadField {
  readonly path: string;
  readonly type: string;
  readonly description: string;
}

/** `string`, `array of object`. */
export function typeOf(schema: z.ZodType): string {
  const kind = kindOf(schema);
  const element = elementOf(schema);
  if (element) return `array of ${typeOf(element)}`;
  // An enumeration that is open is text of which some values are known.
  return kind === "unknown" ? (metaOf(schema)["x-extensible-enum"] ? "string" : "any") : kind;
}

/** Fields that lie deeper than this are not listed: the service's own words say what they are. */
const levels = 2;

function fieldsBelow(schema: z.ZodType, path: string, level: number): PayloadField[] {
  const element = elementOf(schema);
  if (element) return fieldsBelow(element, `${path}[]`, level);
  return Object.entries(shapeOf(schema)).flatMap(([name, field]) => {
    const below = path ? `${path}.${name}` : name;
    const own = { path: below, type: typeOf(field), description: metaOf(field).description ?? "" };
    return [own, ...(level < levels ? fieldsBelow(field, below, level + 1) : [])];
  });
}

/** The fields of one entry, where a body is a list of them; else of the body. Paths begin there. */
const fieldsIn = (schema: z.ZodType): PayloadField[] => fieldsBelow(elementOf(schema) ?? schema, "", 1);

/** The schema at the end of a path. */
const schemaAt = (schema: z.ZodType, path: string): z.ZodType | undefined =>
  path.split(".").reduce<z.ZodType | undefined>((inner, name) => inner && propertyOf(inner, name), schema);

export interface Payload {
  readonly type: string;
  readonly fields: readonly PayloadField[];
  /** Where entries lie that pages add to, and their fields: those of the first such list, as all are alike. */
  readonly entries?: { readonly paths: readonly string[]; readonly fields: readonly PayloadField[] };
}

const plainTypes = { text: "string", html: "string", file: "Buffer", empty: "as it was" } as const;

/** What msg.payload is after a response. */
export function payloadOf({ linkedPages }: Declaration, response: ResponseDeclaration): Payload {
  if (response.kind !== "json") return { type: plainTypes[response.kind], fields: [] };
  const { schema, asText } = response;
  const type = typeOf(schema) + (asText ? " or string" : "");
  const paths = linkedPages?.entries ?? [];
  const list = paths.length > 0 ? schemaAt(schema, paths[0]!) : undefined;
  return { type, fields: fieldsIn(schema), ...(list && { entries: { paths, fields: fieldsIn(list) } }) };
}
