/** Whether a success proves that the call was carried out. */
import type { z } from "zod";
import { type Kind, kindOf, propertyOf } from "../schema/kind";
import type { ResponseDeclaration, Declaration } from "./operation";

type JsonResponse = ResponseDeclaration & { kind: "json" };

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An ErrorMessage of the service, whatever the status it came with. */
const isErrorMessage = (body: unknown): boolean =>
  isObject(body) && ["code", "message", "details"].every((name) => Object.hasOwn(body, name));

/** Text of which something can be seen, or a number that has all its digits. */
const isNonBlank = (value: unknown): boolean =>
  typeof value === "string"
    ? /[^\s\p{C}]/u.test(value)
    : typeof value === "number" && Math.abs(value) <= Number.MAX_SAFE_INTEGER;

const textOrNumberKinds: ReadonlySet<Kind> = new Set(["string", "integer", "number"]);

/** Whether a field has a value: text that is not blank, a number, or anything where the schema says neither. */
const isPresent = (schema: z.ZodType | undefined, value: unknown): boolean =>
  schema && !textOrNumberKinds.has(kindOf(schema))
    ? value !== undefined && value !== null && value !== ""
    : isNonBlank(value);

function matchesDeclaredKind({ schema }: JsonResponse, body: unknown): boolean {
  const kind = kindOf(schema);
  if (kind === "object") return isObject(body);
  if (kind === "array") return Array.isArray(body);
  return kind === "unknown"
    ? typeof body === "object" && body !== null
    : isNonBlank(body) || body === false || body === true;
}

/**
 * Whether a successful response proves that the call was carried out: it holds what identifies the result. `body` is the parsed JSON, or the text where the response came as
 * text. A response that is documented as anything but JSON proves it by its status; a status that is not documented proves
 * nothing.
 */
export function provesExecution(operation: Declaration, status: number, body: unknown): boolean {
  const response: ResponseDeclaration | undefined = Object.hasOwn(operation.responses, status)
    ? operation.responses[status]
    : undefined;
  if (response?.kind !== "json") return response !== undefined;
  if (response.asText && typeof body === "string") return isNonBlank(body);
  if (isErrorMessage(body)) return false;
  const { identifiedBy } = operation;
  if (identifiedBy === undefined) return matchesDeclaredKind(response, body);
  return (
    isObject(body) &&
    Object.hasOwn(body, identifiedBy) &&
    isPresent(propertyOf(response.schema, identifiedBy), body[identifiedBy])
  );
}
