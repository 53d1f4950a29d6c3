/** JSON Schemas (draft 2020-12) of what an operation takes and returns, for surfaces that speak it. */
import { z } from "zod";
import { inputSchema } from "./check";
import { memoizePerOperation } from "./fields";
import type { Callable } from "./operation";

export type JsonSchema = Readonly<Record<string, unknown>>;

/** What schemas tell surfaces of ours only. */
const internalKeys = [
  "alsoSpelled",
  "precision",
  "ofDay",
  "periods",
  "separator",
  "fromEarlier",
  "listedBy",
] as const;

/** Drops what tells a reader nothing: the safe-integer bounds that zod adds, names inside their own schema, and our own words. */
export function removeInternalKeys({ jsonSchema }: { jsonSchema: Record<string, unknown> }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  delete jsonSchema.id;
  for (const word of internalKeys) delete jsonSchema[word];
}

/** Puts each named schema in the place of its reference: several hosts refuse a server that sends one. */
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

/** What the caller gives: a closed object without references and without combinators at its top. */
export const inputJsonSchema = memoizePerOperation((operation: Callable) =>
  inlineReferences(z.toJSONSchema(inputSchema(operation), { io: "input", override: removeInternalKeys })),
);

/** What a response holds. Open, as schemas of input are unless they are strict: the service may add to it. */
export const responseJsonSchema = (schema: z.ZodType): JsonSchema =>
  inlineReferences(z.toJSONSchema(schema, { io: "input", override: removeInternalKeys }));
