/** Parsing of periods. */
import * as fc from "fast-check";
import { parseFuturePeriod, parsePeriod } from "../../../core/procedures/period";

/** A Wednesday. */
const today = new Date("2026-03-18T23:30:00Z");

test.each([
  ["today", "2026-03-18", "2026-03-18"],
  ["Yesterday", "2026-03-17", "2026-03-17"],
  ["this week", "2026-03-16", "2026-03-18"],
  ["last week", "2026-03-09", "2026-03-15"],
  ["last month", "2026-02-01", "2026-02-28"],
  ["last_month", "2026-02-01", "2026-02-28"],
  ["last-30-days", "2026-02-17", "2026-03-18"],
  ["this month", "2026-03-01", "2026-03-18"],
  ["last quarter", "2025-10-01", "2025-12-31"],
  ["this quarter", "2026-01-01", "2026-03-18"],
  ["last year", "2025-01-01", "2025-12-31"],
  ["last 30 days", "2026-02-17", "2026-03-18"],
  ["2026-02", "2026-02-01", "2026-02-28"],
  ["2024-02", "2024-02-01", "2024-02-29"],
  ["2026-Q1", "2026-01-01", "2026-03-31"],
  ["2025", "2025-01-01", "2025-12-31"],
  ["2026-01-31", "2026-01-31", "2026-01-31"],
  ["2026-01-01..2026-01-31", "2026-01-01", "2026-01-31"],
  ["2026-01-01 to 2026-01-31", "2026-01-01", "2026-01-31"],
  ["2026-01-01/2026-01-31", "2026-01-01", "2026-01-31"],
])("%s is %s to %s", (text, from, to) => {
  expect(parsePeriod(text, today)).toEqual({ from, to });
});

test.each([
  "",
  "soon",
  "2026-02-30",
  "2026-13",
  "2026-01-31..2026-01-01",
  "last 0 days",
  "last -5 days",
  "last  - 5 days",
  "last fortnight",
])("refuses %j", (text) => {
  expect(parsePeriod(text, today)).toBeUndefined();
});

test.each([
  ["tomorrow", "2026-03-19", "2026-03-19"],
  ["this week", "2026-03-16", "2026-03-22"],
  ["this month", "2026-03-01", "2026-03-31"],
  ["next week", "2026-03-23", "2026-03-29"],
  ["next month", "2026-04-01", "2026-04-30"],
  ["next quarter", "2026-04-01", "2026-06-30"],
  ["next year", "2027-01-01", "2027-12-31"],
  ["next 30 days", "2026-03-18", "2026-04-17"],
  ["today", "2026-03-18", "2026-03-18"],
  ["2026-05", "2026-05-01", "2026-05-31"],
])("as a future period, %s is %s to %s", (text, from, to) => {
  expect(parseFuturePeriod(text, today)).toEqual({ from, to });
});

test("the last unit always ends on the day before the current one", () => {
  const day = fc.date({
    min: new Date("1990-01-01"),
    max: new Date("2090-12-31"),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(day, fc.constantFrom("week", "month", "quarter", "year"), (now, unit) => {
      const last = parsePeriod(`last ${unit}`, now)!;
      const current = parsePeriod(`this ${unit}`, now)!;
      expect(Date.parse(current.from) - Date.parse(last.to)).toBe(86_400_000);
      expect(current.to).toBe(now.toISOString().slice(0, 10));
    }),
  );
});
