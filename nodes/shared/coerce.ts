/** Coercion of flow values to the type of a field. The client itself is stricter. Times are UTC. */
import type { z } from "zod";
import { isDate, isUint8Array } from "node:util/types";
import { fromText } from "../../core/call/encode-request";
import { elementOf, isRequired, kindOf, metaOf, propertyOf, shapeOf, valueOf } from "../../core/values/kind";
import { isDateTime, isDay, minuteForDay } from "../../core/values/values";

type Coercer = (value: unknown) => unknown;

/**
 * Range of numbers that are read as milliseconds since 1970. Outside of it they are ambiguous: smaller ones may be seconds
 * or the digits of a date.
 */
const [earliest, latest] = [Date.UTC(1990, 0, 1), Date.UTC(2100, 0, 1)];

function fromMilliseconds(milliseconds: number): Date | undefined {
  const isTime = Number.isInteger(milliseconds) && milliseconds >= earliest && milliseconds < latest;
  return isTime ? new Date(milliseconds) : undefined;
}

const hasZone = (text: string): boolean => /(Z|[+-]\d\d:?\d\d)$/.test(text);

/** Parses a time. Without a zone, it is UTC. */
function instantFromText(text: string): Date | undefined {
  if (/^\d+$/.test(text)) return fromMilliseconds(Number(text));
  return isDateTime(text) ? new Date(hasZone(text.slice(10)) ? text : `${text}Z`) : undefined;
}

/** Returns the instant of a value, or undefined for other text. Throws an Error for an invalid number or Date. */
function toInstant(value: unknown): Date | undefined {
  if (typeof value === "string") return instantFromText(value.trim());
  if (typeof value === "number") {
    const instant = fromMilliseconds(value);
    if (instant) return instant;
    throw new Error(
      `must be a time; numbers are milliseconds since 1970 between the years 1990 and 2100, and ${value} is outside of this range`,
    );
  }
  if (!isDate(value)) return undefined;
  if (Number.isNaN(value.getTime())) throw new Error("must be a time, not an invalid Date");
  return value;
}

/** Length of the ISO time that a field takes. */
const lengthByPrecision = { day: "YYYY-MM-DD".length, minute: "YYYY-MM-DDThh:mm".length } as const;

/** Precision of a time. */
export type Precision = keyof typeof lengthByPrecision | "instant";

/** Returns the precision of a time field, or undefined for other fields. */
export function precisionOf(schema: z.ZodType): Precision | undefined {
  const { format, precision } = metaOf(schema);
  if (precision) return precision;
  return format === "date" ? "day" : format === "date-time" ? "instant" : undefined;
}

/**
 * Creates a function that converts values to the time format of a field; undefined for other fields. Days are UTC. Excess
 * precision is cut off. A day given for a time becomes 00:00, or the minute that the field declares (`ofDay`). Values that
 * are not times stay unchanged, so that validation reports them.
 */
function timeCoercer(schema: z.ZodType): Coercer | undefined {
  const precision = precisionOf(schema);
  if (precision === undefined) return undefined;
  const { ofDay } = metaOf(schema);
  return (value) => {
    if (typeof value === "string" && schema.safeParse(value).success) return value;
    if (typeof value === "string" && isDay(value.trim()))
      return ofDay ? minuteForDay(value.trim(), ofDay) : `${value.trim()}T00:00:00Z`;
    const instant = toInstant(value);
    if (instant === undefined) return value;
    const text = instant.toISOString();
    return precision === "instant" ? text : text.slice(0, lengthByPrecision[precision]);
  };
}

/** Error in a nested value, with its path. */
export class NestedValueError extends Error {
  constructor(
    message: string,
    readonly path: readonly string[],
  ) {
    super(message);
  }
}

/** Coerces a nested value and adds its key to the path of errors. */
function coerceNested(key: string, coerce: Coercer, value: unknown): unknown {
  try {
    return coerce(value);
  } catch (error) {
    const path = error instanceof NestedValueError ? error.path : [];
    throw new NestedValueError((error as Error).message, [key, ...path]);
  }
}

/** Parses comma-separated or JSON text to an array. Returns other values unchanged. */
function toItems(value: unknown): unknown {
  if (typeof value !== "string") return value;
  const text = value.trim();
  if (!text.startsWith("[")) return text.split(",").map((item) => item.trim());
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return value;
  }
}

/** Coercer of a field that is a text with separated items. */
function separatedListCoercer(separator: string): Coercer {
  return (value) => {
    const items = toItems(value);
    return Array.isArray(items) ? items.filter((item) => item !== "").join(separator) : value;
  };
}

