/** Converts the schemas of a service to JSON Schemas, from which its types are generated. */
import { z } from "zod";
import { inputSchema } from "../core/spec/check";
import type { Callable, Declaration, ResponseDeclaration } from "../core/spec/operation";
import { type JsonSchema, removeInternalKeys } from "../core/spec/json-schema";

export type Schemas = Readonly<Record<string, JsonSchema>>;

/** Converts schemas; returns them by name, and all named schemas in them. */
export function jsonSchemas(schemas: Readonly<Record<string, z.ZodType>>, io: "input" | "output") {
  const { properties, $defs } = z.toJSONSchema(z.object(schemas), { io, override: removeInternalKeys });
  return { own: (properties ?? {}) as Schemas, named: ($defs ?? {}) as Schemas };
}

export const fromEach = <T>(
  operations: readonly Callable[],
  entries: (operation: Callable) => [string, T][],
) => Object.fromEntries(operations.flatMap(entries));

type JsonResponse = Extract<ResponseDeclaration, { kind: "json" }>;

export const jsonResponses = ({ responses }: Callable): [status: string, response: JsonResponse][] =>
  Object.entries(responses).flatMap(([status, response]) =>
    response.kind === "json" ? [[status, response] as [string, JsonResponse]] : [],
  );

/** Returns the body schema of an operation; undefined for procedures. */
export const bodyOf = (callable: Callable): z.ZodObject | undefined =>
  (callable as Partial<Declaration>).body;

/** Returns all schemas from which the types of a service are generated. */
export function schemasOf(operations: readonly Callable[]) {
  const inputs = jsonSchemas(
    fromEach(operations, (operation) => [[operation.name, inputSchema(operation)]]),
    "input",
  );
  const bodies = jsonSchemas(
    fromEach(operations, (operation) => {
      const body = bodyOf(operation);
      return body ? [[operation.name, body]] : [];
    }),
    "input",
  );
  const responses = jsonSchemas(
    fromEach(operations, (operation) =>
      jsonResponses(operation).map(([status, { schema }]) => [`${operation.name} ${status}`, schema]),
    ),
    "output",
  );
  return { inputs, bodies, responses };
}

export type AllSchemas = ReturnType<typeof schemasOf>;
