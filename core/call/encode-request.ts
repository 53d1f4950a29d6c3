/** Encodes operation fields as an HTTP request, and decodes them. */
import { isObject } from "../values/json";
import type { z } from "zod";
import { isAmbiguousAmount } from "../values/amount-text";
import { elementOf, kindOf, metaOf, optionSchemasOf, valueOf } from "../values/kind";
import { encodeBody } from "./body";
import type { Declaration } from "../spec/operation";
import { fieldsOf, type Field, type Values, memoizePerOperation } from "../spec/fields";
import { normalizeValue } from "./normalize-input";

/** An encoded request, without base address and credentials. */
export interface WireRequest {
  /** Path and query, ready for the request line. */
  readonly target: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
}

interface QueryField {
  readonly field: Field;
  /** Encoded name. */
  readonly name: string;
}

const encodingPlan = memoizePerOperation((operation) => {
  const fieldsAt = (location: Field["location"]) =>
    fieldsOf(operation).filter((field) => field.location === location);
  return {
    /** Literals at even indexes, path parameter names at odd ones. */
    path: operation.path.split(/[{}]/),
    query: fieldsAt("query").map((field): QueryField => ({ field, name: encodeURIComponent(field.name) })),
    headers: fieldsAt("header"),
  };
});

function encodeQueryField({ field, name }: QueryField, value: unknown): string {
  if (!Array.isArray(value)) return `${name}=${encodeURIComponent(String(value))}`;
  const items = value.map((item) => encodeURIComponent(String(item)));
  return field.list === "comma"
    ? `${name}=${items.join(",")}`
    : items.map((item) => `${name}=${item}`).join("&");
}

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;

/** Encodes validated values. Absent values and empty lists in the query are omitted. */
export function encodeRequest(operation: Declaration, values: Values): WireRequest {
  const { path, query, headers } = encodingPlan(operation);
  let target = "";
  for (let index = 0; index < path.length; index += 1)
    target += index % 2 === 0 ? path[index] : encodeURIComponent(String(values[path[index]!]));
  let separator = "?";
  for (const each of query) {
    const value = values[each.field.name];
    if (value === undefined || isEmptyList(value)) continue;
    target += separator + encodeQueryField(each, value);
    separator = "&";
  }
  const headerValues: Record<string, string> = {};
  for (const field of headers) {
    const value = values[field.name];
    if (value !== undefined) headerValues[field.name] = String(value);
  }
  const body = encodeBody(operation, values);
  if (body) headerValues["content-type"] = body.mediaType;
  return { target, headers: headerValues, body: body?.text };
}

/**
 * Parses a value from the text of a query string, a command line or a form. Text that does not match the type is returned
 * unchanged, for the validation to report.
 */
export function fromText(schema: z.ZodType, text: string): unknown {
  switch (kindOf(schema)) {
    case "integer":
    case "number":
      if (metaOf(schema).amount && isAmbiguousAmount(text)) return text;
      return /^-?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text;
    case "boolean":
      return text === "true" ? true : text === "false" ? false : text;
    case "array":
      return text.trim().startsWith("[") ? parseJsonOrText(text) : itemsFromText(schema, text.split(","));
    case "object":
      return withTextValues(schema, parseJsonOrText(text));
    case "unknown":
      return takesText(schema) && isAmbiguousAmount(text) ? text : parseJsonOrText(text);
    case "string":
      return text;
  }
}

const takesText = (schema: z.ZodType): boolean =>
  optionSchemasOf(schema).some((option) => kindOf(option) === "string");

function itemsFromText(schema: z.ZodType, items: readonly string[]): unknown[] {
  const element = elementOf(schema);
  return items.filter((item) => item !== "").map((item) => (element ? fromText(element, item.trim()) : item));
}

function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Converts numbers to strings in a map of strings, for example rates. */
function withTextValues(schema: z.ZodType, map: unknown): unknown {
  const entry = valueOf(schema);
  if (!entry || kindOf(entry) !== "string") return map;
  if (!isObject(map)) return map;
  return Object.fromEntries(
    Object.entries(map).map(([name, value]) => [name, typeof value === "number" ? String(value) : value]),
  );
}

type Texts = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A request as a server receives it: header names in lower case, repeated parameters as arrays, the body decoded. */
export interface ReceivedRequest {
  readonly path: Texts;
  readonly query: Texts;
  readonly headers: Texts;
  /** Body fields by name. */
  readonly body: Values | undefined;
}

function readField({ name, location, schema }: Field, request: ReceivedRequest): unknown {
  const texts = { path: request.path, query: request.query, header: request.headers };
  if (!(location in texts)) return request.body?.[name];
  const text = texts[location as keyof typeof texts][location === "header" ? name.toLowerCase() : name];
  if (text === undefined) return undefined;
  if (typeof text === "string") return fromText(schema, text);
  return kindOf(schema) === "array"
    ? itemsFromText(
        schema,
        text.flatMap((item) => item.split(",")),
      )
    : text;
}

const fieldNamesOf = memoizePerOperation((operation) => new Set(fieldsOf(operation).map(({ name }) => name)));

/** Returns body fields that the operation does not declare. */
const unknownBodyFields = (operation: Declaration, body: Values = {}): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !fieldNamesOf(operation).has(name)));

/**
 * Decodes the fields of an operation from a request. Invalid values and unknown body fields are kept for the validation;
 * unknown query parameters are ignored. Empty lists in the query are omitted, as in encoding.
 */
export function decodeRequest(operation: Declaration, request: ReceivedRequest): Record<string, unknown> {
  const values = unknownBodyFields(operation, request.body);
  for (const field of fieldsOf(operation)) {
    const value = normalizeValue(field, readField(field, request));
    if (value === undefined || (field.location === "query" && isEmptyList(value))) continue;
    values[field.name] = value;
  }
  return values;
}
