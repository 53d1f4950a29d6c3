/** The calendar watch: its times are those of the banks' calendar, in any zone, and each is reported once. */
import * as fc from "fast-check";
import { isBusinessDay } from "../../../core/calendars";
import { latestCalendarTime } from "../../../core/watches/calendar";
import { openClient, openSandbox } from "../../support/sandboxes";

const dayMs = 86_400_000;
const zones = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Asia/Kolkata",
  "Pacific/Auckland",
  "Pacific/Apia",
];
const hours = ["00:00", "02:30", "08:00", "23:59"];
const rules = fc.record({
  when: fc.constantFrom("working_days", "working_day_of_month", "month_end"),
  number: fc.integer({ min: 1, max: 18 }),
  at: fc.constantFrom(...hours),
  zone: fc.constantFrom(...zones),
  currencies: fc.constantFrom("EUR", "USD,GBP", "SAR", "JPY,"),
});
const instants = fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2031, 0, 1) });

const localText = (time: number, timeZone: string) =>
  new Intl.DateTimeFormat("sv", { timeZone, dateStyle: "short", timeStyle: "short" }).format(time);

test("the latest time is a wanted working day at its time of day, and no later one has passed", () => {
  fc.assert(
    fc.property(rules, instants, (rule, now) => {
      const found = latestCalendarTime(rule, now)!;
      const currencies = rule.currencies.split(",").filter(Boolean);
      const monthOf = (day: string) =>
        Array.from(
          { length: 31 },
          (_, index) => `${day.slice(0, 8)}${String(index + 1).padStart(2, "0")}`,
        ).filter((each) => new Date(each).toJSON()?.startsWith(each) && isBusinessDay(each, currencies));
      const month = monthOf(found.day);
      expect(month[found.working_day - 1]).toBe(found.day);
      expect(found.month_end).toBe(month.at(-1) === found.day);
      expect(Date.parse(found.at)).toBeLessThanOrEqual(now);
      // Clocks that skip the time are an hour ahead.
      expect([`${found.day} ${rule.at}`, `${found.day} 03:30`]).toContain(
        localText(Date.parse(found.at), rule.zone),
      );
      if (rule.when === "month_end") expect(found.month_end).toBe(true);
      if (rule.when === "working_day_of_month") expect(found.working_day).toBe(rule.number);
      const longest = rule.when === "working_days" ? 12 : 45;
      expect(now - Date.parse(found.at)).toBeLessThan(longest * dayMs);
      expect(latestCalendarTime(rule, Date.parse(found.at))).toEqual(found);
      expect(latestCalendarTime(rule, Date.parse(found.at) - 1)!.at < found.at).toBe(true);
    }),
    { seed: 28, numRuns: 200 },
  );
});

test("reports a time once when it is reached, and the latest of those that passed meanwhile", async () => {
  const client = openClient(await openSandbox());
  const clock = jest.spyOn(Date, "now");
  let cursor: string | undefined;
  const reportedAt = async (time: string) => {
    clock.mockReturnValue(Date.parse(time));
    const { changes, next } = await client.calendar.watch.since(
      { when: "working_day_of_month", number: 1, at: "08:00", zone: "Europe/Berlin" },
      { everyMs: 1, ...(cursor !== undefined && { cursor }) },
    );
    cursor = next;
    return changes.map(({ entry }) => entry!.day);
  };
  try {
    expect(await reportedAt("2027-01-03T12:00Z")).toEqual([]);
    expect(await reportedAt("2027-01-04T06:59Z")).toEqual([]);
    expect(await reportedAt("2027-01-04T07:00Z")).toEqual(["2027-01-04"]);
    expect(await reportedAt("2027-01-04T08:00Z")).toEqual([]);
    expect(await reportedAt("2027-04-01T06:00Z")).toEqual(["2027-04-01"]);
  } finally {
    clock.mockRestore();
  }
});
