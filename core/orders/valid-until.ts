/** Time limit of an order: a time, or a duration that counts from the request. */
import { z } from "zod";

const durationsMs = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

const duration = /^([1-9]\d{0,4}) (minute|hour|day)s?$/;

export const ValidUntil = z
  .string()
  .regex(/^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z|[1-9]\d{0,4} (minute|hour|day)s?)$/, {
    error: "must be a UTC time, such as 2026-01-31T16:30Z, or a duration, such as 1 hour",
    abort: true,
  })
  .refine((text) => !Number.isNaN(expiryOf(text)), "must be an existing time")
  .meta({
    title: "Valid until",
    description:
      "UTC time after which the order expires, such as 2026-01-31T16:30Z, or a duration from now: 30 minutes, 1 hour, 2 days.",
    precision: "instant",
    suggestions: ["30 minutes", "1 hour", "4 hours", "1 day", "7 days"],
  });

/** Returns the time limit in milliseconds since 1970, NaN if it does not exist. A duration counts from now. */
export function expiryOf(text: string): number {
  const [, count, unit] = duration.exec(text) ?? [];
  return unit === undefined
    ? Date.parse(text)
    : Date.now() + Number(count) * durationsMs[unit as keyof typeof durationsMs];
}
