/** Coercion of flow values to the type of a field. The client itself is stricter. */
import type { z } from "zod";
import { isDate, isUint8Array } from "node:util/types";
import { fromText } from "../../core/call/encode-request";
import { elementOf, isRequired, kindOf, metaOf, propertyOf, shapeOf, valueOf } from "../../core/values/kind";
import { timeCoercer } from "./time-coercer";

type Coercer = (value: unknown) => unknown;

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
