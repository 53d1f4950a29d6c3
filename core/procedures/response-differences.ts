/** Differences between a value and a schema, as paths and kinds. Never contains values. */
import { isObject } from "../values/json";
import type { z } from "zod";
import { elementOf, kindOf, metaOf, shapeOf, unwrap } from "../values/kind";

/** A difference: the path with list indexes as [], the kind in the contract, and the kind found. */
export interface Difference {
  readonly path: string;
  readonly expected: string;
  readonly found: string;
}

/** Returns the kind of a value in words. */
export function kindOfValue(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  if (typeof value === "string") return value === "" ? "empty text" : "text";
  return typeof value;
}

const kindNames: Readonly<Record<string, string>> = {
  string: "text",
  array: "list",
  integer: "whole number",
};

/** Returns the kind that a schema expects in words. */
function expectedKind(schema: z.ZodType): string {
  const kind = kindOf(schema);
  const name = kindNames[kind] ?? kind;
  const format = metaOf(schema).format ?? (unwrap(schema) as { readonly format?: string | null }).format;
  return format && name === "text" && format !== "regex" ? `text (${format})` : name;
}

/** Replaces names that do not look like field names, because they may be values. */
const redactName = (name: string): string => (/^_?[A-Za-z_]{1,40}\d?$/.test(name) ? name : "*");

const joinPath = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);

function objectDifferences(
  schema: z.ZodType,
  value: Readonly<Record<string, unknown>>,
  path: string,
): Difference[] {
  const shape = shapeOf(schema);
  const known = Object.entries(shape).flatMap(([name, field]) =>
    findDifferences(field, value[name], joinPath(path, name)),
  );
  const unknown = Object.keys(value)
    .filter((name) => !Object.hasOwn(shape, name))
    .map((name) => ({
      path: joinPath(path, redactName(name)),
      expected: "no such field",
      found: kindOfValue(value[name]),
    }));
  return [...known, ...unknown];
}

function nestedDifferences(schema: z.ZodType, value: unknown, path: string): Difference[] {
  const { type, valueType } = unwrap(schema).def as { readonly type: string; readonly valueType?: z.ZodType };
  const element = elementOf(schema);
  if (element && Array.isArray(value))
    return value.flatMap((item) => findDifferences(element, item, `${path}[]`));
  if (type === "object" && isObject(value)) return objectDifferences(schema, value, path);
  if (type === "record" && valueType && isObject(value))
    return Object.values(value).flatMap((item) => findDifferences(valueType, item, joinPath(path, "*")));
  const known = metaOf(schema)["x-extensible-enum"];
  return known && typeof value === "string" && !known.includes(value)
    ? [{ path, expected: "one of the documented values", found: "another text" }]
    : [];
}

/** Returns all differences between a value and a schema, including unknown fields. */
export function findDifferences(schema: z.ZodType, value: unknown, path = ""): Difference[] {
  const found = value === null || value === undefined ? [] : nestedDifferences(schema, value, path);
  if (found.length > 0 || schema.safeParse(value).success) return found;
  return [{ path, expected: expectedKind(schema), found: describeFound(schema, value) }];
}

/** Reports another format if the kind is as expected. */
function describeFound(schema: z.ZodType, value: unknown): string {
  const found = kindOfValue(value);
  return found === (kindNames[kindOf(schema)] ?? kindOf(schema)) ? `${found} in another format` : found;
}
