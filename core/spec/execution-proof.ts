/** Proof of execution: a check that a successful response shows that the call was carried out. */
import { isObject } from "../values/json";
import type { z } from "zod";
import { type Kind, kindOf, propertyOf } from "../values/kind";
import type { ResponseDeclaration, Declaration } from "./operation";

type JsonResponse = ResponseDeclaration & { kind: "json" };

/** True if the body is an ErrorMessage of the service. Some arrive with a success status. */
const isErrorMessage = (body: unknown): boolean =>
  isObject(body) && ["code", "message", "details"].every((name) => Object.hasOwn(body, name));

/** True for text with a visible character, or a number without loss of digits. */
const isNonBlank = (value: unknown): boolean =>
  typeof value === "string"
    ? /[^\s\p{C}]/u.test(value)
    : typeof value === "number" && Math.abs(value) <= Number.MAX_SAFE_INTEGER;

const textOrNumberKinds: ReadonlySet<Kind> = new Set(["string", "integer", "number"]);

/** True if the field has a value: non-blank text or a number, or any value if the schema is of another type. */
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
 * True if a successful response proves that the call was carried out: a JSON response by the ID of its result, any
 * other documented response by its status. An undocumented status proves nothing. `body` is parsed JSON, or text.
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
