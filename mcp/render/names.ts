/**
 * Names as models see them: arguments in snake case, although the contract mixes spellings (`Consent-ID` is `consent_id`),
 * and tools instead of methods.
 */
import type { z } from "zod";
import type { Callable } from "../../core/spec/operation";
import { modelFields, memoizePerOperation } from "../../core/spec/fields";
import type { JsonObject } from "./content";
import { schemaPartsOf } from "./values";

/** Converts `Consent-ID`, `paymentId` and `page_size` to consent_id, payment_id and page_size. */
export const argumentName = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toLowerCase();

/** Returns a key that is equal for all spellings of one name. */
export const spellingKey = (name: string): string => name.toLowerCase().replace(/[-_.\s]/g, "");

function* namesIn(schema: z.ZodType): Generator<string> {
  const { shape = {}, element, options = [] } = schemaPartsOf(schema);
  for (const [name, inner] of Object.entries(shape)) {
    yield name;
    yield* namesIn(inner);
  }
  for (const inner of element ? [element, ...options] : options) yield* namesIn(inner);
}

/** Field names that the contract does not spell in snake case, longest first so that no match hides a longer one. */
const contractSpellings = memoizePerOperation((operation: Callable) => {
  const names = modelFields(operation).flatMap(({ name, schema }) => [name, ...namesIn(schema)]);
  const differing = [...new Set(names)].filter((name) => /[a-z][A-Z]|-/.test(name));
  return differing.toSorted((one, other) => other.length - one.length);
});

/** Replaces the field names in a text of the operation with argument names. */
export function withArgumentNames(operation: Callable, text: string): string {
  const names = contractSpellings(operation);
  if (names.length === 0) return text;
  return text.replace(new RegExp(`(?<![\\w-])(${names.join("|")})(?![\\w-])`, "g"), argumentName);
}

/** Returns a function that replaces method names of the client, for example `trades.list`, with tool names. */
export function replaceWithToolNames(operations: readonly Callable[]): (text: string) => string {
  const tools = new Map(operations.map(({ name, tool }) => [name, tool]));
  return (text) => text.replace(/\b[a-z]\w*\.[a-z]\w*\b/gi, (name) => tools.get(name) ?? name);
}

/** Converts field names to argument names, also inside objects and lists. */
export function toArguments(schema: z.ZodType | undefined, value: unknown): unknown {
  if (!schema || typeof value !== "object" || value === null) return value;
  const { shape, element } = schemaPartsOf(schema);
  if (Array.isArray(value)) return value.map((item) => toArguments(element, item));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      shape && name in shape ? argumentName(name) : name,
      toArguments(shape?.[name], inner),
    ]),
  );
}

/** Converts the values of an operation to the arguments of its tool. */
export function argumentsOf(operation: Callable, values: JsonObject): JsonObject {
  const fields = modelFields(operation).filter(({ name }) => values[name] !== undefined);
  return Object.fromEntries(
    fields.map(({ name, schema }) => [argumentName(name), toArguments(schema, values[name])]),
  );
}