/** Coercer of a list. */
function listCoercer(schema: z.ZodType): Coercer {
  const element = elementOf(schema);
  const coerce = element ? createCoercer(element) : undefined;
  return (value) => {
    const items = typeof value === "string" ? fromText(schema, value) : value;
    if (!coerce || !Array.isArray(items)) return items;
    return items.map((item: unknown, index) => coerceNested(String(index), coerce, item) ?? item);
  };
}

/** True for plain objects, also of another realm (Function nodes run in a VM context). False for Date, Map and the like. */
function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Coercer of an object. Unknown properties stay unchanged, so that validation reports them. */
function objectCoercer(schema: z.ZodType): Coercer {
  const coercers = new Map<string, Coercer>();
  const coercerFor = (name: string, inner: z.ZodType): Coercer => {
    // Created on demand: schemas can be recursive.
    const coerce = coercers.get(name) ?? createCoercer(inner);
    coercers.set(name, coerce);
    return coerce;
  };
  return (value) => {
    const parsed = typeof value === "string" ? fromText(schema, value) : value;
    if (!isPlainObject(parsed)) return parsed;
    const coercedEntries: [string, unknown][] = [];
    for (const [name, each] of Object.entries(parsed)) {
      const inner = propertyOf(schema, name);
      const coercedValue = inner && coerceNested(name, coercerFor(name, inner), each);
      // Null and empty text omit an optional property, unless they are valid values of it.
      if (coercedValue === undefined && inner && !isRequired(inner) && !inner.safeParse(each).success)
        continue;
      coercedEntries.push([name, coercedValue ?? each]);
    }
    return Object.fromEntries(coercedEntries);
  };
}

/** Coercer of a map from names to values. */
function mapCoercer(schema: z.ZodType, entry: z.ZodType): Coercer {
  const coerce = createCoercer(entry);
  return (value) => {
    const map = typeof value === "string" ? fromText(schema, value) : value;
    if (!isPlainObject(map)) return map;
    const entries = Object.entries(map).map(
      ([name, each]) => [name, coerceNested(name, coerce, each) ?? each] as const,
    );
    return Object.fromEntries(entries);
  };
}

/** True if a field accepts only Base64. */
export const isBase64 = (schema: z.ZodType): boolean => {
  const takes = (text: string) => schema.safeParse(text).success;
  return kindOf(schema) === "string" && takes("AA==") && takes("+/+/") && !takes("A") && !takes("&&&&");
};

function decodeUtf8(bytes: Uint8Array, bytesField: string | undefined): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    const hint = bytesField === undefined ? "" : `: use ${bytesField} for binary data`;
    throw new Error(`contains bytes that are not valid UTF-8${hint}`, { cause: error });
  }
}

/** Converts a number to text. NaN and Infinity stay unchanged, so that validation reports them. */
function numberToText(value: number): unknown {
  if (!Number.isFinite(value)) return value;
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    throw new Error("has more digits than a number can hold: pass it as text");
  return String(value);
}

/** Coercer of a text field. `bytesField` is the field of the same operation that takes binary data. */
function textCoercer(schema: z.ZodType, bytesField: string | undefined): Coercer {
  const isBase64Field = isBase64(schema);
  return (value) => {
    switch (typeof value) {
      case "number":
        return numberToText(value);
      case "bigint":
      case "boolean":
        return String(value);
      case "object":
        if (isDate(value)) return value.toISOString();
        if (!isUint8Array(value)) return value;
        return isBase64Field ? Buffer.from(value).toString("base64") : decodeUtf8(value, bytesField);
      default:
        return value;
    }
  };
}

function scalarCoercer(schema: z.ZodType, bytesField: string | undefined): Coercer {
  if (kindOf(schema) === "string") return textCoercer(schema, bytesField);
  return (value) => (typeof value === "string" ? fromText(schema, value) : value);
}

function coercerForSchema(schema: z.ZodType, bytesField: string | undefined): Coercer {
  const { separator } = metaOf(schema);
  if (separator !== undefined) return separatedListCoercer(separator);
  if (kindOf(schema) === "array") return listCoercer(schema);
  const entry = valueOf(schema);
  if (entry) return mapCoercer(schema, entry);
  if (Object.keys(shapeOf(schema)).length > 0) return objectCoercer(schema);
  return timeCoercer(schema) ?? scalarCoercer(schema, bytesField);
}

/**
 * Creates a function that coerces values to the type of a field. Returns undefined for undefined, null and empty text, which
 * omit the field. The function throws an Error for an ambiguous value, a NestedValueError for a nested one. `bytesField` is
 * the field of the same operation that takes binary data.
 */
export function createCoercer(schema: z.ZodType, bytesField?: string): Coercer {
  const coerce = coercerForSchema(schema, bytesField);
  return (value) => (value === undefined || value === null || value === "" ? undefined : coerce(value));
}
