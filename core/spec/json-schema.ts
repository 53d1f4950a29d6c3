/** JSON Schemas (draft 2020-12) of inputs and responses. */
import { z } from "zod";
import { inputSchema } from "./check";
import { memoizePerOperation } from "./fields";
import type { Callable } from "./operation";

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Metadata that only the surfaces of fxdesk use. */
const internalKeys = [
  "alsoSpelled",
  "precision",
  "ofDay",
  "suggestions",
  "pairOf",
  "ownIban",
  "matchHeadings",
  "columnsOf",
  "separator",
  "amount",
  "fromEarlier",
  "listedBy",
] as const;

/** Removes noise from a JSON Schema: the safe-integer bounds that zod adds, schema IDs, and our own metadata. */
export function removeInternalKeys({ jsonSchema }: { jsonSchema: Record<string, unknown> }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  delete jsonSchema.id;
  for (const key of internalKeys) delete jsonSchema[key];
}

/** Replaces references with the named schemas, because several MCP hosts refuse tools with `$ref`. */
function inlineReferences(schema: Record<string, unknown>): JsonSchema {
  const { $defs = {}, $schema: _, ...root } = schema;
  const named = $defs as Record<string, JsonSchema>;
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== "object" || value === null) return value;
    const { $ref, ...rest } = value as Record<string, unknown>;
    const target = typeof $ref === "string" ? named[$ref.replace("#/$defs/", "")] : {};
    return Object.fromEntries(
      Object.entries({ ...target, ...rest }).map(([key, inner]) => [key, resolve(inner)]),
    );
  };
  return resolve(root) as JsonSchema;
}

/** Returns the schema of the caller's input: a closed object without references or top-level combinators. */
export const inputJsonSchema = memoizePerOperation((operation: Callable) =>
  inlineReferences(z.toJSONSchema(inputSchema(operation), { io: "input", override: removeInternalKeys })),
);

/** Returns the schema of a response. Objects are open, because the service may add fields. */
export const responseJsonSchema = (schema: z.ZodType): JsonSchema =>
  inlineReferences(z.toJSONSchema(schema, { io: "input", override: removeInternalKeys }));
