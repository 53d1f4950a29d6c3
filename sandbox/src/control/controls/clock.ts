/** Beginning again, and the clock. */
import { json, operation } from "@fxdesk/toolkit/operations";
import { z } from "zod";
import { control, local, longestDays, longestSeconds, described, Time } from "./parts";
import type { Stage } from "../../stage";
import { timeViolation } from "../../world/calendar/clock";
import { dayMs } from "../../world/calendar/days";
import { DomainError, unfit } from "../../world/domain-error";

const clockOf = ({ world }: Stage) => ({ now: world.now.toISOString() });

function assertTime(time: Date): void {
  const violation = timeViolation(time);
  if (violation !== undefined) throw unfit(violation);
}

function advance(stage: Stage, milliseconds: number) {
  const { world } = stage;
  assertTime(new Date(world.clock.now().getTime() + milliseconds));
  world.clock.advance(milliseconds);
  world.catchUp();
  return clockOf(stage);
}

const Clock = z.object({ now: Time });
const clock = json(Clock, "The time it is now.");

export const reset = control(
  operation({
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
  }),
  (stage, { seed, now }) => {
    if (now !== undefined) assertTime(new Date(now));
    stage.reset({ ...(seed !== undefined && { seed }), ...(now !== undefined && { now: new Date(now) }) });
    return clockOf(stage);
  },
);

export const getClock = control(
  operation({
    ...local,
    name: "sandbox.getClock",
    tool: "sandbox_get_clock",
    title: "Clock",
    summary: "Reads the clock.",
    effect: "read",
    method: "GET",
    path: "/_sandbox/clock",
    responses: { 200: clock },
  }),
  clockOf,
);

export const setClock = control(
  operation({
    ...local,
    name: "sandbox.setClock",
    tool: "sandbox_set_clock",
    title: "Set clock",
    summary: "Moves the clock forward to a time; what is due until then happens.",
    method: "POST",
    path: "/_sandbox/clock",
    body: z.object({ now: Time.meta(described("The time it is to be, in UTC.")) }),
    responses: { 200: clock },
  }),
  (stage, { now }) => {
    const ahead = Date.parse(now) - stage.world.now.getTime();
    if (ahead < 0)
      throw new DomainError("clock-past", "The clock only moves forward. Begin again to go back.");
    const latest = stage.world.after(longestDays * dayMs);
    if (new Date(now) > latest)
      throw unfit(`now must be at most ${latest.toISOString()}, ${longestDays} days ahead`);
    return advance(stage, ahead);
  },
);

export const advanceClock = control(
  operation({
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
  }),
  (stage, { seconds, days }) => advance(stage, seconds === undefined ? days! * dayMs : seconds * 1_000),
);

export const clockControls = [reset, getClock, setClock, advanceClock] as const;
