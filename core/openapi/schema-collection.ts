/** Collector of the named JSON Schemas of an OpenAPI document, which are listed under `components`. */
import { z } from "zod";
import { type JsonSchema, removeInternalKeys } from "../spec/json-schema";

const withComponentReferences = (schema: unknown): JsonSchema =>
  JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === "$ref" && typeof value === "string" ? value.replace("#/$defs/", "#/components/schemas/") : value,
  ) as JsonSchema;

export class SchemaCollection {
  readonly #named = new Map<string, JsonSchema>();

  /** Converts a zod schema to JSON Schema. A schema with a name (`.meta({ id })`) becomes a reference. */
  register(schema: z.ZodType): JsonSchema {
    const {
      $schema: _,
      $defs = {},
      ...root
    } = z.toJSONSchema(schema, { io: "input", override: removeInternalKeys });
    for (const [name, definition] of Object.entries($defs))
      this.#named.set(name, withComponentReferences(definition));
    return withComponentReferences(root);
  }

  /** Returns the named schemas registered so far, by name. */
  components(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#named].toSorted(([one], [other]) => (one < other ? -1 : 1)));
  }
}
