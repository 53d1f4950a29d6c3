import type { z } from "zod";

/** The plain kind of value a schema takes, as a form, a command line or a query string needs to know it. */
export type Kind = "string" | "integer" | "number" | "boolean" | "array" | "object" | "unknown";

interface Definition {
  type: string;
  innerType?: z.ZodType;
  element?: z.ZodType;
  shape?: Readonly<Record<string, z.ZodType>>;
  entries?: Record<string, string>;
  /** Of a record. */
  valueType?: z.ZodType;
  values?: readonly unknown[];
  defaultValue?: unknown;
}

const definitionOf = (schema: z.ZodType): Definition => schema.def;

const wrappers = new Set(["optional", "nullable", "default", "readonly"]);

/** The schema inside `.optional()`, `.nullable()`, `.default()` and the like. */
export function unwrap(schema: z.ZodType): z.ZodType {
  const { type, innerType } = definitionOf(schema);
  return wrappers.has(type) && innerType ? unwrap(innerType) : schema;
}

const kinds: Record<string, Kind> = {
  string: "string",
  enum: "string",
  literal: "string",
  number: "number",
  int: "integer",
  boolean: "boolean",
  array: "array",
  object: "object",
  record: "object",
};

export function kindOf(schema: z.ZodType): Kind {
  const bare = unwrap(schema);
  const kind = kinds[definitionOf(bare).type] ?? "unknown";
  return kind === "number" && (bare as z.ZodNumber).format === "safeint" ? "integer" : kind;
}

/** The exact strings a closed enumeration allows; undefined for any other schema. */
export function optionsOf(schema: z.ZodType): readonly string[] | undefined {
  const { type, entries, values } = definitionOf(unwrap(schema));
  if (type === "enum" && entries) return Object.values(entries);
  if (type === "literal" && values?.every((value) => typeof value === "string")) return values;
  return undefined;
}

/** The schema of an array's items; undefined for any other schema. */
export function elementOf(schema: z.ZodType): z.ZodType | undefined {
  return definitionOf(unwrap(schema)).element;
}

/** The schema of the values of a record; undefined for any other schema. */
export const valueOf = (schema: z.ZodType): z.ZodType | undefined => definitionOf(unwrap(schema)).valueType;

/** The fields of an object; none for any other schema. */
export const shapeOf = (schema: z.ZodType): Readonly<Record<string, z.ZodType>> =>
  definitionOf(unwrap(schema)).shape ?? {};

/** The schema of an object's field; undefined for another schema, and for a field the object does not have. */
export function propertyOf(schema: z.ZodType, name: string): z.ZodType | undefined {
  const shape = shapeOf(schema);
  return Object.hasOwn(shape, name) ? shape[name] : undefined;
}

export function isRequired(schema: z.ZodType): boolean {
  return schema._zod.optin === undefined;
}

export function defaultOf(schema: z.ZodType): unknown {
  const definition = definitionOf(schema);
  return definition.type === "default" ? definition.defaultValue : undefined;
}

/** The minute that a day stands for where a minute is wanted: the one before the day or after it, or one of its own. */
export type MinuteOfDay = "before it" | "its first" | "its last" | "after it";

export interface Meta {
  title?: string;
  description?: string;
  format?: string;
  examples?: readonly unknown[];
  /** Known values of text that may also have others. */
  "x-extensible-enum"?: readonly string[];
  /** Other spellings in which an enumeration is taken, each with the option it stands for. */
  alsoSpelled?: ReadonlyMap<string, string>;
  /** How exactly a text tells a time, where `format` does not say it. */
  precision?: "day" | "minute";
  /** Of a minute: which one a day stands for. */
  ofDay?: MinuteOfDay;
  /** Of a period: the ways to say it that come to mind first. */
  periods?: readonly string[];
  /** What stands between the items of a text that is a list. */
  separator?: string;
  /** Of an enumeration: the caller has the value from an earlier call, so that its options need not be listed. */
  fromEarlier?: true;
  /** Taken, and better not given: no tool lists it. */
  deprecated?: true;
  /** The operation whose tool lists it, where others take it too: models find one way to do a thing. */
  listedBy?: string;
}

/** What a schema says of itself; zod does not carry it from the inner schema to the wrapped one. */
export function metaOf(schema: z.ZodType): Meta {
  const { type, innerType } = definitionOf(schema);
  const inner = wrappers.has(type) && innerType ? metaOf(innerType) : {};
  return { ...inner, ...(schema.meta() as Meta | undefined) };
}
