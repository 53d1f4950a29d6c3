/** Validation of dates with times. */
import { DateTime } from "../../../core/values/values";

test.each([
  "2026-01-31T09:30",
  "2026-01-31T09:30:00",
  "2026-01-31T09:30:00.123456Z",
  "2026-01-31T09:30:00+01:00",
  "2026-01-31T09:30:00-0500",
])("accepts %s", (text) => {
  expect(DateTime.safeParse(text).success).toBe(true);
});

test.each([
  "2026-01-31",
  "2026-01-31T",
  "2026-01-31T9:30",
  "2026-01-31T25:00:00Z",
  "2026-02-30T09:30:00Z",
  "2026-01-31T09:30:00Z or so",
  "2026-01-31T09:30:00 GMT",
  "2026-01-31T09:30:00 (noon)",
  "2026-01-31T09:30:00+99:00",
  "on 2026-01-31T09:30:00Z",
  "21 Nov 2026 10:00:00 GMT",
])("refuses %s", (text) => {
  expect(DateTime.safeParse(text).success).toBe(false);
});
