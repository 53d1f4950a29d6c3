/** Beginning again, and the clock. */
import { json, operation } from "@fxdesk/toolkit/operations";
import { z } from "zod";
import { local, longestDays, longestSeconds, described, Time } from "./parts";

const Clock = z.object({ now: Time });
const clock = json(Clock, "The time it is now.");

export const reset = operation({
  ...local,
  name: "sandbox.reset",
  tool: "sandbox_reset",
  title: "Begin again",
  summary:
    "Begins again, with other accounts, trades and transactions of the company or the same; nothing of what was done is left.",
  method: "POST",
  path: "/_sandbox/reset",
  body: z.object({
    seed: z
      .string()
      .min(1)
      .optional()
      .meta(described("From which accounts, trades and transactions follow; that of the start, without.")),
    now: Time.optional().meta(
      described(
        "Where time starts, to move a tenth of a second with each request; as at the start, without.",
      ),
    ),
  }),
  responses: { 200: clock },
});

export const getClock = operation({
  ...local,
  name: "sandbox.getClock",
  tool: "sandbox_get_clock",
  title: "Clock",
  summary: "Reads the clock.",
  effect: "read",
  method: "GET",
  path: "/_sandbox/clock",
  responses: { 200: clock },
});

export const setClock = operation({
  ...local,
  name: "sandbox.setClock",
  tool: "sandbox_set_clock",
  title: "Set clock",
  summary: "Moves the clock forward to a time; what is due until then happens.",
  method: "POST",
  path: "/_sandbox/clock",
  body: z.object({ now: Time.meta(described("The time it is to be, in UTC.")) }),
  responses: { 200: clock },
});

export const advanceClock = operation({
  ...local,
  name: "sandbox.advanceClock",
  tool: "sandbox_advance_clock",
  title: "Advance clock",
  summary: "Moves the clock forward by seconds or days; what is due until then happens.",
  method: "POST",
  path: "/_sandbox/clock/advance",
  body: z.object({
    seconds: z.int().min(1).max(longestSeconds).optional().meta(described("Seconds.")),
    days: z.int().min(1).max(longestDays).optional().meta(described("Days of 24 hours.")),
  }),
  rules: [
    {
      kind: "exactly-one",
      fields: ["seconds", "days"],
      description: "Exactly one of seconds and days must be given.",
    },
  ],
  responses: { 200: clock },
});

export const clockControls = [reset, getClock, setClock, advanceClock] as const;
