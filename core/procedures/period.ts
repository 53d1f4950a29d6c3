/** Parser of periods: "last month", "yesterday", a day, a month, a range of days. */
import { z } from "zod";
import { dayMs, dayOf } from "../calendars/days";
import { isDay } from "../values/values";

/** A range of whole days in UTC, YYYY-MM-DD, both inclusive. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

/** Returns the start of a day in milliseconds. Months and days out of range overflow as in Date. */
const startOfDay = (year: number, month: number, dayOfMonth: number): number =>
  Date.UTC(year, month, dayOfMonth);

const days = (from: number, to: number): Period => ({ from: dayOf(from), to: dayOf(to) });

/** Returns the period of `count` months starting with the given one. */
const months = (year: number, month: number, count: number): Period =>
  days(startOfDay(year, month, 1), startOfDay(year, month + count, 0));

type Unit = "day" | "week" | "month" | "quarter" | "year";

/** Returns the unit `back` units before the current one. Weeks start on Monday. */
function unitAgo(unit: Unit, back: number, today: Date): Period {
  const [year, month, dayOfMonth] = [today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate()];
  switch (unit) {
    case "day":
      return days(startOfDay(year, month, dayOfMonth - back), startOfDay(year, month, dayOfMonth - back));
    case "week": {
      const monday = dayOfMonth - ((today.getUTCDay() + 6) % 7) - 7 * back;
      return days(startOfDay(year, month, monday), startOfDay(year, month, monday + 6));
    }
    case "month":
      return months(year, month - back, 1);
    case "quarter":
      return months(year, month - (month % 3) - 3 * back, 3);
    case "year":
      return months(year - back, 0, 12);
  }
}

/** Returns the previous unit, or the current one up to today. */
function currentOrLast(which: string, unit: Unit, today: Date): Period {
  const period = unitAgo(unit, which === "last" ? 1 : 0, today);
  return which === "last" ? period : { from: period.from, to: dayOf(today) };
}

/** Returns the last days including today. */
const lastDays = (count: number, today: Date): Period =>
  days(today.getTime() - (count - 1) * dayMs, today.getTime());

const pastForms: readonly (readonly [RegExp, (match: RegExpExecArray, today: Date) => Period])[] = [
  [/^today$/, (_, today) => unitAgo("day", 0, today)],
  [/^yesterday$/, (_, today) => unitAgo("day", 1, today)],
  [
    /^(this|last) (week|month|quarter|year)$/,
    ([, which, unit], today) => currentOrLast(which!, unit as Unit, today),
  ],
  [/^last (\d{1,4}) days$/, ([, count], today) => lastDays(Number(count), today)],
  [/^(\d{4})-(\d{2})-(\d{2})$/, ([whole]) => ({ from: whole, to: whole })],
  [/^(\d{4})-(0[1-9]|1[0-2])$/, ([, year, month]) => months(Number(year), Number(month) - 1, 1)],
  [/^(\d{4})[ -]?q([1-4])$/, ([, year, quarter]) => months(Number(year), (Number(quarter) - 1) * 3, 3)],
  [/^(\d{4})$/, ([, year]) => months(Number(year), 0, 12)],
  [
    /^(\d{4}-\d{2}-\d{2}) ?(?:\.\.|to|bis|\/|[-–]) ?(\d{4}-\d{2}-\d{2})$/,
    ([, from, to]) => ({ from: from!, to: to! }),
  ],
];

type PeriodForms = typeof pastForms;

/** Names of the months in English and German, with their abbreviations. */
const monthNames = [
  ["january", "januar", "jänner", "jan", "jän"],
  ["february", "februar", "feb"],
  ["march", "märz", "maerz", "mar", "mär", "mrz"],
  ["april", "apr"],
  ["may", "mai"],
  ["june", "juni", "jun"],
  ["july", "juli", "jul"],
  ["august", "aug"],
  ["september", "sept", "sep"],
  ["october", "oktober", "oct", "okt"],
  ["november", "nov"],
  ["december", "dezember", "dec", "dez"],
] as const;

const numberOfMonth: ReadonlyMap<string, string> = new Map(
  monthNames.flatMap((names, index) => names.map((name) => [name, String(index + 1).padStart(2, "0")])),
);

