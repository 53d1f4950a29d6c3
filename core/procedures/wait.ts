/** Waiting for what the service or a person has to do first. */
import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { FxdeskError, RateLimited } from "../errors";

/** How long is waited after the first look; each time half as long again. */
const firstPauseMs = 250;
const longestPauseMs = 15_000;

/** By default the result comes before a caller gives up: MCP clients wait for a minute, as a rule. */
export const waitSeconds = z
  .int()
  .min(0)
  .max(3_600)
  .default(45)
  .meta({ title: "Wait seconds", description: "Maximum waiting time in seconds; 0 checks once." });

/** When a wait that begins now is over. */
export const endOfWait = (seconds: number): number => performance.now() + seconds * 1_000;

/** What may go by itself does not end a wait. */
export const mayPass = (error: unknown): error is FxdeskError =>
  error instanceof FxdeskError && error.retryable;

const askedToWait = (error: unknown): number =>
  error instanceof RateLimited ? (error.retryAfterMs ?? 0) : 0;

/**
 * Looks until there is something to see: at least once, and for the last time when the wait is over. Undefined where nothing
 * is there by then. The signal ends it. Failures that may pass are waited out; one at the last look is thrown.
 */
export async function untilSeen<T>(
  end: number,
  signal: AbortSignal | undefined,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  let pauseMs = firstPauseMs;
  for (;;) {
    const isLast = performance.now() >= end;
    let least = 0;
    try {
      const seen = await look();
      if (seen !== undefined || isLast) return seen;
    } catch (error) {
      if (isLast || !mayPass(error)) throw error;
      least = askedToWait(error);
    }
    signal?.throwIfAborted();
    await pause(Math.min(Math.max(pauseMs, least), Math.max(0, end - performance.now())), undefined, {
      signal,
    });
    pauseMs = Math.min(pauseMs * 1.5, longestPauseMs);
  }
}
