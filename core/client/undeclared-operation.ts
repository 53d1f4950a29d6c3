/** Declarations for requests to undocumented paths. */
import { z } from "zod";
import type { InvalidInput, Violation } from "../spec/errors";
import { json, operation } from "../spec/declare";
import { type Declaration, effectDescriptions } from "../spec/operation";
import type { Service } from "../spec/service";
import { invalidInputError } from "../call/call-errors";
import type { UndeclaredRequest } from "../api/client-types";

const anyJson = json(z.unknown(), "Any response.");
const successes = Object.fromEntries([200, 201, 202, 203].map((status) => [status, anyJson]));

const untypedShape = (values: object = {}) =>
  Object.fromEntries(Object.keys(values).map((key) => [key, z.unknown().optional()]));

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const effects = Object.keys(effectDescriptions);

const isOptionalObject = (value: unknown): boolean =>
  value === undefined || (typeof value === "object" && value !== null && !Array.isArray(value));

function validateRequest({ method, path, query, body, effect }: Partial<UndeclaredRequest>): Violation[] {
  const violations: Violation[] = [];
  const check = (isValid: boolean, field: string, message: string) => {
    if (!isValid) violations.push({ field, message });
  };
  check(methods.includes(method!), "method", `must be one of ${methods.join(", ")}`);
  check(
    typeof path === "string" && path.startsWith("/"),
    "path",
    "must be a string that starts with a slash",
  );
  check(isOptionalObject(query), "query", "must be an object of fields");
  check(isOptionalObject(body), "body", "must be an object of fields");
  check(
    effect === undefined || effects.includes(effect),
    "effect",
    `must be one of ${effects.join(", ")}, not ${JSON.stringify(effect)}`,
  );
  return violations;
}

const name = "client.request";

/** Creates an operation for one request. Throws InvalidInput that lists the invalid parts. */
export function createUndeclaredOperation(service: Service, request: UndeclaredRequest): Declaration {
  const violations = validateRequest(request);
  if (violations.length > 0) throw invalidRequestError(violations);
  try {
    return toOperation(service, request);
  } catch (error) {
    throw invalidRequestError([{ field: "path", message: (error as Error).message }]);
  }
}

const invalidRequestError = (violations: readonly Violation[]): InvalidInput =>
  invalidInputError({ name }, violations);

function toOperation({ servers, credentials }: Service, request: UndeclaredRequest): Declaration {
  const { method, path, server = Object.keys(servers)[0]!, query, body, effect } = request;
  return operation({
    name,
    tool: "request",
    title: "Request",
    summary: `${method} ${path}`,
    effect: effect ?? (method === "GET" ? "read" : "change"),
    method,
    path,
    server,
    credentials: Object.keys(credentials).map((each) => `${each}?`),
    query: untypedShape(query),
    ...(body && { body: z.object(untypedShape(body)) }),
    responses: { ...successes, 204: { kind: "empty", description: "Done." } },
    errors: {},
    contract: "",
  });
}
