/** What the declarations of the controls share. */
import { ErrorMessage } from "@fxdesk/toolkit/schema";
import { z } from "zod";

export const described = (description: string, example?: string | number) => ({
  description,
  ...(example !== undefined && { examples: [example] }),
});
const isTime = (value: string) =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z$/.test(value) && !Number.isNaN(Date.parse(value));
export const Time = z
  .string()
  .refine(isTime, "must be a UTC time, such as 2026-01-31T09:30:00Z")
  .meta({ format: "date-time", examples: ["2026-01-31T09:30:00Z"] });

/** How far the clock is moved at once, and how long a statement is delayed, at most. */
export const longestDays = 366;
export const longestSeconds = longestDays * 86_400;

/** A field that another cannot do without when that has a value. */
export const needed = (field: string, other: string, value: string) => ({
  kind: "needed-by" as const,
  fields: [field],
  other,
  values: [value],
  description: `${field} is needed with ${other} ${value}.`,
});

/** What every control has in common. */
export const local = {
  effect: "change",
  server: "service",
  credentials: [],
  errors: {
    400: ["The request does not fit.", ErrorMessage],
    403: ["The request comes from another web page.", ErrorMessage],
    404: ["There is no such thing.", ErrorMessage],
    409: ["The state does not allow it.", ErrorMessage],
  },
  contract: "not shown",
} as const;
