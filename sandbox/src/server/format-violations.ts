/**
 * Checks that parameters are written exactly as in the contract. A lenient reader would hide errors that the real
 * service refuses.
 */
import {
  type Declaration,
  type Field,
  fieldsOf,
  memoizePerOperation,
  type Values,
  type Violation,
} from "@fxdesk/toolkit/operations";
import { kindOf } from "@fxdesk/toolkit/schema";
import type { HttpRequest } from "../http/http";

/** Upper bound of the contract's int32. */
const maxInt32 = 2 ** 31 - 1;

const isList = ({ schema }: Field) => kindOf(schema) === "array";
const isNumber = ({ schema }: Field) => kindOf(schema) === "integer";

function listViolation({ list }: Field, texts: readonly string[]): string | undefined {
  if (texts.some((text) => text.startsWith("["))) return "must be a list without brackets";
  if (list === "repeat" && texts.some((text) => text.includes(",")))
    return "must be repeated for each value, without commas";
  const isEmpty = texts.flatMap((text) => text.split(",")).includes("");
  return isEmpty ? "must not be empty" : undefined;
}

const numberViolation = (texts: readonly string[]): string | undefined =>
  texts.every((text) => /^-?\d+$/.test(text) && Math.abs(Number(text)) <= maxInt32)
    ? undefined
    : `must be a whole number of at most ${maxInt32}`;

function violationOf(field: Field, texts: readonly string[]): string | undefined {
  if (isList(field)) return listViolation(field, texts);
  if (isNumber(field)) return numberViolation(texts);
  return undefined;
}

/** Fields whose aliases clients may use, but which have one spelling on the wire. */
const fieldsWithAliases = memoizePerOperation((operation: Declaration) =>
  fieldsOf(operation).filter(
    ({ location, aliases }) => aliases && (location === "query" || location === "body"),
  ),
);

/** Returns the fields that are not written as in the contract. `body` holds the raw fields. */
export function formatViolations(
  operation: Declaration,
  { query }: Pick<HttpRequest, "query">,
  body: Values = {},
): Violation[] {
  const malformed = fieldsOf(operation)
    .filter(({ name, location }) => location === "query" && query[name] !== undefined)
    .flatMap((field) => {
      const message = violationOf(field, [query[field.name]!].flat());
      return message === undefined ? [] : [{ field: field.name, message }];
    });
  const nonCanonical = fieldsWithAliases(operation).flatMap(({ name, location, aliases, options = [] }) => {
    const value = (location === "query" ? query : body)[name];
    return typeof value === "string" && aliases!.has(value)
      ? [{ field: name, message: `must be one of ${options.join(", ")}` }]
      : [];
  });
  return [...malformed, ...nonCanonical];
}