const month = [...numberOfMonth.keys()].join("|");

const iso = (year: string, name: string, day?: string): string =>
  [year, numberOfMonth.get(name) ?? name, day].flatMap((part) => part?.padStart(2, "0") ?? []).join("-");

/** Replaces days such as 01.10.2026 and months such as "October 2026" by 2026-10-01 and 2026-10. */
const toIsoDates = (words: string): string =>
  words
    .replace(/(?<!\d)(\d{1,2})\.(\d{1,2})\.(\d{4})(?!\d)/g, (_, day: string, number: string, year: string) =>
      iso(year, number, day),
    )
    .replace(
      new RegExp(`(?<!\\d)(\\d{1,2})\\.? (${month})\\.? (\\d{4})(?!\\d)`, "g"),
      (_, day: string, name: string, year: string) => iso(year, name, day),
    )
    .replace(new RegExp(`^(${month})\\.? (\\d{4})$`), (_, name: string, year: string) => iso(year, name));

/** Forms for future periods, in which "this month" extends to its end. */
const futureForms: PeriodForms = [
  [/^tomorrow$/, (_, today) => unitAgo("day", -1, today)],
  [/^this (week|month|quarter|year)$/, ([, unit], today) => unitAgo(unit as Unit, 0, today)],
  [/^next (week|month|quarter|year)$/, ([, unit], today) => unitAgo(unit as Unit, -1, today)],
  [
    /^next (\d{1,4}) days$/,
    ([, count], today) => days(today.getTime(), today.getTime() + Number(count) * dayMs),
  ],
  ...pastForms,
];

/** Parses a period. Returns undefined if the text is not a period. */
export const parsePeriod = (text: string, today = new Date()): Period | undefined =>
  matchForms(pastForms, text, today);

/** Parses a future period, for example for maturities: "tomorrow", "next 30 days", "this month" to its end. */
export const parseFuturePeriod = (text: string, today = new Date()): Period | undefined =>
  matchForms(futureForms, text, today);

function matchForms(forms: PeriodForms, text: string, today: Date): Period | undefined {
  const words = toIsoDates(
    text
      .trim()
      .toLowerCase()
      // A minus before a number is a sign, not a word separator.
      .replace(/[\s_-]+(?=[a-z])|(?<=[a-z])(\s+|_|-)(?=\d)/g, " "),
  );
  for (const [form, periodFrom] of forms) {
    const match = form.exec(words);
    const period = match && periodFrom(match, today);
    if (period && isDay(period.from) && isDay(period.to) && period.from <= period.to) return period;
  }
  return undefined;
}

/** Input field for a period. */
export const PeriodText = z
  .string()
  .refine(
    (text) => parsePeriod(text) !== undefined,
    'must be a period, such as "last month", "last 30 days", "October 2026", 2026-01, 2026-Q1 or 2026-01-01..2026-01-31 (the earlier day first)',
  )
  .meta({
    title: "Period",
    suggestions: [
      "today",
      "yesterday",
      "this week",
      "last week",
      "this month",
      "last month",
      "this quarter",
      "last quarter",
      "this year",
      "last year",
      "last 30 days",
      "last 90 days",
    ],
    description: "UTC days: last month, 2026-Q1, 2026-01-01..2026-01-31.",
  });

/** Input field for a future period. */
export const FuturePeriodText = z
  .string()
  .refine(
    (text) => parseFuturePeriod(text) !== undefined,
    'must be a period, such as "next 30 days", "this month", tomorrow, 2026-01, 2026-Q1 or 2026-01-01..2026-01-31 (the earlier day first)',
  )
  .meta({
    title: "Period",
    suggestions: [
      "today",
      "tomorrow",
      "this week",
      "next week",
      "this month",
      "next month",
      "this quarter",
      "next quarter",
      "this year",
      "next 30 days",
      "next 90 days",
    ],
    description:
      'Whole days in UTC: today, tomorrow, this or next week, month, quarter or year, "next 30 days", a day, a month 2026-01, ' +
      "a quarter 2026-Q1, a year, or two days 2026-01-01..2026-01-31.",
  });
