/** JSON Schemas for an OpenAPI document: named ones once, under components, the others where they are used. */
import { z } from "zod";

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Says nothing that a reader does not know: the largest safe integer as a bound, and a name inside its own schema. */
function withoutNoise({ jsonSchema }: { jsonSchema: Record<string, unknown> }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  delete jsonSchema.id;
}

const inComponents = (schema: unknown): JsonSchema =>
  JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === "$ref" && typeof value === "string" ? value.replace("#/$defs/", "#/components/schemas/") : value,
  ) as JsonSchema;

export class SchemaCollection {
  readonly #named = new Map<string, JsonSchema>();

  /** The JSON Schema of a zod schema: a reference where it has a name (`.meta({ id })`). */
  use(schema: z.ZodType): JsonSchema {
    const {
      $schema: _,
      $defs = {},
      ...root
    } = z.toJSONSchema(schema, { io: "input", override: withoutNoise });
    for (const [name, definition] of Object.entries($defs)) this.#named.set(name, inComponents(definition));
    return inComponents(root);
  }

  /** The named schemas used so far, by name. */
  components(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#named].toSorted(([one], [other]) => (one < other ? -1 : 1)));
  }
}
