/** Declarations for requests to undocumented paths. */
import { z } from "zod";
import type { InvalidInput, Violation } from "../spec/errors";
import { json, operation } from "../spec/declare";
import type { Declaration } from "../spec/operation";
import type { Service } from "../spec/service";
import { invalidInputError } from "../call/call-errors";
import { undeclaredName as name } from "../call/service-operation";
import type { CallTerms, RequestTerms } from "../releases/terms";
import type { UndeclaredRequest } from "../api/client-types";

const anyJson = json(z.unknown(), "Any response.");
const successes = Object.fromEntries([200, 201, 202, 203].map((status) => [status, anyJson]));

const untypedShape = (values: object = {}) =>
  Object.fromEntries(Object.keys(values).map((key) => [key, z.unknown().optional()]));

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const pathMessage = "must be a string that starts with a slash";
const Fields = z.record(z.string(), z.unknown(), "must be an object of fields").optional();

const Request = z.strictObject({
  method: z.enum(methods, `must be one of ${methods.join(", ")}`),
  path: z.string(pathMessage).startsWith("/", pathMessage),
  query: Fields,
  body: Fields,
  server: z.string().optional(),
});

/** Creates an operation for one request. Throws InvalidInput that lists the invalid parts. */
export function createUndeclaredOperation(service: Service, request: UndeclaredRequest): Declaration {
  const invalid = Request.safeParse(request).error;
  if (invalid)
    throw invalidRequestError(
      invalid.issues.map(({ path, message }) => ({ field: path.join("."), message })),
    );
  try {
    return toOperation(service, request);
  } catch (error) {
    throw invalidRequestError([{ field: "path", message: (error as Error).message }]);
  }
}

/** Creates the operation of a released `client.request` again. */
export function recreateUndeclaredOperation(
  service: Service,
  { method, given }: Pick<CallTerms, "method" | "given">,
  { path, server, query, body }: RequestTerms,
): Declaration {
  const pick = (names: readonly string[]) => Object.fromEntries(names.map((each) => [each, given[each]]));
  return createUndeclaredOperation(service, {
    method: method as UndeclaredRequest["method"],
    path,
    server,
    query: pick(query) as NonNullable<UndeclaredRequest["query"]>,
    ...(body && { body: pick(body) }),
  });
}

const invalidRequestError = (violations: readonly Violation[]): InvalidInput =>
  invalidInputError({ name }, violations);

function toOperation({ servers, credentials }: Service, request: UndeclaredRequest): Declaration {
  const { method, path, server = Object.keys(servers)[0]!, query, body } = request;
  return operation({
    name,
    tool: "request",
    title: "Request",
    summary: `${method} ${path}`,
    effect: method === "GET" ? "read" : "money",
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
