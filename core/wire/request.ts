/** Between the fields of an operation and an HTTP request, in both directions. */
import type { z } from "zod";
import { elementOf, kindOf, valueOf } from "../schema/kind";
import { encodeBody } from "./body";
import type { Declaration } from "../declaration/operation";
import { fieldsOf, type Field, type Values, perOperation } from "../declaration/fields";
import { canonicalValue } from "./spelling";

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

const plan = perOperation((operation) => {
  const inPlace = (place: Field["place"]) => fieldsOf(operation).filter((field) => field.place === place);
  return {
    /** Literal pieces at even places, names of path parameters at odd ones. */
    path: operation.path.split(/[{}]/),
    query: inPlace("query").map((field): QueryField => ({ field, name: encodeURIComponent(field.name) })),
    headers: inPlace("header"),
  };
});

function queryPair({ field, name }: QueryField, value: unknown): string {
  if (!Array.isArray(value)) return `${name}=${encodeURIComponent(String(value))}`;
  const items = value.map((item) => encodeURIComponent(String(item)));
  return field.list === "comma"
    ? `${name}=${items.join(",")}`
    : items.map((item) => `${name}=${item}`).join("&");
}

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;

/** Writes checked values as a request. A field without a value, and a list without items in the query, is left out. */
export function encodeRequest(operation: Declaration, values: Values): WireRequest {
  const { path, query, headers } = plan(operation);
  let target = "";
  for (let index = 0; index < path.length; index += 1)
    target += index % 2 === 0 ? path[index] : encodeURIComponent(String(values[path[index]!]));
  let separator = "?";
  for (const each of query) {
    const value = values[each.field.name];
    if (value === undefined || isEmptyList(value)) continue;
    target += separator + queryPair(each, value);
    separator = "&";
  }
  const sent: Record<string, string> = {};
  for (const field of headers) {
    const value = values[field.name];
    if (value !== undefined) sent[field.name] = String(value);
  }
  const body = encodeBody(operation, values);
  if (body) sent["content-type"] = body.mediaType;
  return { target, headers: sent, body: body?.text };
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
      return text.trim().startsWith("[") ? parsed(text) : itemsFromText(schema, text.split(","));
    case "object":
      return withTexts(schema, parsed(text));
    case "unknown":
      return parsed(text);
    case "string":
      return text;
  }
}

function itemsFromText(schema: z.ZodType, items: readonly string[]): unknown[] {
  const element = elementOf(schema);
  return items.filter((item) => item !== "").map((item) => (element ? fromText(element, item.trim()) : item));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A map of texts, such as rates, whose JSON may have numbers for them. */
function withTexts(schema: z.ZodType, map: unknown): unknown {
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

function received({ name, place, schema }: Field, request: ReceivedRequest): unknown {
  const texts = { path: request.path, query: request.query, header: request.headers };
  if (!(place in texts)) return request.body?.[name];
  const text = texts[place as keyof typeof texts][place === "header" ? name.toLowerCase() : name];
  if (text === undefined) return undefined;
  if (typeof text === "string") return fromText(schema, text);
  return kindOf(schema) === "array"
    ? itemsFromText(
        schema,
        text.flatMap((item) => item.split(",")),
      )
    : text;
}

const namesOf = perOperation((operation) => new Set(fieldsOf(operation).map(({ name }) => name)));

/** What a body has that the operation does not. */
const unknownIn = (operation: Declaration, body: Values = {}): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !namesOf(operation).has(name)));

/**
 * Reads the fields of an operation from a request. What does not fit is left as it came, for the check to name, and so is
 * what the body has that the operation does not; what else the query has is not looked at. A list without items in the
 * query is left out, as it is when a request is written.
 */
export function decodeRequest(operation: Declaration, request: ReceivedRequest): Record<string, unknown> {
  const values = unknownIn(operation, request.body);
  for (const field of fieldsOf(operation)) {
    const value = canonicalValue(field, received(field, request));
    if (value === undefined || (field.place === "query" && isEmptyList(value))) continue;
    values[field.name] = value;
  }
  return values;
}
