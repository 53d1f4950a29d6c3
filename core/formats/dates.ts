/** Dates with two-digit years. Both MT940 and CODA have them: 80 to 99 are of the 1900s, 00 to 79 of the 2000s. */
import { isDay } from "../schema/values";
import { FormatError, type Place, quoted } from "./error";

const withCentury = (year: string) => (Number(year) >= 80 ? `19${year}` : `20${year}`);

function checked(date: string, text: string, place: Place): string {
  if (isDay(date)) return date;
  throw new FormatError("invalid", place, `there is no such day: ${quoted(text)}`);
}

const isoOf = (text: string) => `${withCentury(text.slice(0, 2))}-${text.slice(2, 4)}-${text.slice(4, 6)}`;

/** The day that YYMMDD says. */
export const fromYymmdd = (text: string, place: Place): string => checked(isoOf(text), text, place);

/** The day that YYMMDD says, where a year has months of thirty days: interest runs so, and February has 30 days in it. */
export function fromYymmddOfInterest(text: string, place: Place): string {
  const shorter = /^\d\d02(?:29|30)$/.test(text) ? ["28", "29"] : [];
  const days = shorter.map((day) => text.slice(0, 4) + day).filter((day) => isDay(isoOf(day)));
  return fromYymmdd(days.at(-1) ?? text, place);
}

/** The day that DDMMYY says. */
export const fromDdmmyy = (text: string, place: Place): string =>
  checked(`${withCentury(text.slice(4, 6))}-${text.slice(2, 4)}-${text.slice(0, 2)}`, text, place);

/** The date itself. Throws when it does not exist or two digits cannot say its year. */
function sayable(date: string, place: Place): string {
  if (isDay(date) && "1980" <= date && date < "2080") return date;
  throw new FormatError(
    "invalid",
    place,
    `a date is a day from 1980 to 2079 as YYYY-MM-DD, not ${quoted(date)}`,
  );
}

const yearOf = (date: string) => date.slice(2, 4);
const monthOf = (date: string) => date.slice(5, 7);
const dayOf = (date: string) => date.slice(8, 10);

export function yymmdd(text: string, place: Place): string {
  const date = sayable(text, place);
  return yearOf(date) + monthOf(date) + dayOf(date);
}

export function ddmmyy(text: string, place: Place): string {
  const date = sayable(text, place);
  return dayOf(date) + monthOf(date) + yearOf(date);
}

const distance = (one: string, other: string) => Math.abs(Date.parse(one) - Date.parse(other));

/** The day nearest to a date that has the given month and day, MMDD; undefined when there is none within a year. */
export function nearest(mmdd: string, date: string): string | undefined {
  const year = Number(date.slice(0, 4));
  return [year - 1, year, year + 1]
    .map((candidate) => `${candidate}-${mmdd.slice(0, 2)}-${mmdd.slice(2)}`)
    .filter(isDay)
    .toSorted((one, other) => distance(one, date) - distance(other, date))[0];
}
