/** JSON Schemas for an OpenAPI document: named ones once, under components, the others where they are used. */
import { z } from "zod";
import { type JsonSchema, dropNoise } from "../declaration/json-schema";

const inComponents = (schema: unknown): JsonSchema =>
  JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === "$ref" && typeof value === "string" ? value.replace("#/$defs/", "#/components/schemas/") : value,
  ) as JsonSchema;

export class SchemaCollection {
  readonly #named = new Map<string, JsonSchema>();

  /** The JSON Schema of a zod schema: a reference where it has a name (`.meta({ id })`). */
  use(schema: z.ZodType): JsonSchema {
    const { $schema: _, $defs = {}, ...root } = z.toJSONSchema(schema, { io: "input", override: dropNoise });
    for (const [name, definition] of Object.entries($defs)) this.#named.set(name, inComponents(definition));
    return inComponents(root);
  }

  /** The named schemas used so far, by name. */
  components(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#named].toSorted(([one], [other]) => (one < other ? -1 : 1)));
  }
}
