/** Controls of the clock, and to reset, save, load, fork and undo. */
import { json, file } from "@fxdesk/toolkit/operations";
import { z } from "zod";
import { control, maxDays, maxSeconds, Time, exactlyOne, emptyResponse } from "./define-control";
import type { SandboxSession } from "../../session/sandbox-session";
import { timeViolation } from "../../world/common/clock";
import { dayMs } from "@fxdesk/toolkit/calendars";
import { DomainError, toValidationError } from "../../world/common/domain-error";
import { saveState, parseSavedState, SavedSandboxError } from "../../session/saved-sandbox";
import type { Json } from "../../session/state-serialization";

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

export const reset = control(
  "reset",
  {
    title: "Reset",
    summary: "Resets the sandbox to a new world, with the same or another seed. All changes are lost.",
    method: "POST",
    path: "/_sandbox/reset",
    body: z.object({
      seed: z
        .string()
        .min(1)
        .optional()
        .describe("Seed of accounts, trades and transactions. Defaults to the seed of the start."),
      now: Time.optional().describe(
        "Start time in UTC; it then advances 0.1 s per request. Defaults to the time of the start.",
      ),
    }),
    responses: { 200: clockResponse },
  },
  (session, { seed, now }) => {
    if (now !== undefined) assertTime(new Date(now));
    session.reset({ ...(seed !== undefined && { seed }), ...(now !== undefined && { now: new Date(now) }) });
    return clockOf(session);
  },
);

export const getClock = control(
  "getClock",
  {
    title: "Clock",
    summary: "Reads the clock.",
    method: "GET",
    path: "/_sandbox/clock",
    responses: { 200: clockResponse },
  },
  clockOf,
);

export const setClock = control(
  "setClock",
  {
    title: "Set clock",
    summary: "Moves the clock forward to a time and runs all events due by then.",
    method: "POST",
    path: "/_sandbox/clock",
    body: z.object({ now: Time.describe("New time in UTC.") }),
    responses: { 200: clockResponse },
  },
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

export const advanceClock = control(
  "advanceClock",
  {
    title: "Advance clock",
    summary: "Moves the clock forward by seconds or days and runs all events due by then.",
    method: "POST",
    path: "/_sandbox/clock/advance",
    body: z.object({
      seconds: z.int().min(1).max(maxSeconds).optional().describe("Seconds."),
      days: z.int().min(1).max(maxDays).optional().describe("Days of 24 hours."),
    }),
    rules: [exactlyOne("seconds", "days")],
    responses: { 200: clockResponse },
  },
  (session, { seconds, days }) => advance(session, seconds === undefined ? days! * dayMs : seconds * 1_000),
);

export const save = control(
  "save",
  {
    title: "Save",
    summary: "Saves the complete state of the sandbox as a JSON file.",
    method: "GET",
    path: "/_sandbox/saved",
    responses: { 200: file("The saved sandbox. Load it here or in another sandbox.") },
  },
  ({ state, world }) => ({
    contentType: "application/octet-stream",
    fileName: `sandbox-${world.now.toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}.json`,
    bytes: Buffer.from(JSON.stringify(saveState(state))),
  }),
);

export const load = control(
  "load",
  {
    title: "Load",
    summary: "Replaces the current state with a saved one.",
    method: "POST",
    path: "/_sandbox/saved",
    body: z.object({
      fxdesk_sandbox: z.int().describe("Version of the saved format."),
      state: z.looseObject({}).describe("The saved state."),
    }),
    responses: emptyResponse,
  },
  (session, { fxdesk_sandbox, state }) => {
    try {
      session.restore(parseSavedState({ fxdesk_sandbox, state: state as Json }));
    } catch (error) {
      throw error instanceof SavedSandboxError ? toValidationError(error.message) : error;
    }
  },
);

export const fork = control(
  "fork",
  {
    title: "Fork",
    summary: "Starts a second sandbox from a copy of the current state. It stops with this one.",
    method: "POST",
    path: "/_sandbox/forks",
    body: z.object({
      port: z
        .int()
        .min(0)
        .max(65_535)
        .default(0)
        .meta({ description: "Port of the fork. Defaults to any free port.", examples: [8081] }),
    }),
    responses: { 200: json(z.object({ base_url: z.string() }), "Address of the fork.") },
  },
  async (session, { port }) => {
    try {
      return { base_url: await session.fork(port) };
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      throw code === undefined ? error : toValidationError(`port: ${message}`);
    }
  },
);

export const undo = control(
  "undo",
  {
    title: "Undo",
    summary:
      "Restores the state before a logged request, and so undoes it and all later ones. Works for the last 100 requests.",
    method: "POST",
    path: "/_sandbox/undo",
    body: z.object({ request: z.int().min(1).describe("Number of the request in the log.") }),
    responses: emptyResponse,
  },
  (session, { request }) => session.undo(request),
);
