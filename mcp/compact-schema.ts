/** Shortens JSON Schemas for models, using only keywords that every host accepts. */
import { argumentName } from "./render/names";
import type { JsonObject } from "./render/content";

/** Rewrites a text for models. */
export type RenderText = (text: string) => string;

/** Length in characters from which a repeated schema is replaced by a reference. */
const minSharedSchemaLength = 60;

/** Number of properties without descriptions from which listing the names is shorter than listing the types. */
const minListedNames = 4;

/** Lists null only where a value may be null. Decimal numbers are text, as in results, because hosts damage their digits. */
function typeOf(type: unknown): JsonObject {
  if (type === undefined) return {};
  const types = Array.isArray(type) ? (type as string[]) : [type as string];
  const [one] = types.filter((name) => name !== "null").map((name) => (name === "number" ? "string" : name));
  return { type: types.includes("null") ? [one, "null"] : one };
}

/** Descriptions of fields whose declarations have none, because their names are standard terms. */
const standardTerms: Readonly<Record<string, string>> = {
  iban: "IBAN.",
  currency: "ISO 4217 code.",
  amount: "Decimal amount.",
  country: "ISO 3166 code.",
  accounts: "Accounts by IBAN.",
};

const describedNode = (name: string, node: JsonObject): JsonObject => {
  const description = node.description ?? standardTerms[name];
  return description === undefined ? node : { ...node, description };
};

/** Returns the required properties, or else the first, by type and description: hosts refuse an object without properties. */
function minimalProperties(properties: unknown, required: unknown): JsonObject {
  const all = Object.entries(properties as Record<string, JsonObject>);
  const needed = all.filter(([name]) => (required as string[] | undefined)?.includes(name));
  const chosen = needed.length > 0 ? needed : all.slice(0, 1);
  return Object.fromEntries(
    chosen.map(([name, inner]) => [argumentName(name), minimalSchema(describedNode(name, inner))]),
  );
}

/** True for a list item that needs no description of its own. */
const isPlainItem = (path: string, { type }: JsonObject): boolean =>
  path.endsWith("[]") && type !== "object" && type !== "array";

const minimalSchema = ({ type, description, items, properties, required }: JsonObject): JsonObject => ({
  ...typeOf(type),
  ...(description !== undefined && { description }),
  ...(items !== undefined && { items: minimalSchema(items as JsonObject) }),
  ...(properties !== undefined && { properties: minimalProperties(properties, required) }),
});

/** True if all options are numbers; their range is in the description. */
const areNumericOptions = (options: unknown): boolean =>
  Array.isArray(options) && options.every((option) => /^\d+$/.test(String(option)));

const mayBeNull = ({ type }: JsonObject): boolean => Array.isArray(type) && type.includes("null");

/** Returns the options of a field; lengths and bounds only for top-level arguments. */
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
    ...(options !== undefined &&
      !areNumericOptions(options) && { enum: mayBeNull(node) ? [...(options as unknown[]), null] : options }),
    ...(only !== undefined && { const: only }),
    ...(known !== undefined && node.description === undefined && { examples: known }),
    ...(node.type === "number" ? {} : Object.fromEntries(givenBounds)),
  };
}

/** Returns a key that is equal for repeated schemas: objects compare by properties, others by name and all keywords. */
function repetitionKey({ properties, required, ...rest }: JsonObject, path: string): string {
  const name = path.split(".").at(-1);
  return JSON.stringify(properties === undefined ? { name, rest } : { properties, required });
}

/**
 * Shortens a schema to save tokens. Drops titles, patterns and the limits of nested fields; turns the values of an open
 * enumeration into examples; describes repeated objects by a reference to the first. Input is still checked against the
 * full declaration, so nothing invalid is sent.
 */
export function compactSchema(schema: JsonObject, renderText: RenderText): JsonObject {
  const described = new Map<string, string>();

  /** Returns the description of a field; undefined for a plain list item, which its list describes. */
  const informativeText = ({ description, ...node }: JsonObject, path: string): string | undefined =>
    description === undefined || isPlainItem(path, node) ? undefined : renderText(description as string);

  /** Returns the path of an equal schema seen earlier; otherwise remembers this one. */
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
    const words = [description, `Fields as in ${earlier}.`].filter(Boolean).join(" ");
    return {
      ...typeOf(type),
      description: renderText(words),
      properties: minimalProperties(properties, required),
    };
  }

  /** Returns required properties and the names of the others, for an object without descriptions. */
  function namesOnlySchema({ type, properties, required, ...node }: JsonObject, path: string) {
    const all = Object.entries((properties ?? {}) as Record<string, JsonObject>);
    if (
      path === "" ||
      all.length < minListedNames ||
      all.some(([, inner]) => inner.description !== undefined)
    )
      return undefined;
    const shown = minimalProperties(properties, required);
    const others = all.map(([name]) => argumentName(name)).filter((name) => !(name in shown));
    const words = [informativeText(node, path), `May include ${others.join(", ")}.`];
    return {
      ...typeOf(type),
      description: words.filter(Boolean).join(" "),
      properties: shown,
      ...(required !== undefined && { required: (required as string[]).map(argumentName) }),
    };
  }

  function compactNode(node: JsonObject, path: string): JsonObject {
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
        const node = describedNode(name, inner as JsonObject);
        return [spelling, compactNode(node, path ? `${path}.${spelling}` : spelling)];
      }),
    );

  return compactNode(schema, "");
}
