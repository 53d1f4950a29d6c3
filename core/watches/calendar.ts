/** calendar.watch: working days and ends of months, at a time of day. It calls no operation. */
import { z } from "zod";
import { isBusinessDay, nextBusinessDay } from "../calendars/business-days";
import { addDays, dayOf, instantOf, isZone, localTimeIn, startOf } from "../calendars/days";
import { json } from "../spec/declare";
import { textField } from "../values/response-fields";
import { Currencies } from "../values/values";
import { watch } from "./watch";

const CalendarTime = z
  .object({
    day: textField("The day (YYYY-MM-DD)."),
    month: textField("Its month (YYYY-MM)."),
    at: textField("The time, UTC."),
    working_day: z.int().describe("Number of the working day in its month, from 1."),
    month_end: z.boolean().describe("True for the last working day of its month."),
  })
  .meta({ id: "CalendarTime", description: "A time that the calendar has reached." });

/** Returns the number of a working day in its month. */
function workingDayNumber(day: string, currencies: readonly string[]): number {
  const date = startOf(day).getUTCDate();
  const month = Array.from({ length: date }, (_, index) => addDays(day, index + 1 - date));
  return month.filter((each) => isBusinessDay(each, currencies)).length;
}

const input = {
  when: z.enum(["working_days", "working_day_of_month", "month_end"]).meta({
    title: "When",
    description: "Each working day, one working day of each month by its number, or the last of each month.",
  }),
  number: z.int().min(1).max(18).optional().meta({
    title: "Working day",
    description: "For `working_day_of_month`: its number, 1 for the first.",
  }),
  at: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, "must be a time of day, such as 08:00")
    .default("08:00")
    .meta({ title: "Time", description: "Time of day, hh:mm." }),
  zone: z
    .string()
    .refine(isZone, "must be a time zone, such as Europe/Berlin")
    .default("UTC")
    .meta({ title: "Time zone", description: "IANA time zone, such as Europe/Berlin." }),
  currencies: Currencies.default("EUR").meta({
    title: "Calendar",
    description: "Currencies such as EUR,USD: days on which banks settle all of them are working days.",
  }),
};

type CalendarInput = z.output<z.ZodObject<typeof input>>;

/** Longest time between two times of a calendar. */
const maxDaysBetween = 62;

/** Returns the latest time of a calendar, or undefined if there was none in two months. */
export function latestCalendarTime(
  { when, number, at, zone, currencies: codes }: CalendarInput,
  now: number,
): z.output<typeof CalendarTime> | undefined {
  const currencies = codes.split(",").filter(Boolean);
  const localTime = localTimeIn(zone);
  const today = dayOf(localTime(now));
  for (let day = today; day > addDays(today, -maxDaysBetween); day = addDays(day, -1)) {
    if (!isBusinessDay(day, currencies)) continue;
    const month = day.slice(0, "YYYY-MM".length);
    const working_day = workingDayNumber(day, currencies);
    const month_end = !nextBusinessDay(addDays(day, 1), currencies).startsWith(month);
    const isWanted = { working_days: true, working_day_of_month: working_day === number, month_end }[when];
    const instant = isWanted ? instantOf(day, at, localTime) : Infinity;
    if (instant <= now) return { day, month, at: new Date(instant).toISOString(), working_day, month_end };
  }
  return undefined;
}

export const watchCalendar = watch({
  name: "calendar.watch",
  tool: "watch_calendar",
  title: "Watch calendar",
  summary: "Reports each working day, a working day of each month, or its last, at a time of day.",
  notes: "Times that pass while the watch is stopped are reported once, by the latest of them.",
  icon: "font-awesome/fa-calendar",
  keywords: [
    "schedule",
    "when",
    "cron",
    "timer",
    "month end",
    "every morning",
    "business day",
    "Zeitplan",
    "Arbeitstag",
    "Bankarbeitstag",
    "Monatsende",
    "Ultimo",
  ],
  section: { title: "Calendar", category: "fxdesk cash", daily: ["watch"], order: 3.5 },
  uses: [],
  input,
  rules: [
    {
      kind: "needed-by",
      fields: ["number"],
      other: "when",
      values: ["working_day_of_month"],
      description: "working_day_of_month requires number.",
    },
    {
      kind: "excluded-by",
      fields: ["number"],
      other: "when",
      values: ["working_days", "month_end"],
      description: "number is only for working_day_of_month.",
    },
  ],
  output: json(CalendarTime, "The time that the calendar has reached."),
  defaultStart: "now",
  everyMs: 30_000,
  read(_, given) {
    const reached = latestCalendarTime(given, Date.now());
    return Promise.resolve({ entries: reached ? [reached] : [], gaps: [] });
  },
  // One entry that moves on, so that the stored states stay small.
  identify: () => "calendar",
  state: ({ at }) => ({ at }),
});
