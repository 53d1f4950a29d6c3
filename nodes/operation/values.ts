/** Values as flows hold them, in the kind that a field takes. The client itself is stricter. */
import type { z } from "zod";
import { isDate } from "node:util/types";
import { fromText } from "../../core/wire/request";
import { elementOf, kindOf, metaOf, valueOf } from "../../core/schema/kind";
import { momentFitter } from "./moments";

type Fitter = (value: unknown) => unknown;

/** A list as an array, in text with commas, or in JSON text; anything else as it is. */
function itemsOf(value: unknown): unknown {
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
function separatedFitter(separator: string): Fitter {
  return (value) => {
    const items = itemsOf(value);
    return Array.isArray(items) ? items.filter((item) => item !== "").join(separator) : value;
  };
}

/** For a field that is a list. */
function listFitter(schema: z.ZodType): Fitter {
  const element = elementOf(schema);
  const fit = element ? fitter(element) : undefined;
  return (value) => {
    const items = typeof value === "string" ? fromText(schema, value) : value;
    return fit && Array.isArray(items) ? items.map((item: unknown) => fit(item) ?? item) : items;
  };
}

/** For a field that gives names their values. */
function mapFitter(schema: z.ZodType, entry: z.ZodType): Fitter {
  const fit = fitter(entry);
  return (value) => {
    const map = typeof value === "string" ? fromText(schema, value) : value;
    if (typeof map !== "object" || map === null || Array.isArray(map)) return map;
    return Object.fromEntries(Object.entries(map).map(([name, each]) => [name, fit(each) ?? each]));
  };
}

const scalarFitter =
  (schema: z.ZodType): Fitter =>
  (value) => {
    if (typeof value === "string") return fromText(schema, value);
    if (kindOf(schema) !== "string") return value;
    if (isDate(value)) return value.toISOString();
    return typeof value === "object" ? value : String(value);
  };

function fitterOf(schema: z.ZodType): Fitter {
  const { separator } = metaOf(schema);
  if (separator !== undefined) return separatedFitter(separator);
  if (kindOf(schema) === "array") return listFitter(schema);
  const entry = valueOf(schema);
  if (entry) return mapFitter(schema, entry);
  return momentFitter(schema) ?? scalarFitter(schema);
}

/**
 * Prepares a field: returns a value in the kind it takes. Nothing, null and empty text leave an optional field out. Throws
 * an Error for a value that would have to be guessed.
 */
export function fitter(schema: z.ZodType): Fitter {
  const fit = fitterOf(schema);
  return (value) => (value === undefined || value === null || value === "" ? undefined : fit(value));
}
