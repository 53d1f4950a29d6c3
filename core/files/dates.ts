/** Dates with two-digit years in MT940 and CODA: 80 to 99 are 1980 to 1999, 00 to 79 are 2000 to 2079. */
import { isDay } from "../values/values";
import { FormatError, type Position, quoteValue } from "./format-error";

const withCentury = (year: string) => (Number(year) >= 80 ? `19${year}` : `20${year}`);

function requireDay(date: string, text: string, position: Position): string {
  if (isDay(date)) return date;
  throw new FormatError("invalid", position, `the date ${quoteValue(text)} does not exist`);
}

const toIso = (text: string) => `${withCentury(text.slice(0, 2))}-${text.slice(2, 4)}-${text.slice(4, 6)}`;

/** Parses YYMMDD to YYYY-MM-DD. */
export const parseYymmdd = (text: string, position: Position): string =>
  requireDay(toIso(text), text, position);

/** Parses YYMMDD by the 30-day months of interest calculation: 29 or 30 February becomes the last day of February. */
export function parseYymmddOf30DayMonth(text: string, position: Position): string {
  const lastFebruaryDays = /^\d\d02(?:29|30)$/.test(text) ? ["28", "29"] : [];
  const days = lastFebruaryDays.map((day) => text.slice(0, 4) + day).filter((day) => isDay(toIso(day)));
  return parseYymmdd(days.at(-1) ?? text, position);
}

/** Parses DDMMYY to YYYY-MM-DD. */
export const parseDdmmyy = (text: string, position: Position): string =>
  requireDay(`${withCentury(text.slice(4, 6))}-${text.slice(2, 4)}-${text.slice(0, 2)}`, text, position);

/** Throws for a date that does not exist or that a two-digit year cannot express. */
function requireTwoDigitYear(date: string, position: Position): string {
  if (isDay(date) && "1980" <= date && date < "2080") return date;
  throw new FormatError(
    "invalid",
    position,
    `expected a date from 1980 to 2079 as YYYY-MM-DD, found ${quoteValue(date)}`,
  );
}

const yearOf = (date: string) => date.slice(2, 4);
const monthOf = (date: string) => date.slice(5, 7);
const dayOf = (date: string) => date.slice(8, 10);

export function formatYymmdd(text: string, position: Position): string {
  const date = requireTwoDigitYear(text, position);
  return yearOf(date) + monthOf(date) + dayOf(date);
}

export function formatDdmmyy(text: string, position: Position): string {
  const date = requireTwoDigitYear(text, position);
  return dayOf(date) + monthOf(date) + yearOf(date);
}

const distance = (one: string, other: string) => Math.abs(Date.parse(one) - Date.parse(other));

/** Returns the day with the given month and day, MMDD, nearest to a date; undefined if none exists within a year. */
export function nearestDate(mmdd: string, date: string): string | undefined {
  const year = Number(date.slice(0, 4));
  return [year - 1, year, year + 1]
    .map((candidate) => `${candidate}-${mmdd.slice(0, 2)}-${mmdd.slice(2)}`)
    .filter(isDay)
    .toSorted((one, other) => distance(one, date) - distance(other, date))[0];
}
