/** JSON Schemas as a model reads them: in few words, and in the part of the language that every host takes. */
import { argumentName } from "./names";
import type { JsonObject } from "./protocol";

/** How texts are put. */
export type RenderText = (text: string) => string;

/** Characters of a schema from which it is not worth saying twice. */
const worthOnce = 60;

/** Names of an object from which it is shorter to list them than to give each its type. */
const fewNames = 4;

/** Names listed of an object beside those that are needed. */
const mostNames = 3;

/**
 * Some hosts refuse a list of types. `nullable` is their word for it; the others pass over it. Numbers that are not whole
 * are text, as in results: hosts damage their digits.
 */
function typeOf(type: unknown): JsonObject {
  if (type === undefined) return {};
  const types = Array.isArray(type) ? (type as string[]) : [type as string];
  const one = types.find((name) => name !== "null");
  return {
    ...(one === "number" ? { type: "string", format: "decimal" } : { type: one }),
    ...(types.includes("null") && { nullable: true }),
  };
}

/** What is in an object in the fewest words that hosts take: what is needed, else the first, by its type alone. */
function bare(properties: unknown, required: unknown): JsonObject {
  const all = Object.entries(properties as Record<string, JsonObject>);
  const needed = all.filter(([name]) => (required as string[] | undefined)?.includes(name));
  const chosen = needed.length > 0 ? needed : all.slice(0, 1);
  return Object.fromEntries(chosen.map(([name, inner]) => [argumentName(name), bareSchema(inner)]));
}

/** A plain entry of a list is described by its list. */
const isEntry = (path: string, { type }: JsonObject): boolean =>
  path.endsWith("[]") && type !== "object" && type !== "array";

/** Some names; the error for a wrong one lists them all. */
const andMore = (names: readonly string[]): string =>
  names.length > mostNames ? `${names.slice(0, mostNames - 1).join(", ")} and others` : names.join(", ");

const bareSchema = ({ type, items, properties, required }: JsonObject): JsonObject => ({
  ...typeOf(type),
  ...(items !== undefined && { items: bareSchema(items as JsonObject) }),
  ...(properties !== undefined && { properties: bare(properties, required) }),
});

/** Numbers as text, of which the description says how far they go. */
const areNumbers = (options: unknown): boolean =>
  Array.isArray(options) && options.every((option) => /^\d+$/.test(String(option)));

/** What a value may be: options anywhere, lengths and bounds of arguments themselves. */
function limitsOf(node: JsonObject, path: string): JsonObject {
  const { enum: options, const: only, maxLength, minLength, minimum, maximum } = node;
  const isInside = /[.[]/.test(path);
  const lowest = { ...(Number(minLength) > 1 && { minLength }), ...(Number(minimum) > 1 && { minimum }) };
  const bounds = { maximum, ...(maxLength !== minLength && { maxLength, ...lowest }) };
  const given = Object.entries(bounds).filter(([, value]) => value !== undefined && !isInside);
  const known = node["x-extensible-enum"];
  return {
    ...(options !== undefined && !areNumbers(options) && { enum: options }),
    ...(only !== undefined && { const: only }),
    ...(known !== undefined && node.description === undefined && { examples: known }),
    ...(node.type === "number" ? {} : Object.fromEntries(given)),
  };
}

/** What is the same about two fields: of objects their properties, of others everything and the name too. */
function repetitionKey({ properties, required, ...rest }: JsonObject, path: string): string {
  const name = path.split(".").at(-1);
  return JSON.stringify(properties === undefined ? { name, rest } : { properties, required });
}

/**
 * A schema without what costs tokens and tells little: titles, patterns, limits of what is inside objects, what is open anyway. Values of an open enumeration become examples. What comes again is not described again; an
 * object is then said to be shaped like the first. That loses nothing: what is sent is checked against the declaration, in
 * words that say what to send, whatever a host makes of the schema.
 */
export function compactSchema(schema: JsonObject, renderText: RenderText): JsonObject {
  const described = new Map<string, string>();
  /** What an argument of its own has told. */
  const told = new Set<string>();
  const toldKey = (name: string, { description }: JsonObject) => `${name} ${String(description)}`;

  /** The description of a field; none for a plain entry, which its list describes. */
  const telling = ({ description, ...node }: JsonObject, path: string): string | undefined =>
    description === undefined || isEntry(path, node) ? undefined : renderText(description as string);

  /** Where the same was described before; else it is remembered under this path. */
  function before(node: JsonObject, path: string): string | undefined {
    const same = repetitionKey(node, path);
    const earlier = described.get(same);
    if (earlier === undefined && same.length >= worthOnce) described.set(same, path);
    return earlier;
  }

  function repeated({ type, properties, required, description }: JsonObject, earlier: string): JsonObject {
    if (properties === undefined) return typeOf(type);
    const words = [description, `Like ${earlier}.`].filter(Boolean).join(" ");
    return { ...typeOf(type), description: renderText(words), properties: bare(properties, required) };
  }

  /** An object inside of which nothing new is described: what is needed, and the names of the rest. */
  function namesOnly(node: JsonObject, path: string): JsonObject | undefined {
    if (node.properties === undefined || path === "") return undefined;
    const properties = Object.entries(node.properties as Record<string, JsonObject>);
    const isNew = ([name, inner]: (typeof properties)[number]) =>
      inner.description !== undefined && !told.has(toldKey(argumentName(name), inner));
    if (properties.length < fewNames || properties.some(isNew)) return undefined;
    const some = bare(node.properties, node.required);
    const others = properties.map(([name]) => argumentName(name)).filter((name) => !(name in some));
    const isRepeated = properties.some(([, { description }]) => description !== undefined);
    const also = `Also ${andMore(others)}${isRepeated ? ", as outside" : ""}.`;
    const words = [telling(node, path), renderText(also)].filter(Boolean).join(" ");
    return {
      ...typeOf(node.type),
      description: words,
      properties: some,
      ...(node.required !== undefined && { required: (node.required as string[]).map(argumentName) }),
    };
  }

  function shortened(node: JsonObject, path: string): JsonObject {
    if (!/[.[]/.test(path)) told.add(toldKey(path, node));
    const earlier = before(node, path);
    if (earlier !== undefined) return repeated(node, earlier);
    const named = namesOnly(node, path);
    if (named) return named;
    const { type, description, properties, required, items, format, examples, default: fallback } = node;
    const text = telling(node, path);
    if (properties !== undefined && description === undefined && /[.]/.test(path) && !path.endsWith("[]"))
      return bareSchema(node);
    return {
      ...typeOf(type),
      ...(format !== undefined && format !== "uuid" && { format }),
      ...limitsOf(node, path),
      ...(examples !== undefined && { examples }),
      ...(fallback !== undefined && !Array.isArray(fallback) && { default: fallback }),
      ...(text !== undefined && { description: text }),
      ...(items !== undefined && { items: shortened(items as JsonObject, `${path}[]`) }),
      ...(properties !== undefined && { properties: inside(properties as JsonObject, path) }),
      ...(required !== undefined && { required: (required as string[]).map(argumentName) }),
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
