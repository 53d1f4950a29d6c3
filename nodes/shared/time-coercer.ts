/** Coercion of flow values to the time format of a field. All times are UTC. */
import { isDate } from "node:util/types";
import type { z } from "zod";
import { metaOf } from "../../core/values/kind";
import { isDay, minuteForDay } from "../../core/values/values";
import { isDateTime } from "../../core/values/values";

/**
 * Range of numbers that are read as milliseconds since 1970. Outside of it they are ambiguous: smaller ones may be seconds
 * or the digits of a date.
 */
const [earliest, latest] = [Date.UTC(1990, 0, 1), Date.UTC(2100, 0, 1)];

function fromMilliseconds(milliseconds: number): Date | undefined {
  const isTime = Number.isInteger(milliseconds) && milliseconds >= earliest && milliseconds < latest;
  return isTime ? new Date(milliseconds) : undefined;
}

const hasZone = (text: string): boolean => /(Z|[+-]\d\d:?\d\d)$/.test(text);

/** Parses a time. Without a zone, it is UTC. */
function fromText(text: string): Date | undefined {
  if (/^\d+$/.test(text)) return fromMilliseconds(Number(text));
  return isDateTime(text) ? new Date(hasZone(text.slice(10)) ? text : `${text}Z`) : undefined;
}

/** Returns the instant of a value, or undefined for other text. Throws an Error for an invalid number or Date. */
function toInstant(value: unknown): Date | undefined {
  if (typeof value === "string") return fromText(value.trim());
  if (typeof value === "number") {
    const instant = fromMilliseconds(value);
    if (instant) return instant;
    throw new Error(
      `must be a time; numbers are milliseconds since 1970 between the years 1990 and 2100, and ${value} is outside of this range`,
    );
  }
  if (!isDate(value)) return undefined;
  if (Number.isNaN(value.getTime())) throw new Error("must be a time, not an invalid Date");
  return value;
}

/** Length of the ISO time that a field takes. */
const lengthByPrecision = { day: "YYYY-MM-DD".length, minute: "YYYY-MM-DDThh:mm".length } as const;

/** Precision of a time. */
export type Precision = keyof typeof lengthByPrecision | "instant";

/** Returns the precision of a time field, or undefined for other fields. */
export function precisionOf(schema: z.ZodType): Precision | undefined {
  const { format, precision } = metaOf(schema);
  if (precision) return precision;
  return format === "date" ? "day" : format === "date-time" ? "instant" : undefined;
}

/**
 * Creates a function that converts values to the time format of a field; undefined for other fields. Days are UTC. Excess
 * precision is cut off. A day given for a time becomes 00:00, or the minute that the field declares (`ofDay`). Values that
 * are not times stay unchanged, so that validation reports them.
 */
export function timeCoercer(schema: z.ZodType): ((value: unknown) => unknown) | undefined {
  const precision = precisionOf(schema);
  if (precision === undefined) return undefined;
  const { ofDay } = metaOf(schema);
  return (value) => {
    if (typeof value === "string" && schema.safeParse(value).success) return value;
    if (typeof value === "string" && isDay(value.trim()))
      return ofDay ? minuteForDay(value.trim(), ofDay) : `${value.trim()}T00:00:00Z`;
    const instant = toInstant(value);
    if (instant === undefined) return value;
    const text = instant.toISOString();
    return precision === "instant" ? text : text.slice(0, lengthByPrecision[precision]);
  };
}
