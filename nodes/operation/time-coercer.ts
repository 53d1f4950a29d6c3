/** Times as flows hold them, in the form that a field takes: always in UTC. */
import { isDate } from "node:util/types";
import type { z } from "zod";
import { metaOf } from "../../core/schema/kind";
import { isDay, minuteForDay } from "../../core/schema/values";
import { isDateTime } from "../../core/schema/values";

/**
 * Numbers are milliseconds since 1970 within these years. Others would be a guess: fewer may be seconds, and the digits of
 * a date are in no such year.
 */
const [earliest, latest] = [Date.UTC(1990, 0, 1), Date.UTC(2100, 0, 1)];

function fromMilliseconds(milliseconds: number): Date | undefined {
  const isTime = Number.isInteger(milliseconds) && milliseconds >= earliest && milliseconds < latest;
  return isTime ? new Date(milliseconds) : undefined;
}

const hasZone = (text: string): boolean => /(Z|[+-]\d\d:?\d\d)$/.test(text);

/** A time without a zone is UTC. */
function fromText(text: string): Date | undefined {
  if (/^\d+$/.test(text)) return fromMilliseconds(Number(text));
  return isDateTime(text) ? new Date(hasZone(text.slice(10)) ? text : `${text}Z`) : undefined;
}

/** The instant that a value is; undefined for text that is none. Throws an Error for a number or a Date that is none. */
function toInstant(value: unknown): Date | undefined {
  if (typeof value === "string") return fromText(value.trim());
  if (typeof value === "number") {
    const instant = fromMilliseconds(value);
    if (instant) return instant;
    throw new Error(
      `must be a time; a number is milliseconds since 1970, from 1990 to 2100, which ${value} is not`,
    );
  }
  if (!isDate(value)) return undefined;
  if (Number.isNaN(value.getTime())) throw new Error("must be a time, not an invalid Date");
  return value;
}

/** How much of an ISO time a field takes. */
const lengthByPrecision = { day: "YYYY-MM-DD".length, minute: "YYYY-MM-DDThh:mm".length } as const;

/** How exactly a text tells a time: a day, a minute or more. */
export type Precision = keyof typeof lengthByPrecision | "instant";

/** How exactly a field tells a time; undefined for a field that is no time. */
export function precisionOf(schema: z.ZodType): Precision | undefined {
  const { format, precision } = metaOf(schema);
  if (precision) return precision;
  return format === "date" ? "day" : format === "date-time" ? "instant" : undefined;
}

/**
 * Prepares a field that tells a time: returns a value in its form, where it is a time in another one. The day is that in
 * UTC; what is finer than the field is cut off; a day is its beginning, or the minute that the field says. What is no time
 * stays as it is, for the check to name. Undefined for a field that tells none.
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
