/** Values as flows hold them, in the kind that a field takes. The client itself is stricter. */
import type { z } from "zod";
import { isDate, isUint8Array } from "node:util/types";
import { fromText } from "../../core/wire/request";
import { elementOf, isRequired, kindOf, metaOf, propertyOf, shapeOf, valueOf } from "../../core/schema/kind";
import { timeCoercer } from "./time-coercer";

type Coercer = (value: unknown) => unknown;

/** What is wrong with a value inside a field, and where it is. */
export class NestedValueError extends Error {
  constructor(
    message: string,
    readonly path: readonly string[],
  ) {
    super(message);
  }
}

/** A value inside another one. */
function coerceNested(key: string, coerce: Coercer, value: unknown): unknown {
  try {
    return coerce(value);
  } catch (error) {
    const path = error instanceof NestedValueError ? error.path : [];
    throw new NestedValueError((error as Error).message, [key, ...path]);
  }
}

/** A list as an array, in text with commas, or in JSON text; anything else as it is. */
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

/** For a field that is one text with a separator between its items. */
function separatedListCoercer(separator: string): Coercer {
  return (value) => {
    const items = toItems(value);
    return Array.isArray(items) ? items.filter((item) => item !== "").join(separator) : value;
  };
}

/** For a field that is a list. */
function listCoercer(schema: z.ZodType): Coercer {
  const element = elementOf(schema);
  const coerce = element ? createCoercer(element) : undefined;
  return (value) => {
    const items = typeof value === "string" ? fromText(schema, value) : value;
    if (!coerce || !Array.isArray(items)) return items;
    return items.map((item: unknown, index) => coerceNested(String(index), coerce, item) ?? item);
  };
}

/** Of another realm too, as in a Function node. What else there is, such as a Date or a Map, is none of a field's objects. */
function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** For a field that is an object. What it does not know stays as it is, for the check to name. */
function objectCoercer(schema: z.ZodType): Coercer {
  const coercers = new Map<string, Coercer>();
  const coercerFor = (name: string, inner: z.ZodType): Coercer => {
    // Made when it is needed: an object may have fields of its own kind.
    const fit = coercers.get(name) ?? createCoercer(inner);
    coercers.set(name, fit);
    return fit;
  };
  return (value) => {
    const parsed = typeof value === "string" ? fromText(schema, value) : value;
    if (!isPlainObject(parsed)) return parsed;
    const coercedEntries: [string, unknown][] = [];
    for (const [name, each] of Object.entries(parsed)) {
      const inner = propertyOf(schema, name);
      const fit = inner && coerceNested(name, coercerFor(name, inner), each);
      // Null and empty text leave out what may be left out, unless they are values of it.
      if (fit === undefined && inner && !isRequired(inner) && !inner.safeParse(each).success) continue;
      coercedEntries.push([name, fit ?? each]);
    }
    return Object.fromEntries(coercedEntries);
  };
}

/** For a field that gives names their values. */
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

/** Whether a field takes Base64 and nothing else. */
export const isBase64 = (schema: z.ZodType): boolean => {
  const takes = (text: string) => schema.safeParse(text).success;
  return kindOf(schema) === "string" && takes("AA==") && takes("+/+/") && !takes("A") && !takes("&&&&");
};

function decodeUtf8(bytes: Uint8Array, bytesField: string | undefined): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    const hint = bytesField === undefined ? "" : `: give them as ${bytesField}`;
    throw new Error(`holds bytes that are no text in UTF-8${hint}`, { cause: error });
  }
}

/** NaN and Infinity stay, for the check to name. */
function numberToText(value: number): unknown {
  if (!Number.isFinite(value)) return value;
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    throw new Error("has more digits than a number holds: give it as text");
  return String(value);
}

/** For a field that is text. `bytesField` is the one of its operation that takes any bytes. */
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
 * Prepares a field: returns a value in the kind it takes. Nothing, null and empty text leave an optional field out. Throws
 * an Error for a value that would have to be guessed, an InnerMisfit for one inside. `bytesField` is the field of the same
 * operation that takes bytes that are no text.
 */
export function createCoercer(schema: z.ZodType, bytesField?: string): Coercer {
  const coerce = coercerForSchema(schema, bytesField);
  return (value) => (value === undefined || value === null || value === "" ? undefined : coerce(value));
}
