/** Prepares response values for models: decimal numbers as text, strings without invisible characters. */
import type { z } from "zod";
import { kindOf, unwrap } from "../../core/values/kind";

/**
 * Control and format characters, line and paragraph separators, and default-ignorable characters (fillers, tags, variation
 * selectors). They hide or reverse words for a person, while a model still reads them.
 */
const invisibleCharacters = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Removes invisible characters from text of other people. */
export const visibleText = (text: string): string => text.replace(invisibleCharacters, "");

/** The nested schemas of a schema. */
export interface SchemaParts {
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly options?: readonly z.ZodType[];
}

export const schemaPartsOf = (schema: z.ZodType): SchemaParts => unwrap(schema).def as SchemaParts;

/** Returns the schema of an entry of an object or array; undefined if the contract has none. */
function entrySchemaOf(schema: z.ZodType | undefined, key: string): z.ZodType | undefined {
  if (!schema) return undefined;
  const { shape, element, valueType, options = [] } = schemaPartsOf(schema);
  return (
    shape?.[key] ??
    element ??
    valueType ??
    options.map((option) => entrySchemaOf(option, key)).find((entry) => entry !== undefined)
  );
}

const isIntegerSchema = (schema: z.ZodType): boolean =>
  kindOf(schema) === "integer" || (schemaPartsOf(schema).options?.some(isIntegerSchema) ?? false);

/** Formats a number in decimal notation with the digits of its shortest form: 1e-7 becomes 0.0000001. */
export function decimalString(value: number): string {
  const text = String(value);
  const [mantissa, exponent] = text.split("e") as [string, string?];
  if (exponent === undefined) return text;
  const places = (mantissa.split(".")[1]?.length ?? 0) - Number(exponent);
  return places > 0 ? value.toFixed(Math.min(places, 100)) : BigInt(value).toString();
}

/**
 * Converts numbers to decimal strings, except those that the contract declares as integers. The contract decides rather
 * than the value, so that a field has the same type in every response.
 */
export function withDecimalStrings(value: unknown, schema: z.ZodType | undefined): unknown {
  if (typeof value === "string") return visibleText(value);
  if (typeof value === "number")
    return schema && Number.isInteger(value) && isIntegerSchema(schema) ? value : decimalString(value);
  if (Array.isArray(value)) return value.map((item) => withDecimalStrings(item, entrySchemaOf(schema, "")));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [
      visibleText(key),
      withDecimalStrings(entry, entrySchemaOf(schema, key)),
    ]),
  );
}
