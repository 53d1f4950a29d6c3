/** Names for the entries of lists: `CashPosition.totals` holds `CashPositionTotal`, so that a consumer can name each type. */
import type { JsonSchema } from "../core/spec/json-schema";

type Schemas = Readonly<Record<string, JsonSchema>>;

const singular = (word: string): string =>
  word
    .replace(/ies$/, "y")
    .replace(/(?<=[xs])es$/, "")
    .replace(/(?<!s)s$/, "");

/** Converts `open_items`, `open-items` and `openItems` to `OpenItems`. */
export const pascalCase = (words: string): string =>
  words.replace(/(?:^|[_-])(\w)/g, (_, letter: string) => letter.toUpperCase());

interface NamedEntries {
  /** The schema with references in place of anonymous entries. */
  readonly schema: JsonSchema;
  /** Schemas of the entries by name. Those at several places of one type have one name. */
  readonly entries: Schemas;
}

/** Returns a schema whose anonymous list entries are named after the type and the field that hold them. */
export function nameEntries(type: string, schema: JsonSchema): NamedEntries {
  const entries: Record<string, JsonSchema> = {};
  const names = new Map<string, string>();

  function inEntry(name: string, entry: JsonSchema): JsonSchema {
    if (entry.type !== "object" || !entry.properties) return inSchema(name, entry);
    const text = JSON.stringify(entry);
    const known = names.get(text);
    if (known === undefined) {
      names.set(text, name);
      entries[name] = inSchema(name, entry);
    }
    return { $ref: `#/$defs/${known ?? name}` };
  }

  function inSchema(name: string, each: JsonSchema): JsonSchema {
    const { properties, items, anyOf } = each;
    return {
      ...each,
      ...(properties !== undefined && {
        properties: Object.fromEntries(
          Object.entries(properties as Schemas).map(([field, property]) => [
            field,
            inSchema(name + pascalCase(field), property),
          ]),
        ),
      }),
      ...(items !== undefined && { items: inEntry(singular(name), items as JsonSchema) }),
      ...(anyOf !== undefined && { anyOf: (anyOf as JsonSchema[]).map((some) => inSchema(name, some)) }),
    };
  }

  return { schema: inSchema(type, schema), entries };
}
