/** The schemas that the types of a service are made of, as JSON Schemas. */
import { z } from "zod";
import { inputSchema } from "../core/operations/check";
import type { Answer, Declaration } from "../core/operations/declaration";
import { type JsonSchema, withoutNoise } from "../core/operations/json-schema";

export type Schemas = Readonly<Record<string, JsonSchema>>;

/** Schemas by a name of their own, and the named ones among and inside them. */
export function jsonSchemas(schemas: Readonly<Record<string, z.ZodType>>, io: "input" | "output") {
  const { properties, $defs } = z.toJSONSchema(z.object(schemas), { io, override: withoutNoise });
  return { own: (properties ?? {}) as Schemas, named: ($defs ?? {}) as Schemas };
}

export const fromEach = <T>(
  operations: readonly Declaration[],
  entries: (operation: Declaration) => [string, T][],
) => Object.fromEntries(operations.flatMap(entries));

type JsonAnswer = Extract<Answer, { kind: "json" }>;

export const jsonAnswers = ({ answers }: Declaration): [status: string, answer: JsonAnswer][] =>
  Object.entries(answers).flatMap(([status, answer]) =>
    answer.kind === "json" ? [[status, answer] as [string, JsonAnswer]] : [],
  );

/** All schemas of a service that its types are made of. */
export function schemasOf(operations: readonly Declaration[]) {
  const inputs = jsonSchemas(
    fromEach(operations, (operation) => [[operation.name, inputSchema(operation)]]),
    "input",
  );
  const bodies = jsonSchemas(
    fromEach(operations, ({ name, body }) => (body ? [[name, body]] : [])),
    "input",
  );
  const responses = jsonSchemas(
    fromEach(operations, (operation) =>
      jsonAnswers(operation).map(([status, { schema }]) => [`${operation.name} ${status}`, schema]),
    ),
    "output",
  );
  return { inputs, bodies, responses };
}

export type AllSchemas = ReturnType<typeof schemasOf>;
