/** Parses the arguments of a tool into the values of its operation, its idempotency key and its cursor. */
import type { z } from "zod";
import { checkInput, keyViolation, requiresKey } from "../core/spec/check";
import type { ClientCore } from "../core/api/client-types";
import type { CallOptions } from "../core/call/call-options";
import type { Callable } from "../core/spec/operation";
import { fieldsOf, modelFields, memoizePerOperation, type Values } from "../core/spec/fields";
import type { Violation } from "../core/spec/errors";
import { isWatch } from "../core/spec/watch";
import { isObject } from "../core/values/json";
import { propertyOf, valueOf } from "../core/values/kind";
import { suggestions } from "../core/values/suggestions";
import { coerceValue } from "./coerce-value";
import { cursorArgument, returnsRows } from "./read-list";
import type { JsonObject } from "./render/content";
import { argumentName, spellingKey, withArgumentNames } from "./render/names";
import { schemaPartsOf } from "./render/values";
import type { Settings } from "./target";
import { splitWatchArguments, type WatchPosition } from "./watch-tool";

/** The arguments of a call, separated by their meaning, and the violations found while parsing them. */
export interface ParsedArguments {
  /** By the names of the operation's fields. */
  readonly values: Values;
  /** Idempotency key of a call that moves money. */
  readonly key?: string;
  /** Where the result begins: the cursor of an earlier result, or the start of a new watch. */
  readonly position: WatchPosition;
  readonly violations: readonly Violation[];
  /** Arguments that were accepted under another spelling. */
  readonly spellingCorrections: readonly { readonly given: string; readonly name: string }[];
}

/** Reads the values of omitted fields from other operations. */
export async function lookUpFields(
  { lookedUp = {} }: Callable,
  values: Values,
  { client, options }: { readonly client: ClientCore; readonly options: CallOptions },
): Promise<Values> {
  const found: Record<string, unknown> = { ...values };
  for (const [name, { from, field }] of Object.entries(lookedUp))
    if (found[name] === undefined) {
      const source = client.service.operations.find((each) => each.name === from)!;
      const entries = (await client.call(source, {}, options)).body as readonly Values[];
      found[name] = [...new Set(entries.map((entry) => entry[field]))].join(",");
    }
  return found;
}

export const keyArgument = "request_key";

/** Schema of the idempotency key; `requiresKey` decides whether it is required. */
export const keyProperty = {
  [keyArgument]: {
    type: "string",
    description: "Your text for this request; reuse it to retry.",
  },
};

/** Parses the arguments of a tool as models write them. */
export function parseArguments(operation: Callable, input: JsonObject, settings: Settings): ParsedArguments {
  const { key, rest, violations } = splitKey(operation, input);
  const [given, position] = splitPosition(operation, rest);
  const fields = parseFields(operation, given, settings);
  return {
    ...fields,
    ...(key !== undefined && { key }),
    position,
    violations: [...violations, ...fields.violations],
  };
}

const keyRequiredMessage =
  "is required: choose a text that identifies this one request, for example an invoice number; use it again only to repeat the same request";

/** Separates the key from the other arguments and checks it. Strict hosts send null for an omitted key. */
function splitKey(
  operation: Callable,
  input: JsonObject,
): { readonly key?: string; readonly rest: JsonObject; readonly violations: readonly Violation[] } {
  if (operation.effect !== "money") return { rest: input, violations: [] };
  const entries = Object.entries(input);
  const isKeyEntry = ([name]: [string, unknown]) => spellingKey(name) === spellingKey(keyArgument);
  const key = entries.find(isKeyEntry)?.[1] ?? undefined;
  const rest = Object.fromEntries(entries.filter((entry) => !isKeyEntry(entry)));
  const message =
    key !== undefined ? keyViolation(key) : requiresKey(operation) ? keyRequiredMessage : undefined;
  if (message !== undefined) return { rest, violations: [{ field: keyArgument, message }] };
  return { rest, violations: [], ...(key !== undefined && { key: key as string }) };
}

/** Separates the position from the fields. Strict hosts send null for omitted arguments. */
function splitPosition(
  operation: Callable,
  input: JsonObject,
): readonly [given: JsonObject, position: WatchPosition] {
  if (isWatch(operation)) return splitWatchArguments(input);
  if (!returnsRows(operation)) return [input, {}];
  const { [cursorArgument]: cursor, ...given } = input;
  return [given, { cursor: cursor ?? undefined }];
}

/** Parses arguments and collects violations. */
class ArgumentParser {
  readonly violations: Violation[] = [];
  readonly spellingCorrections = new Map<string, string>();

