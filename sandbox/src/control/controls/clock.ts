/** Controls to reset the sandbox and to move its clock. */
import { json, operation } from "@fxdesk/toolkit/operations";
import { z } from "zod";
import { defineControl, controlDefaults, maxDays, maxSeconds, withDescription, Time } from "./define-control";
import type { SandboxSession } from "../../session/sandbox-session";
import { timeViolation } from "../../world/common/clock";
import { dayMs } from "@fxdesk/toolkit/calendars";
import { DomainError, toValidationError } from "../../world/common/domain-error";

const clockOf = ({ world }: SandboxSession) => ({ now: world.now.toISOString() });

function assertTime(time: Date): void {
  const violation = timeViolation(time);
  if (violation !== undefined) throw toValidationError(violation);
}

function advance(session: SandboxSession, milliseconds: number) {
  const { world } = session;
  assertTime(new Date(world.clock.now().getTime() + milliseconds));
  world.clock.advance(milliseconds);
  world.runDueEvents();
  return clockOf(session);
}

const Clock = z.object({ now: Time });
const clockResponse = json(Clock, "The sandbox's time.");

export const reset = defineControl(
  operation({
    ...controlDefaults,
    name: "sandbox.reset",
    tool: "sandbox_reset",
    title: "Reset",
    summary: "Resets the sandbox to a new world, with the same or another seed. All changes are lost.",
    method: "POST",
    path: "/_sandbox/reset",
    body: z.object({
      seed: z
        .string()
        .min(1)
        .optional()
        .meta(
          withDescription("Seed of accounts, trades and transactions. Defaults to the seed of the start."),
        ),
      now: Time.optional().meta(
        withDescription(
          "Start time in UTC; it then advances 0.1 s per request. Defaults to the time of the start.",
        ),
      ),
    }),
    responses: { 200: clockResponse },
  }),
  (session, { seed, now }) => {
    if (now !== undefined) assertTime(new Date(now));
    session.reset({ ...(seed !== undefined && { seed }), ...(now !== undefined && { now: new Date(now) }) });
    return clockOf(session);
  },
);

export const getClock = defineControl(
  operation({
    ...controlDefaults,
    name: "sandbox.getClock",
    tool: "sandbox_get_clock",
    title: "Clock",
    summary: "Reads the clock.",
    effect: "read",
    method: "GET",
    path: "/_sandbox/clock",
    responses: { 200: clockResponse },
  }),
  clockOf,
);

export const setClock = defineControl(
  operation({
    ...controlDefaults,
    name: "sandbox.setClock",
    tool: "sandbox_set_clock",
    title: "Set clock",
    summary: "Moves the clock forward to a time and runs all events due by then.",
    method: "POST",
    path: "/_sandbox/clock",
    body: z.object({ now: Time.meta(withDescription("New time in UTC.")) }),
    responses: { 200: clockResponse },
  }),
  (session, { now }) => {
    const milliseconds = Date.parse(now) - session.world.now.getTime();
    if (milliseconds < 0)
      throw new DomainError("clock-past", "The clock only moves forward. Reset the sandbox to go back.");
    const latest = session.world.timeAfter(maxDays * dayMs);
    if (new Date(now) > latest)
      throw toValidationError(`now must be at most ${latest.toISOString()}, ${maxDays} days ahead`);
    return advance(session, milliseconds);
  },
);

export const advanceClock = defineControl(
  operation({
    ...controlDefaults,
    name: "sandbox.advanceClock",
    tool: "sandbox_advance_clock",
    title: "Advance clock",
    summary: "Moves the clock forward by seconds or days and runs all events due by then.",
    method: "POST",
    path: "/_sandbox/clock/advance",
    body: z.object({
      seconds: z.int().min(1).max(maxSeconds).optional().meta(withDescription("Seconds.")),
      days: z.int().min(1).max(maxDays).optional().meta(withDescription("Days of 24 hours.")),
    }),
    rules: [
      {
        kind: "exactly-one",
        fields: ["seconds", "days"],
        description: "Exactly one of seconds and days must be given.",
      },
    ],
    responses: { 200: clockResponse },
  }),
  (session, { seconds, days }) => advance(session, seconds === undefined ? days! * dayMs : seconds * 1_000),
);

export const clockControls = [reset, getClock, setClock, advanceClock] as const;
