/** JSON Schemas as a model reads them: in few words, and in the part of the language that every host takes. */
import { argumentName } from "./argument-names";
import type { JsonObject } from "./protocol";

/** How texts are put. */
export type RenderText = (text: string) => string;

/** Characters of a schema from which it is not worth saying twice. */
const minSharedSchemaLength = 60;

/** Names of an object from which it is shorter to list them than to give each its type. */
const minListedNames = 4;

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
function minimalProperties(properties: unknown, required: unknown): JsonObject {
  const all = Object.entries(properties as Record<string, JsonObject>);
  const needed = all.filter(([name]) => (required as string[] | undefined)?.includes(name));
  const chosen = needed.length > 0 ? needed : all.slice(0, 1);
  return Object.fromEntries(chosen.map(([name, inner]) => [argumentName(name), minimalSchema(inner)]));
}

/** A plain entry of a list is described by its list. */
const isPlainItem = (path: string, { type }: JsonObject): boolean =>
  path.endsWith("[]") && type !== "object" && type !== "array";

/** Some names; the error for a wrong one lists them all. */
const andMore = (names: readonly string[]): string =>
  names.length > mostNames ? `${names.slice(0, mostNames - 1).join(", ")} and others` : names.join(", ");

const minimalSchema = ({ type, items, properties, required }: JsonObject): JsonObject => ({
  ...typeOf(type),
  ...(items !== undefined && { items: minimalSchema(items as JsonObject) }),
  ...(properties !== undefined && { properties: minimalProperties(properties, required) }),
});

/** Numbers as text, of which the description says how far they go. */
const areNumericOptions = (options: unknown): boolean =>
  Array.isArray(options) && options.every((option) => /^\d+$/.test(String(option)));

/** What a value may be: options anywhere, lengths and bounds of arguments themselves. */
function constraintsOf(node: JsonObject, path: string): JsonObject {
  const { enum: options, const: only, maxLength, minLength, minimum, maximum } = node;
  const isInside = /[.[]/.test(path);
  const lowerBounds = {
    ...(Number(minLength) > 1 && { minLength }),
    ...(Number(minimum) > 1 && { minimum }),
  };
  const bounds = { maximum, ...(maxLength !== minLength && { maxLength, ...lowerBounds }) };
  const givenBounds = Object.entries(bounds).filter(([, value]) => value !== undefined && !isInside);
  const known = node["x-extensible-enum"];
  return {
    ...(options !== undefined && !areNumericOptions(options) && { enum: options }),
    ...(only !== undefined && { const: only }),
    ...(known !== undefined && node.description === undefined && { examples: known }),
    ...(node.type === "number" ? {} : Object.fromEntries(givenBounds)),
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
  const describedArguments = new Set<string>();
  const descriptionKey = (name: string, { description }: JsonObject) => `${name} ${String(description)}`;

  /** The description of a field; none for a plain entry, which its list describes. */
  const informativeText = ({ description, ...node }: JsonObject, path: string): string | undefined =>
    description === undefined || isPlainItem(path, node) ? undefined : renderText(description as string);

  /** Where the same was described before; else it is remembered under this path. */
  function earlierPathOf(node: JsonObject, path: string): string | undefined {
    const same = repetitionKey(node, path);
    const earlier = described.get(same);
    if (earlier === undefined && same.length >= minSharedSchemaLength) described.set(same, path);
    return earlier;
  }

  function repeatedSchema(
    { type, properties, required, description }: JsonObject,
    earlier: string,
  ): JsonObject {
    if (properties === undefined) return typeOf(type);
    const words = [description, `Like ${earlier}.`].filter(Boolean).join(" ");
    return {
      ...typeOf(type),
      description: renderText(words),
      properties: minimalProperties(properties, required),
    };
  }

  /** An object inside of which nothing new is described: what is needed, and the names of the rest. */
  function namesOnlySchema(node: JsonObject, path: string): JsonObject | undefined {
    if (node.properties === undefined || path === "") return undefined;
    const properties = Object.entries(node.properties as Record<string, JsonObject>);
    const isNew = ([name, inner]: (typeof properties)[number]) =>
      inner.description !== undefined && !describedArguments.has(descriptionKey(argumentName(name), inner));
    if (properties.length < minListedNames || properties.some(isNew)) return undefined;
    const some = minimalProperties(node.properties, node.required);
    const others = properties.map(([name]) => argumentName(name)).filter((name) => !(name in some));
    const isRepeated = properties.some(([, { description }]) => description !== undefined);
    const also = `Also ${andMore(others)}${isRepeated ? ", as outside" : ""}.`;
    const words = [informativeText(node, path), renderText(also)].filter(Boolean).join(" ");
    return {
      ...typeOf(node.type),
      description: words,
      properties: some,
      ...(node.required !== undefined && { required: (node.required as string[]).map(argumentName) }),
    };
  }

  function compactNode(node: JsonObject, path: string): JsonObject {
    if (!/[.[]/.test(path)) describedArguments.add(descriptionKey(path, node));
    const earlier = earlierPathOf(node, path);
    if (earlier !== undefined) return repeatedSchema(node, earlier);
    const named = namesOnlySchema(node, path);
    if (named) return named;
    const { type, description, properties, required, items, format, examples, default: fallback } = node;
    const text = informativeText(node, path);
    if (properties !== undefined && description === undefined && /[.]/.test(path) && !path.endsWith("[]"))
      return minimalSchema(node);
    return {
      ...typeOf(type),
      ...(format !== undefined && format !== "uuid" && { format }),
      ...constraintsOf(node, path),
      ...(examples !== undefined && { examples }),
      ...(fallback !== undefined && !Array.isArray(fallback) && { default: fallback }),
      ...(text !== undefined && { description: text }),
      ...(items !== undefined && { items: compactNode(items as JsonObject, `${path}[]`) }),
      ...(properties !== undefined && { properties: compactProperties(properties as JsonObject, path) }),
      ...(required !== undefined && { required: (required as string[]).map(argumentName) }),
    };
  }

  const compactProperties = (properties: JsonObject, path: string) =>
    Object.fromEntries(
      Object.entries(properties).map(([name, inner]) => {
        const spelling = argumentName(name);
        return [spelling, compactNode(inner as JsonObject, path ? `${path}.${spelling}` : spelling)];
      }),
    );

  return compactNode(schema, "");
}
