/** Dates with two-digit years in MT940 and CODA: 80 to 99 are 1980 to 1999, 00 to 79 are 2000 to 2079. */
import { isDay } from "../values/values";
import { FormatError, type Position, quoteValue } from "./format-error";

const withCentury = (year: string) => (Number(year) >= 80 ? `19${year}` : `20${year}`);

/** Adds the century to a year of two digits. */
export const expandYear = (year: string): string => (year.length === 2 ? withCentury(year) : year);

/** Parses two-digit parts to YYYY-MM-DD. Throws for a day that does not exist. */
function parseParts([year, month, day]: readonly string[], text: string, position: Position): string {
  const date = `${withCentury(year!)}-${month}-${day}`;
  if (isDay(date)) return date;
  throw new FormatError("invalid", position, `the date ${quoteValue(text)} does not exist`);
}

const pairsOf = (text: string) => [text.slice(0, 2), text.slice(2, 4), text.slice(4, 6)];

/** Parses YYMMDD to YYYY-MM-DD. */
export const parseYymmdd = (text: string, position: Position): string =>
  parseParts(pairsOf(text), text, position);

/** Parses DDMMYY to YYYY-MM-DD. */
export const parseDdmmyy = (text: string, position: Position): string =>
  parseParts(pairsOf(text).toReversed(), text, position);

/** Parses YYMMDD by the 30-day months of interest calculation: 29 or 30 February becomes the last day of February. */
export function parseYymmddOf30DayMonth(text: string, position: Position): string {
  const [year, month, day] = pairsOf(text);
  if (month !== "02" || (day !== "29" && day !== "30")) return parseYymmdd(text, position);
  const leapDay = `${withCentury(year!)}-02-29`;
  return isDay(leapDay) ? leapDay : leapDay.replace(/29$/, "28");
}

/** Splits a date into two-digit parts. Throws for a date that does not exist or that a two-digit year cannot express. */
function splitDate(date: string, position: Position): string[] {
  if (isDay(date) && "1980" <= date && date < "2080") return date.slice(2).split("-");
  throw new FormatError(
    "invalid",
    position,
    `expected a date from 1980 to 2079 as YYYY-MM-DD, found ${quoteValue(date)}`,
  );
}

export const formatYymmdd = (date: string, position: Position): string => splitDate(date, position).join("");

export const formatDdmmyy = (date: string, position: Position): string =>
  splitDate(date, position).toReversed().join("");

const distance = (one: string, other: string) => Math.abs(Date.parse(one) - Date.parse(other));

/** Returns the day with the given month and day, MMDD, nearest to a date; undefined if none exists within a year. */
export function nearestDate(mmdd: string, date: string): string | undefined {
  const sameMonth = `${date.slice(0, 5)}${mmdd.slice(0, 2)}-${mmdd.slice(2)}`;
  if (sameMonth.slice(0, 7) === date.slice(0, 7) && isDay(sameMonth)) return sameMonth;
  const year = Number(date.slice(0, 4));
  return [year - 1, year, year + 1]
    .map((candidate) => `${candidate}-${mmdd.slice(0, 2)}-${mmdd.slice(2)}`)
    .filter(isDay)
    .toSorted((one, other) => distance(one, date) - distance(other, date))[0];
}
