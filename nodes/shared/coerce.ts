/** Coercion of flow values to the type of a field. The client itself is stricter. Times are UTC. */
import type { z } from "zod";
import { isDate, isUint8Array } from "node:util/types";
import { fromText } from "../../core/call/encode-request";
import {
  elementOf,
  isRequired,
  kindOf,
  type Meta,
  metaOf,
  propertyOf,
  shapeOf,
  valueOf,
} from "../../core/values/kind";
import { isDateTime, isDay, minuteForDay } from "../../core/values/values";

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
export type Precision = NonNullable<Meta["precision"]>;

/** Returns the precision of a time field, or undefined for other fields. */
export function precisionOf(schema: z.ZodType): Precision | undefined {
  const { format, precision } = metaOf(schema);
  if (precision) return precision;
  return format === "date" ? "day" : format === "date-time" ? "instant" : undefined;
}

/**
 * Converts a value to the time format of a field. Days are UTC. Excess precision is cut off. A day given for a time becomes
 * 00:00, or the minute that the field declares (`ofDay`). Values that are not times stay unchanged, so that validation reports
 * them.
 */
function coerceTime(schema: z.ZodType, precision: Precision, value: unknown): unknown {
  if (typeof value === "string" && schema.safeParse(value).success) return value;
  const { ofDay } = metaOf(schema);
  if (typeof value === "string" && isDay(value.trim()))
    return ofDay ? minuteForDay(value.trim(), ofDay) : `${value.trim()}T00:00:00Z`;
  const instant = toInstant(value);
  if (instant === undefined) return value;
  const text = instant.toISOString();
  return precision === "instant" ? text : text.slice(0, lengthByPrecision[precision]);
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

/** Converts a value to text. `bytesField` is the field of the same operation that takes binary data. */
function coerceText(schema: z.ZodType, value: unknown, bytesField: string | undefined): unknown {
  if (typeof value === "number") return numberToText(value);
  if (typeof value === "bigint" || typeof value === "boolean") return String(value);
  if (isDate(value)) return value.toISOString();
  if (!isUint8Array(value)) return value;
  return isBase64(schema) ? Buffer.from(value).toString("base64") : decodeUtf8(value, bytesField);
}

function coerceScalar(schema: z.ZodType, value: unknown, bytesField: string | undefined): unknown {
  const precision = precisionOf(schema);
  if (precision) return coerceTime(schema, precision, value);
  if (kindOf(schema) === "string") return coerceText(schema, value, bytesField);
  return typeof value === "string" ? fromText(schema, value) : value;
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

/** True for plain objects, also of another realm (Function nodes run in a VM context). False for Date, Map and the like. */
function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** A value that cannot be coerced, with its path in the field. */
export class ValueError extends Error {
  constructor(
    message: string,
    readonly path: readonly string[],
  ) {
    super(message);
  }
}

/**
 * Coerces a value to the type of a field, also inside lists, maps and objects. Returns undefined for undefined, null and empty
 * text, which omit the field. Throws a ValueError for an ambiguous value. `bytesField` is the field of the same operation that
 * takes binary data.
 */
export function coerce(
  schema: z.ZodType,
  value: unknown,
  bytesField?: string,
  path: readonly string[] = [],
): unknown {
  if (value === undefined || value === null || value === "") return undefined;
  const { separator } = metaOf(schema);
  if (separator !== undefined) {
    const items = toItems(value);
    return Array.isArray(items) ? items.filter((item) => item !== "").join(separator) : value;
  }
  const coerceInner = (key: string, inner: z.ZodType, each: unknown) =>
    coerce(inner, each, undefined, [...path, key]);
  const isList = kindOf(schema) === "array";
  const [element, entry] = [elementOf(schema), valueOf(schema)];
  if (!isList && !entry && Object.keys(shapeOf(schema)).length === 0) {
    try {
      return coerceScalar(schema, value, bytesField);
    } catch (error) {
      throw new ValueError((error as Error).message, path);
    }
  }
  const parsed = typeof value === "string" ? fromText(schema, value) : value;
  if (isList)
    return element && Array.isArray(parsed)
      ? parsed.map((item: unknown, index) => coerceInner(String(index), element, item) ?? item)
      : parsed;
  if (!isPlainObject(parsed)) return parsed;
  const entries = Object.entries(parsed).flatMap(([name, each]) => {
    // Unknown properties stay unchanged, so that validation reports them.
    const inner = entry ?? propertyOf(schema, name);
    const coerced = inner && coerceInner(name, inner, each);
    // Null and empty text omit an optional property, unless they are valid values of it.
    const isOmitted =
      coerced === undefined &&
      inner &&
      inner !== entry &&
      !isRequired(inner) &&
      !inner.safeParse(each).success;
    return isOmitted ? [] : [[name, coerced ?? each] as const];
  });
  return Object.fromEntries(entries);
}
