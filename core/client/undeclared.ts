/** Calls of paths that no operation declares. */
import { z } from "zod";
import type { InvalidInput } from "../errors";
import { json, operation } from "../declaration/declare";
import { type Declaration, effectDescriptions } from "../declaration/operation";
import type { Service } from "../declaration/service";
import type { Violation } from "../declaration/violation";
import { invalidInput } from "./call-errors";
import type { UndeclaredRequest } from "./methods";

const anyJson = json(z.unknown(), "Any response.");
const successes = Object.fromEntries([200, 201, 202, 203].map((status) => [status, anyJson]));

const looseShape = (values: object = {}) =>
  Object.fromEntries(Object.keys(values).map((key) => [key, z.unknown().optional()]));

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const effects = Object.keys(effectDescriptions);

const isFields = (value: unknown): boolean =>
  value === undefined || (typeof value === "object" && value !== null && !Array.isArray(value));

function violationsOf({ method, path, query, body, effect }: Partial<UndeclaredRequest>): Violation[] {
  const found: Violation[] = [];
  const want = (isSo: boolean, field: string, message: string) => {
    if (!isSo) found.push({ field, message });
  };
  want(methods.includes(method!), "method", `must be one of ${methods.join(", ")}`);
  want(typeof path === "string" && path.startsWith("/"), "path", "must be text that begins with a slash");
  want(isFields(query), "query", "must be an object of fields");
  want(isFields(body), "body", "must be an object of fields");
  want(
    effect === undefined || effects.includes(effect),
    "effect",
    `must be one of ${effects.join(", ")}, not ${JSON.stringify(effect)}`,
  );
  return found;
}

const name = "client.request";

/** An operation for one request. Throws InvalidInput, which names what cannot be sent. */
export function undeclared(service: Service, request: UndeclaredRequest): Declaration {
  const violations = violationsOf(request);
  if (violations.length > 0) throw refused(violations);
  try {
    return declared(service, request);
  } catch (error) {
    throw refused([{ field: "path", message: (error as Error).message }]);
  }
}

const refused = (violations: readonly Violation[]): InvalidInput => invalidInput({ name }, violations);

function declared({ servers, credentials }: Service, request: UndeclaredRequest): Declaration {
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
    query: looseShape(query),
    ...(body && { body: z.object(looseShape(body)) }),
    responses: { ...successes, 204: { kind: "empty", description: "Done." } },
    errors: {},
    contract: "",
  });
}
