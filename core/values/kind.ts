import type { z } from "zod";

/** The basic type of a schema, for forms, command lines and query strings. */
export type Kind = "string" | "integer" | "number" | "boolean" | "array" | "object" | "unknown";

interface Definition {
  type: string;
  innerType?: z.ZodType;
  element?: z.ZodType;
  shape?: Readonly<Record<string, z.ZodType>>;
  entries?: Record<string, string>;
  /** Only for unions. */
  options?: readonly z.ZodType[];
  /** Only for records. */
  valueType?: z.ZodType;
  values?: readonly unknown[];
  defaultValue?: unknown;
}

const definitionOf = (schema: z.ZodType): Definition => schema.def;

const wrappers = new Set(["optional", "nullable", "default", "readonly"]);

/** Returns the schema inside `.optional()`, `.nullable()`, `.default()` and `.readonly()`. */
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

/** Returns the allowed strings of a closed enumeration; undefined for other schemas. */
export function optionsOf(schema: z.ZodType): readonly string[] | undefined {
  const { type, entries, values } = definitionOf(unwrap(schema));
  if (type === "enum" && entries) return Object.values(entries);
  if (type === "literal" && values?.every((value) => typeof value === "string")) return values;
  return undefined;
}

/** Returns the schemas of a union; none for other schemas. */
export const optionSchemasOf = (schema: z.ZodType): readonly z.ZodType[] =>
  definitionOf(unwrap(schema)).options ?? [];

/** Returns the item schema of an array; undefined for other schemas. */
export function elementOf(schema: z.ZodType): z.ZodType | undefined {
  return definitionOf(unwrap(schema)).element;
}

/** Returns the value schema of a record; undefined for other schemas. */
export const valueOf = (schema: z.ZodType): z.ZodType | undefined => definitionOf(unwrap(schema)).valueType;

/** Returns the fields of an object; empty for other schemas. */
export const shapeOf = (schema: z.ZodType): Readonly<Record<string, z.ZodType>> =>
  definitionOf(unwrap(schema)).shape ?? {};

/** Returns the schema of a field of an object, or undefined. */
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

/**
 * The minute to which a day is converted if a field requires a minute: the day's first or last, or the adjacent one.
 */
export type MinuteOfDay = "before it" | "its first" | "its last" | "after it";

/** A heading of a CSV table, and the column that it is taken for; undefined if it is not used. */
export interface MatchedHeading {
  readonly heading: string;
  readonly column?: string;
}

/** Metadata of a schema. The fields from `alsoSpelled` on are used by the surfaces of fxdesk only. */
export interface Meta {
  title?: string;
  description?: string;
  format?: string;
  examples?: readonly unknown[];
  /** Documented values of an open enumeration. */
  "x-extensible-enum"?: readonly string[];
  /** Accepted alternative spellings of an enumeration, each mapped to its option. */
  alsoSpelled?: ReadonlyMap<string, string>;
  /** Precision of a time, for texts without `format`. */
  precision?: "day" | "minute" | "instant";
  /** For minutes: the minute to which a day is converted. */
  ofDay?: MinuteOfDay;
  /** For times and periods: usual values in words, offered as suggestions. A field without `precision` is a period. */
  suggestions?: readonly string[];
  /** True if the value, or its property `iban`, is the IBAN of an account of the caller. */
  ownIban?: true;
  /** For a currency pair: the fields of its currencies, and the field of the rate that is stated for it. */
  pairOf?: { readonly buy: string; readonly sell: string; readonly rate: string };
  /** For numbers: an amount. Text that can mean two amounts, such as 10.000, is not read as one. */
  amount?: true;
  /** For CSV text and column maps: returns how the headings of a table are understood. */
  matchHeadings?: (header: string) => readonly MatchedHeading[];
  /** For CSV text: the field that takes the same rows as a list, whose properties name the columns. */
  columnsOf?: string;
  /** Separator of a list that is written as text. */
  separator?: string;
  /** For enumerations: the value comes from an earlier call, so its options need not be listed. */
  fromEarlier?: true;
  /** Accepted but discouraged. Tools do not list it. */
  deprecated?: true;
  /**
   * Operation whose tool lists the field. Other tools accept it but hide it, so that models find one way to do a
   * task.
   */
  listedBy?: string;
}

/** Returns the metadata of a schema, including that of wrapped schemas, which zod does not inherit. */
export function metaOf(schema: z.ZodType): Meta {
  const { type, innerType } = definitionOf(schema);
  const inner = wrappers.has(type) && innerType ? metaOf(innerType) : {};
  return { ...inner, ...(schema.meta() as Meta | undefined) };
}
