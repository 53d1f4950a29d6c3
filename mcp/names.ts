/** One spelling for the names of arguments, whatever the contract spells them like: `Consent-ID` is `consent_id`. */
import type { z } from "zod";
import type { Callable } from "../core/declaration/operation";
import { modelFields, perOperation } from "../core/declaration/fields";
import { unwrap } from "../core/schema/kind";
import type { JsonObject } from "./protocol";

/** `Consent-ID`, `paymentId` and `page_size` are consent_id, payment_id and page_size. */
export const argumentName = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toLowerCase();

/** What spellings of one name have in common. */
export const spellingKey = (name: string): string => name.toLowerCase().replace(/[-_.\s]/g, "");

/** The parts of a schema that hold others. */
export interface Parts {
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly element?: z.ZodType;
  readonly options?: readonly z.ZodType[];
}

export const partsOf = (schema: z.ZodType): Parts => unwrap(schema).def as Parts;

function* namesIn(schema: z.ZodType): Generator<string> {
  const { shape = {}, element, options = [] } = partsOf(schema);
  for (const [name, inner] of Object.entries(shape)) {
    yield name;
    yield* namesIn(inner);
  }
  for (const inner of element ? [element, ...options] : options) yield* namesIn(inner);
}

/** Names that are spelled differently in the contract, the longest first. */
const respelled = perOperation((operation: Callable) => {
  const names = modelFields(operation).flatMap(({ name, schema }) => [name, ...namesIn(schema)]);
  const others = [...new Set(names)].filter((name) => /[a-z][A-Z]|-/.test(name));
  return others.toSorted((one, other) => other.length - one.length);
});

/** A text of the operation, with its fields as arguments are spelled. */
export function inArgumentNames(operation: Callable, text: string): string {
  const names = respelled(operation);
  if (names.length === 0) return text;
  return text.replace(new RegExp(`(?<![\\w-])(${names.join("|")})(?![\\w-])`, "g"), argumentName);
}

/** Values with their names as arguments are spelled, inside objects and lists too. */
export function asArguments(schema: z.ZodType | undefined, value: unknown): unknown {
  if (!schema || typeof value !== "object" || value === null) return value;
  const { shape, element } = partsOf(schema);
  if (Array.isArray(value)) return value.map((item) => asArguments(element, item));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      shape && name in shape ? argumentName(name) : name,
      asArguments(shape?.[name], inner),
    ]),
  );
}

/** The values of an operation as arguments of its tool. */
export function argumentsOf(operation: Callable, values: JsonObject): JsonObject {
  const fields = modelFields(operation).filter(({ name }) => values[name] !== undefined);
  return Object.fromEntries(
    fields.map(({ name, schema }) => [argumentName(name), asArguments(schema, values[name])]),
  );
}
