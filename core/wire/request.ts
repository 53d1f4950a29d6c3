/** Between the fields of an operation and an HTTP request, in both directions. */
import type { z } from "zod";
import { elementOf, kindOf, valueOf } from "../schema/kind";
import { encodeBody } from "./body";
import type { Declaration } from "../declaration/operation";
import { fieldsOf, type Field, type Values, memoizePerOperation } from "../declaration/fields";
import { normalizeValue } from "./normalize-input";

/** A request without base address and credentials. */
export interface WireRequest {
  /** Path and query, ready for the request line. */
  readonly target: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
}

interface QueryField {
  readonly field: Field;
  /** As it stands in the query. */
  readonly name: string;
}

const encodingPlan = memoizePerOperation((operation) => {
  const fieldsAt = (place: Field["location"]) =>
    fieldsOf(operation).filter((field) => field.location === place);
  return {
    /** Literal pieces at even places, names of path parameters at odd ones. */
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

/** Writes checked values as a request. A field without a value, and a list without items in the query, is left out. */
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
 * Reads a value from text, as a query string, a command line or a form gives it. Text that does not fit the kind is
 * returned as it is, for the check to name.
 */
export function fromText(schema: z.ZodType, text: string): unknown {
  switch (kindOf(schema)) {
    case "integer":
    case "number":
      return /^-?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text;
    case "boolean":
      return text === "true" ? true : text === "false" ? false : text;
    case "array":
      return text.trim().startsWith("[") ? parseJsonOrText(text) : itemsFromText(schema, text.split(","));
    case "object":
      return withTextValues(schema, parseJsonOrText(text));
    case "unknown":
      return parseJsonOrText(text);
    case "string":
      return text;
  }
}

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

/** A map of texts, such as rates, whose JSON may have numbers for them. */
function withTextValues(schema: z.ZodType, map: unknown): unknown {
  const entry = valueOf(schema);
  if (!entry || kindOf(entry) !== "string") return map;
  if (typeof map !== "object" || map === null || Array.isArray(map)) return map;
  return Object.fromEntries(
    Object.entries(map).map(([name, value]) => [name, typeof value === "number" ? String(value) : value]),
  );
}

type Texts = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A request as a server receives it; header names in lower case, repeated parameters as arrays, the body decoded. */
export interface ReceivedRequest {
  readonly path: Texts;
  readonly query: Texts;
  readonly headers: Texts;
  /** Its fields by name. */
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

/** What a body has that the operation does not. */
const unknownBodyFields = (operation: Declaration, body: Values = {}): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !fieldNamesOf(operation).has(name)));

/**
 * Reads the fields of an operation from a request. What does not fit is left as it came, for the check to name, and so is
 * what the body has that the operation does not; what else the query has is not looked at. A list without items in the
 * query is left out, as it is when a request is written.
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
