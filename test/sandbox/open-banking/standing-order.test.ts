/** Tests the execution days of standing orders. */
import { sepa } from "@fxdesk/toolkit/calendars";
import { nextExecutionDay, type StandingOrder } from "../../../sandbox/src/world/model/payment";

/** Returns the first execution days of an order. */
function first(count: number, order: StandingOrder): string[] {
  const days: string[] = [];
  let next = nextExecutionDay(order, sepa, 0);
  while (next && days.length < count) {
    days.push(next.day);
    next = nextExecutionDay(order, sepa, next.number + 1);
  }
  return days;
}

const all = (order: StandingOrder): string[] => first(Infinity, order);

test.each<[string, StandingOrder, string[]]>([
  ["every day", { startDate: "2026-03-02", frequency: "Daily" }, ["2026-03-02", "2026-03-03", "2026-03-04"]],
  [
    "every week",
    { startDate: "2026-03-02", frequency: "Weekly" },
    ["2026-03-02", "2026-03-09", "2026-03-16"],
  ],
  [
    "every quarter",
    { startDate: "2026-01-15", frequency: "Quarterly" },
    ["2026-01-15", "2026-04-15", "2026-07-15"],
  ],
  [
    "on the last of the month, where it is a business day",
    { startDate: "2026-01-01", frequency: "Monthly", dayOfExecution: "31", executionRule: "preceding" },
    ["2026-01-30", "2026-02-27", "2026-03-31"],
  ],
  [
    "from the first day of execution after the start",
    { startDate: "2026-03-20", frequency: "Monthly", dayOfExecution: "7" },
    ["2026-04-07", "2026-05-07", "2026-06-08"],
  ],
  [
    "in some months",
    { startDate: "2026-01-05", frequency: "MonthlyVariable", monthsOfExecution: ["2", "10"] },
    ["2026-02-05", "2026-10-05", "2027-02-05"],
  ],
])("%s", (_when, order, days) => {
  expect(first(3, order)).toEqual(days);
});

test("ends with its last day", () => {
  const order = { startDate: "2026-03-02", endDate: "2026-03-16", frequency: "Weekly" } as const;
  expect(all(order)).toEqual(["2026-03-02", "2026-03-09", "2026-03-16"]);
});

test.each<[string, StandingOrder, string[]]>([
  [
    "after its last day",
    { startDate: "2026-03-06", endDate: "2026-03-07", frequency: "Daily" },
    ["2026-03-06"],
  ],
  [
    "before its first day",
    { startDate: "2026-03-01", endDate: "2026-03-03", frequency: "Daily", executionRule: "preceding" },
    ["2026-03-02", "2026-03-03"],
  ],
])("skips %s if that day moves to another", (_when, order, days) => {
  expect(all(order)).toEqual(days);
});

test.each<[string, StandingOrder, string[]]>([
  [
    "its first",
    { startDate: "2026-03-02", endDate: "2026-03-31", frequency: "Monthly", dayOfExecution: "1" },
    ["2026-03-02"],
  ],
  [
    "its last",
    { startDate: "2026-02-28", endDate: "2026-03-27", frequency: "Monthly", executionRule: "preceding" },
    ["2026-03-27"],
  ],
])("pays on the %s day to which others move", (_which, order, days) => {
  expect(all(order)).toEqual(days);
});
