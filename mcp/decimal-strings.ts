/** A response's values as a model can copy them: decimal numbers as text, strings without hidden characters. */
import type { z } from "zod";
import { kindOf, unwrap } from "../core/schema/kind";
import { visibleText } from "./visible-text";

interface Inner {
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly options?: readonly z.ZodType[];
}

const innerOf = (schema: z.ZodType): Inner => unwrap(schema).def as Inner;

/** The schema of an entry of an object or array; undefined where the contract does not say. */
function entryOf(schema: z.ZodType | undefined, key: string): z.ZodType | undefined {
  if (!schema) return undefined;
  const { shape, element, valueType, options = [] } = innerOf(schema);
  return (
    shape?.[key] ??
    element ??
    valueType ??
    options.map((option) => entryOf(option, key)).find((entry) => entry !== undefined)
  );
}

const countsThings = (schema: z.ZodType): boolean =>
  kindOf(schema) === "integer" || (innerOf(schema).options?.some(countsThings) ?? false);

/** A number in decimal notation, with exactly the digits of its shortest form: 1e-7 is 0.0000001. */
export function decimalString(value: number): string {
  const text = String(value);
  const [mantissa, exponent] = text.split("e") as [string, string?];
  if (exponent === undefined) return text;
  const places = (mantissa.split(".")[1]?.length ?? 0) - Number(exponent);
  return places > 0 ? value.toFixed(Math.min(places, 100)) : BigInt(value).toString();
}

/**
 * Writes every number as a decimal string, but for those the contract declares as integers. The contract decides, not
 * the value, so that a field has one type in every response.
 */
export function withDecimalStrings(value: unknown, schema: z.ZodType | undefined): unknown {
  if (typeof value === "string") return visibleText(value);
  if (typeof value === "number")
    return schema && Number.isInteger(value) && countsThings(schema) ? value : decimalString(value);
  if (Array.isArray(value)) return value.map((item) => withDecimalStrings(item, entryOf(schema, "")));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [
      visibleText(key),
      withDecimalStrings(entry, entryOf(schema, key)),
    ]),
  );
}