  /** Parses a value recursively. Adds to the violations. */
  parseValue(schema: z.ZodType, given: unknown, path: string): unknown {
    const coerced = coerceValue(schema, given);
    if ("message" in coerced) {
      this.violations.push({ field: path, message: coerced.message });
      return given;
    }
    const { value } = coerced;
    const { shape, element } = schemaPartsOf(schema);
    if (Array.isArray(value) && element)
      return value.map((item, index) => this.parseValue(element, item, `${path}.${index}`));
    if (!isObject(value)) return value;
    const entry = valueOf(schema);
    if (entry)
      return Object.fromEntries(
        Object.entries(value).map(([key, each]) => [key, this.parseValue(entry, each, `${path}.${key}`)]),
      );
    if (shape)
      return this.parseObject(shape, value, path, (key) => this.#acceptsUnknownKey(schema, key, path));
    return value;
  }

  /** True if the schema is open to unknown keys; otherwise adds a violation. */
  #acceptsUnknownKey(schema: z.ZodType, key: string, path: string): boolean {
    const { shape = {} } = schemaPartsOf(schema);
    const known = Object.keys(shape).map(argumentName);
    if (schema.safeParse({ [key]: 0 }).error?.issues.some(({ code }) => code === "unrecognized_keys")) {
      this.violations.push({
        field: `${path}.${key}`,
        message: `is not a field of this object; its fields are ${known.join(", ")}`,
      });
      return false;
    }
    return true;
  }

  /** Parses the fields of an object. `acceptsUnknown` decides about keys that the shape does not have. */
  parseObject(
    shape: Readonly<Record<string, z.ZodType>>,
    given: JsonObject,
    path: string,
    acceptsUnknown: (key: string) => boolean,
  ): Record<string, unknown> {
    const names = new Map(Object.keys(shape).map((name) => [spellingKey(name), name]));
    const values: Record<string, unknown> = {};
    for (const [key, inner] of Object.entries(given)) {
      const name = names.get(spellingKey(key));
      if (name === undefined) {
        if (inner !== null && acceptsUnknown(key)) values[key] = inner;
        continue;
      }
      const spelling = argumentName(name);
      const fieldPath = path ? `${path}.${spelling}` : spelling;
      const schema = shape[name]!;
      if (name in values)
        this.violations.push({ field: fieldPath, message: "is given twice, in two spellings; send it once" });
      // Strict hosts send null for omitted fields.
      if (inner === undefined || (inner === null && !schema.safeParse(null).success)) continue;
      if (key !== spelling) this.spellingCorrections.set(key, spelling);
      values[name] = this.parseValue(schema, inner, fieldPath);
    }
    return values;
  }
}

/** Describes a name that the tool does not take; undefined if it repeats the operator's own setting. */
function unknownArgumentViolation(operation: Callable, key: string, value: unknown, settings: Settings) {
  const field = fieldsOf(operation).find(({ name }) => spellingKey(name) === spellingKey(key));
  if (field && value !== null && settings[field.setting] === value) return undefined;
  if (field)
    return { field: argumentName(key), message: "is set by the operator of this server; leave it out" };
  const isRead = Object.values(operation.responses).some(
    (response) => response.kind === "json" && propertyOf(response.schema, key),
  );
  if (isRead) return { field: key, message: "is a field of results, not an argument; leave it out" };
  const [suggestion] = suggestions(
    key,
    modelFields(operation).map(({ name }) => argumentName(name)),
  );
  return {
    field: key,
    message: `is not an argument of this tool${suggestion === undefined ? "" : `; did you mean ${suggestion}?`}`,
  };
}

/** Adds the violations of the input check, except for fields that the parser already reported or that are looked up. */
function allViolations(
  operation: Callable,
  values: Values,
  parserViolations: readonly Violation[],
): Violation[] {
  const reportedFields = new Set(parserViolations.map(({ field }) => field));
  const found = checkInput(operation, values, new Date()).map((violation) => ({
    ...violation,
    field: withArgumentNames(operation, violation.field),
  }));
  const isLookedUp = (field: string) =>
    values[field] === undefined && operation.lookedUp?.[field] !== undefined;
  return [
    ...parserViolations,
    ...found.filter(({ field }) => !reportedFields.has(field) && !isLookedUp(field)),
  ];
}

const shapeOf = memoizePerOperation((operation: Callable) =>
  Object.fromEntries(modelFields(operation).map(({ name, schema }) => [name, schema])),
);

/** Parses the fields of the operation. */
function parseFields(
  operation: Callable,
  given: JsonObject,
  settings: Settings,
): Pick<ParsedArguments, "values" | "violations" | "spellingCorrections"> {
  const parser = new ArgumentParser();
  const shape = shapeOf(operation);
  let unknownCount = 0;
  const values = parser.parseObject(shape, given, "", (key) => {
    const violation = unknownArgumentViolation(operation, key, given[key], settings);
    if (violation) parser.violations.push(violation);
    if (violation) unknownCount += 1;
    return false;
  });
  // Without violations the client itself checks the values when it is called.
  const violations =
    parser.violations.length === 0 ? [] : allViolations(operation, values, parser.violations);
  if (unknownCount > 0) violations.push(availableFields(Object.keys(shape).map(argumentName)));
  const spellingCorrections = [...parser.spellingCorrections].map(([key, name]) => ({ given: key, name }));
  return { values, violations, spellingCorrections };
}

const availableFields = (names: readonly string[]): Violation => ({
  field: "",
  message: names.length === 0 ? "This tool takes no arguments" : `The arguments are ${names.join(", ")}`,
  rule: true,
});
