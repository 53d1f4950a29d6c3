/**
 * What a reader of parameters that is lenient would let pass: the sandbox takes them as the contract words them, and in no
 * other way.
 */
import {
  type Declaration,
  type Field,
  fieldsOf,
  perOperation,
  type Values,
  type Violation,
} from "@fxdesk/toolkit/operations";
import { kindOf } from "@fxdesk/toolkit/schema";
import type { HttpRequest } from "./http";

/** Numbers are as large as the contract's int32 lets them be. */
const largestNumber = 2 ** 31 - 1;

const isList = ({ schema }: Field) => kindOf(schema) === "array";
const isNumber = ({ schema }: Field) => kindOf(schema) === "integer";

function listMessage({ list }: Field, texts: readonly string[]): string | undefined {
  if (texts.some((text) => text.startsWith("["))) return "is a list without brackets";
  if (list === "repeat" && texts.some((text) => text.includes(",")))
    return "is given once for each value, without commas";
  const isEmpty = texts.flatMap((text) => text.split(",")).includes("");
  return isEmpty ? "must not be empty" : undefined;
}

const numberMessage = (texts: readonly string[]): string | undefined =>
  texts.every((text) => /^-?\d+$/.test(text) && Math.abs(Number(text)) <= largestNumber)
    ? undefined
    : `must be a whole number of at most ${largestNumber}`;

function messageOf(field: Field, texts: readonly string[]): string | undefined {
  if (isList(field)) return listMessage(field, texts);
  if (isNumber(field)) return numberMessage(texts);
  return undefined;
}

/** Values that a client may spell in more than one way have one spelling on the wire. */
const respelled = perOperation((operation: Declaration) =>
  fieldsOf(operation).filter(
    ({ place, alsoSpelled }) => alsoSpelled && (place === "query" || place === "body"),
  ),
);

/** What of a request is not worded as the contract words it; `body` has its fields as they came. */
export function wordingViolations(
  operation: Declaration,
  { query }: Pick<HttpRequest, "query">,
  body: Values = {},
): Violation[] {
  const misworded = fieldsOf(operation)
    .filter(({ name, place }) => place === "query" && query[name] !== undefined)
    .flatMap((field) => {
      const message = messageOf(field, [query[field.name]!].flat());
      return message === undefined ? [] : [{ field: field.name, message }];
    });
  const misspelled = respelled(operation).flatMap(({ name, place, alsoSpelled, options = [] }) => {
    const given = (place === "query" ? query : body)[name];
    return typeof given === "string" && alsoSpelled!.has(given)
      ? [{ field: name, message: `must be one of ${options.join(", ")}` }]
      : [];
  });
  return [...misworded, ...misspelled];
}
