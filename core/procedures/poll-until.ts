/** Waiting for what the service or a person has to do first. */
import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { FxdeskError, RateLimited } from "../errors";

/** How long is waited after the first look; each time half as long again. */
const initialPauseMs = 250;
const maxPauseMs = 15_000;

/** By default the result comes before a caller gives up: MCP clients wait for a minute, as a rule. */
export const waitSeconds = z
  .int()
  .min(0)
  .max(3_600)
  .default(45)
  .meta({ title: "Wait seconds", description: "Maximum waiting time in seconds; 0 checks once." });

/** When a wait that begins now is over. */
export const deadlineAfter = (seconds: number): number => performance.now() + seconds * 1_000;

/** What may go by itself does not end a wait. */
export const isTransient = (error: unknown): error is FxdeskError =>
  error instanceof FxdeskError && error.retryable;

const requestedDelayMs = (error: unknown): number =>
  error instanceof RateLimited ? (error.retryAfterMs ?? 0) : 0;

/**
 * Looks until there is something to see: at least once, and for the last time when the wait is over. Undefined where nothing
 * is there by then. The signal ends it. Failures that may pass are waited out; one at the last look is thrown.
 */
export async function pollUntil<T>(
  deadline: number,
  signal: AbortSignal | undefined,
  poll: () => Promise<T | undefined>,
): Promise<T | undefined> {
  let pauseMs = initialPauseMs;
  for (;;) {
    const isLast = performance.now() >= deadline;
    let minDelayMs = 0;
    try {
      const result = await poll();
      if (result !== undefined || isLast) return result;
    } catch (error) {
      if (isLast || !isTransient(error)) throw error;
      minDelayMs = requestedDelayMs(error);
    }
    signal?.throwIfAborted();
    await pause(
      Math.min(Math.max(pauseMs, minDelayMs), Math.max(0, deadline - performance.now())),
      undefined,
      {
        signal,
      },
    );
    pauseMs = Math.min(pauseMs * 1.5, maxPauseMs);
  }
}
