/** Polling for results that depend on the service or on a person. */
import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { FxdeskError, RateLimited } from "../spec/errors";

/** Pause after the first poll. Each further pause is 1.5 times as long. */
const initialPauseMs = 250;
const maxPauseMs = 15_000;

/** The default is below the usual one-minute timeout of MCP clients. */
export const waitSeconds = z
  .int()
  .min(0)
  .max(3_600)
  .default(45)
  .meta({ title: "Wait seconds", description: "Longest wait in seconds; 0 checks once." });

/** Returns the deadline of a wait that starts now. */
export const deadlineAfter = (seconds: number): number => performance.now() + seconds * 1_000;

/** True for errors that polling should outlast. */
export const isTransient = (error: unknown): boolean => error instanceof FxdeskError && error.retryable;

/**
 * Polls until there is a result: at least once, and a last time at the deadline. Returns undefined if there is none
 * by then. Transient errors are retried, except at the last poll. Throws if the signal is aborted.
 */
export async function pollUntil<T>(
  deadline: number,
  signal: AbortSignal | undefined,
  poll: () => Promise<T | undefined>,
): Promise<T | undefined> {
  let isLast = performance.now() >= deadline;
  for (let pauseMs = initialPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, maxPauseMs)) {
    let waitMs = pauseMs;
    try {
      const result = await poll();
      if (result !== undefined || isLast) return result;
    } catch (error) {
      if (isLast || !isTransient(error)) throw error;
      if (error instanceof RateLimited) waitMs = Math.max(waitMs, error.retryAfterMs ?? 0);
    }
    signal?.throwIfAborted();
    const remainingMs = Math.max(0, deadline - performance.now());
    // Decided before the pause, because a timer may fire shortly before the deadline.
    isLast = waitMs >= remainingMs;
    await pause(Math.min(waitMs, remainingMs), undefined, { signal });
  }
}
