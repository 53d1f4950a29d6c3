/** Prepares values for models: decimal numbers as text, invisible characters as codes, and sizes that they can read. */
import { Big } from "big.js";
import type { z } from "zod";
import { kindOf, unwrap } from "../../core/values/kind";
import { isWebAddress } from "../../core/values/values";
import { visibleText } from "../../core/values/visible-text";
import type { Callable } from "../../core/spec/operation";

/** The nested schemas of a schema. */
export interface SchemaParts {
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly options?: readonly z.ZodType[];
}

export const schemaPartsOf = (schema: z.ZodType): SchemaParts => unwrap(schema).def as SchemaParts;

/** Returns the schema of an entry of an object or array; undefined if the contract has none. */
function entrySchemaOf(schema: z.ZodType | undefined, key: string): z.ZodType | undefined {
  if (!schema) return undefined;
  const { shape, element, valueType, options = [] } = schemaPartsOf(schema);
  return (
    shape?.[key] ??
    element ??
    valueType ??
    options.map((option) => entrySchemaOf(option, key)).find((entry) => entry !== undefined)
  );
}

const isIntegerSchema = (schema: z.ZodType): boolean =>
  kindOf(schema) === "integer" || (schemaPartsOf(schema).options?.some(isIntegerSchema) ?? false);

/** Formats a finite number in decimal notation with the digits of its shortest form: 1e-7 becomes 0.0000001. */
export function decimalString(value: number): string {
  const text = String(value);
  return text.includes("e") ? new Big(text).toFixed() : text;
}

/**
 * Converts numbers to decimal strings, except those that the contract declares as integers. The contract decides rather
 * than the value, so that a field has the same type in every response.
 */
export function withDecimalStrings(value: unknown, schema: z.ZodType | undefined): unknown {
  if (typeof value === "string") return visibleText(value);
  if (typeof value === "number")
    return schema && Number.isInteger(value) && isIntegerSchema(schema) ? value : decimalString(value);
  if (Array.isArray(value)) {
    const element = entrySchemaOf(schema, "");
    return value.map((item) => withDecimalStrings(item, element));
  }
  if (typeof value !== "object" || value === null) return value;
  // A copy with the same names is much faster than one that is made of entries.
  const shown: Record<string, unknown> = { ...value };
  for (const [key, entry] of Object.entries(value))
    shown[key] =
      key === "href" && isUnsafeLink(entry)
        ? refusedLinkText
        : withDecimalStrings(entry, entrySchemaOf(schema, key));
  return withVisibleNames(shown);
}

function withVisibleNames(object: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (Object.keys(object).every((name) => visibleText(name) === name)) return object;
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [visibleText(name), value]));
}

/** Fields that fxdesk adds to results. */
const ownFields = new Set([
  "differs_from_contract",
  "earlier",
  "fxdesk",
  "next",
  "part",
  "release",
  "resource",
  "resource_description",
  "state",
  "truncated",
]);

/** Prepares a body. Fields that the contract does not have and that would pass as those of fxdesk get another name. */
export function shownBody(body: unknown, schema: z.ZodType | undefined): unknown {
  const shown = withDecimalStrings(body, schema);
  if (typeof shown !== "object" || shown === null || Array.isArray(shown)) return shown;
  const { shape = {} } = schema ? schemaPartsOf(schema) : {};
  const isForeign = (name: string) => ownFields.has(name) && !Object.hasOwn(shape, name);
  return Object.fromEntries(
    Object.entries(shown).map(([name, value]) => [isForeign(name) ? `service_${name}` : name, value]),
  );
}

/** Quotes text of others unless it is one word, so that it is no sentence of fxdesk. */
export const quoteWords = (text: string): string => (/^[\w.:+/-]*$/.test(text) ? text : JSON.stringify(text));

const refusedLinkText = "(not passed on: the link is not https)";

/** True for an absolute link that people should not open. */
const isUnsafeLink = (value: unknown): boolean =>
  typeof value === "string" && URL.canParse(value) && !isWebAddress(value);

/** Upper bound of one result in characters of JSON: about 5,000 tokens, well below the limits of hosts. */
export const maxResultLength = 20_000;

/** Lengths of objects and lists, none of which changes: each is asked for several times. */
const knownLengths = new WeakMap<object, number>();

/** Returns the number of characters of a value as JSON. */
export function jsonLength(value: unknown): number {
  const isNested = typeof value === "object" && value !== null;
  const known = isNested ? knownLengths.get(value) : undefined;
  if (known !== undefined) return known;
  const length = JSON.stringify(value)?.length ?? 0;
  if (isNested) knownLengths.set(value, length);
  return length;
}

/**
 * Truncates a value to a number of characters of JSON. Keeps the first items of an array, the beginning of a string and all
 * properties of an object, cutting large ones first. An object with too many properties loses the largest.
 */
export function truncate(value: unknown, budget: number): unknown {
  if (jsonLength(value) <= budget) return value;
  if (typeof value === "string") return truncateText(value, budget);
  if (Array.isArray(value)) return truncateArray(value, budget);
  if (typeof value === "object" && value !== null) return truncateObject(value, budget);
  return value;
}

/**
 * Cuts the text in proportion to its JSON, in which line ends and quotes take two characters. Does not split surrogate
 * pairs.
 */
function truncateText(text: string, budget: number): string {
  const part = Math.max(0, budget - 3) / jsonLength(text);
  return `${text.slice(0, Math.floor(text.length * part)).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

function truncateArray(items: readonly unknown[], budget: number): unknown[] {
  let remaining = budget - 2;
  const end = items.findIndex((item) => (remaining -= jsonLength(item) + 1) < 0);
  return end === 0 ? [truncate(items[0], budget - 2)] : items.slice(0, end);
}

function truncateObject(object: object, budget: number): unknown {
  const smallestFirst = Object.entries(object).toSorted(([, a], [, b]) => jsonLength(a) - jsonLength(b));
  let remaining = budget - 2;
  let remainingCount = smallestFirst.length;
  const included = new Map<string, unknown>();
  for (const [key, value] of smallestFirst) {
    const share = remaining / remainingCount - key.length - 4;
    const truncated = truncate(value, share);
    const size = jsonLength(truncated) + key.length + 4;
    remainingCount -= 1;
    if (size > remaining) continue;
    included.set(key, truncated);
    remaining -= size;
  }
  return Object.fromEntries(
    Object.keys(object).flatMap((key) => (included.has(key) ? [[key, included.get(key)]] : [])),
  );
}

/** Adds a warning for calls that are not reads, which must not be repeated to see the rest. */
export const truncationNote = ({ effect }: Callable, text: string): string =>
  effect === "read"
    ? text
    : `${text} Do not call the tool again to see the rest: that would repeat the action.`;
