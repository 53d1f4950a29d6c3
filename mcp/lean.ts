/** JSON Schemas as a model reads them: in few words, and in the part of the language that every host takes. */
import { argumentName } from "./names";
import type { JsonObject } from "./protocol";

/** How texts are put. */
export type Wording = (text: string) => string;

/** Characters of a schema from which it is not worth saying twice. */
const worthOnce = 60;

/** Some hosts refuse a list of types. `nullable` is their word for it; the others pass over it. */
function typeOf(type: unknown): JsonObject {
  if (!Array.isArray(type)) return type === undefined ? {} : { type };
  return { type: type.find((name) => name !== "null"), ...(type.includes("null") && { nullable: true }) };
}

/** Some hosts refuse an object without properties: those that are needed, else the first, by their types alone. */
function bare(properties: unknown, required: unknown): JsonObject {
  const all = Object.entries(properties as Record<string, JsonObject>);
  const needed = all.filter(([name]) => (required as string[] | undefined)?.includes(name));
  const shown = needed.length > 0 ? needed : all.slice(0, 1);
  return Object.fromEntries(shown.map(([name, { type }]) => [argumentName(name), typeOf(type)]));
}

/** What is the same about two fields: of objects their properties, of others everything and the name too. */
function likeness({ properties, required, ...rest }: JsonObject, path: string): string {
  const name = path.split(".").at(-1);
  return JSON.stringify(properties === undefined ? { name, rest } : { properties, required });
}

/**
 * A schema without what costs tokens and tells nothing: titles that repeat the name, patterns behind a format, what is
 * open anyway, that a text is not empty. Values of an open enumeration become examples. What comes again is not described
 * again; an object is then said to be shaped like the first. That loses nothing: what is sent is checked against the
 * declaration, whatever a host makes of the schema.
 */
export function lean(schema: JsonObject, wording: Wording): JsonObject {
  const described = new Map<string, string>();

  /** Where the same was described before; else it is remembered under this path. */
  function before(node: JsonObject, path: string): string | undefined {
    const same = likeness(node, path);
    const earlier = described.get(same);
    if (earlier === undefined && same.length >= worthOnce) described.set(same, path);
    return earlier;
  }

  function repeated({ type, properties, required, description }: JsonObject, earlier: string): JsonObject {
    if (properties === undefined) return typeOf(type);
    const words = [description, `Shaped as ${earlier}.`].filter(Boolean).join(" ");
    return { ...typeOf(type), description: wording(words), properties: bare(properties, required) };
  }

  function shortened(node: JsonObject, path: string): JsonObject {
    const earlier = before(node, path);
    if (earlier !== undefined) return repeated(node, earlier);
    const { type, title: _, pattern, description, properties, required, items, ...rest } = node;
    const { additionalProperties, "x-extensible-enum": known, minLength, ...limits } = rest;
    return {
      ...typeOf(type),
      ...limits,
      ...(known !== undefined && { examples: known }),
      ...(Number(minLength) > 1 && { minLength }),
      ...(pattern !== undefined && limits.format === undefined && { pattern }),
      ...(description !== undefined && { description: wording(description as string) }),
      ...(items !== undefined && { items: shortened(items as JsonObject, `${path}[]`) }),
      ...(properties !== undefined && { properties: inside(properties as JsonObject, path) }),
      ...(required !== undefined && { required: (required as string[]).map(argumentName) }),
      ...(additionalProperties === false && { additionalProperties }),
    };
  }

  const inside = (properties: JsonObject, path: string) =>
    Object.fromEntries(
      Object.entries(properties).map(([name, inner]) => {
        const spelling = argumentName(name);
        return [spelling, shortened(inner as JsonObject, path ? `${path}.${spelling}` : spelling)];
      }),
    );

  return shortened(schema, "");
}
