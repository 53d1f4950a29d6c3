/** From the arguments of a tool to the values of its operation. */
import type { z } from "zod";
import { checkInput } from "../core/declaration/check";
import type { Callable } from "../core/declaration/operation";
import { fieldsOf, modelFields, perOperation, type Values } from "../core/declaration/fields";
import { nearest } from "../core/nearest";
import { propertyOf, valueOf } from "../core/schema/kind";
import type { Settings } from "./target";
import { coerceValue } from "./lenient-values";
import { argumentName, inArgumentNames, spellingKey, partsOf } from "./names";
import type { JsonObject } from "./protocol";
import type { Violation } from "../core/declaration/violation";

/** The arguments of a tool as values of its operation, and what is wrong with them. */
export interface ParsedArguments {
  /** By the names of the operation's fields. */
  readonly values: Values;
  readonly violations: readonly Violation[];
  /** Names that were spelled in another way, each as `given` and `name`. */
  readonly respelled: readonly { readonly given: string; readonly name: string }[];
}

/** Collects what is wrong with the arguments as it parses them. */
class ArgumentParser {
  readonly violations: Violation[] = [];
  readonly respelled = new Map<string, string>();

  /** A value with all that is in it. Adds to the violations. */
  parseValue(schema: z.ZodType, given: unknown, path: string): unknown {
    const coerced = coerceValue(schema, given);
    if ("message" in coerced) {
      this.violations.push({ field: path, message: coerced.message });
      return given;
    }
    const { value } = coerced;
    const { shape, element } = partsOf(schema);
    if (Array.isArray(value) && element)
      return value.map((item, index) => this.parseValue(element, item, `${path}.${index}`));
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    const entry = valueOf(schema);
    if (entry)
      return Object.fromEntries(
        Object.entries(value).map(([key, each]) => [key, this.parseValue(entry, each, `${path}.${key}`)]),
      );
    if (shape)
      return this.parseObject(shape, value as JsonObject, path, (key) =>
        this.#keepsUnknownKey(schema, key, path),
      );
    return value;
  }

  /** Whether an object keeps a key that its schema does not name, as open ones do; else it is added to the violations. */
  #keepsUnknownKey(schema: z.ZodType, key: string, path: string): boolean {
    const { shape = {} } = partsOf(schema);
    const known = Object.keys(shape).map(argumentName);
    if (schema.safeParse({ [key]: 0 }).error?.issues.some(({ code }) => code === "unrecognized_keys")) {
      this.violations.push({
        field: `${path}.${key}`,
        message: `is not a field here; it has ${known.join(", ")}`,
      });
      return false;
    }
    return true;
  }

  /** `keeps` says whether a key stays that the shape does not have. Adds to the violations. */
  parseObject(
    shape: Readonly<Record<string, z.ZodType>>,
    given: JsonObject,
    path: string,
    keeps: (key: string) => boolean,
  ): Record<string, unknown> {
    const names = new Map(Object.keys(shape).map((name) => [spellingKey(name), name]));
    const values: Record<string, unknown> = {};
    for (const [key, inner] of Object.entries(given)) {
      const name = names.get(spellingKey(key));
      if (name === undefined) {
        if (inner !== null && keeps(key)) values[key] = inner;
        continue;
      }
      const spelling = argumentName(name);
      const place = path ? `${path}.${spelling}` : spelling;
      const schema = shape[name]!;
      if (name in values) this.violations.push({ field: place, message: "is given twice, in two spellings" });
      // Strict hosts send null for what is left out.
      if (inner === undefined || (inner === null && !schema.safeParse(null).success)) continue;
      if (key !== spelling) this.respelled.set(key, spelling);
      values[name] = this.parseValue(schema, inner, place);
    }
    return values;
  }
}

/** Names that are nobody's to give, or only read: what to do about them. */
function unknownName(operation: Callable, key: string, value: unknown, settings: Settings) {
  const field = fieldsOf(operation).find(({ name }) => spellingKey(name) === spellingKey(key));
  if (field && value !== null && settings[field.setting] === value) return undefined;
  if (field)
    return { field: argumentName(key), message: "is set by the operator of this server: leave it out" };
  const isRead = Object.values(operation.responses).some(
    (response) => response.kind === "json" && propertyOf(response.schema, key),
  );
  if (isRead) return { field: key, message: "is not a field here, only in results: leave it out" };
  const [near] = nearest(
    key,
    modelFields(operation).map(({ name }) => argumentName(name)),
  );
  return { field: key, message: `is not a field here${near === undefined ? "" : `; did you mean ${near}?`}` };
}

/** All that is wrong, in the names of arguments; the list of them is said once. */
function allViolations(operation: Callable, values: Values, own: readonly Violation[]): Violation[] {
  const places = new Set(own.map(({ field }) => field));
  const found = checkInput(operation, values, new Date()).map((violation) => ({
    ...violation,
    field: inArgumentNames(operation, violation.field),
  }));
  return [...own, ...found.filter(({ field }) => !places.has(field))];
}

const shapeOf = perOperation((operation: Callable) =>
  Object.fromEntries(modelFields(operation).map(({ name, schema }) => [name, schema])),
);

/** Parses arguments as models write them. `given` is without what belongs to the tool and not to its operation. */
export function parseArguments(operation: Callable, given: JsonObject, settings: Settings): ParsedArguments {
  const parser = new ArgumentParser();
  const shape = shapeOf(operation);
  let unknown = 0;
  const values = parser.parseObject(shape, given, "", (key) => {
    const violation = unknownName(operation, key, given[key], settings);
    if (violation) parser.violations.push(violation);
    if (violation) unknown += 1;
    return false;
  });
  // Without violations of our own the client checks the values as it is called; with them it never is.
  const violations =
    parser.violations.length === 0 ? [] : allViolations(operation, values, parser.violations);
  if (unknown > 0) violations.push(fieldsHere(Object.keys(shape).map(argumentName)));
  const respelled = [...parser.respelled].map(([key, name]) => ({ given: key, name }));
  return { values, violations, respelled };
}

const fieldsHere = (names: readonly string[]): Violation => ({
  field: "",
  message: names.length === 0 ? "There are no fields here" : `The fields are ${names.join(", ")}`,
  rule: true,
});
