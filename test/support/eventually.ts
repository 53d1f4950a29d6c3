/** Waits for conditions within a time limit. */
import { type EventEmitter, once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";

export interface WaitOptions {
  readonly withinMs: number;
  /** Description of the expected condition, for the error. */
  readonly what: string | (() => string);
}

const everyMs = 10;

/**
 * Repeats a check until it returns a value other than undefined, null or false, and returns the value. Throws the error of
 * the check, or a timeout error, even during a check.
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  { withinMs, what }: WaitOptions,
): Promise<Exclude<T, undefined | null | false>> {
  let timer: NodeJS.Timeout;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`Not within ${withinMs} ms: ${typeof what === "string" ? what : what()}`));
    }, withinMs);
  });
  limit.catch(() => undefined);
  try {
    for (;;) {
      const found = await Promise.race([check(), limit]);
      if (found !== undefined && found !== null && found !== false)
        return found as Exclude<T, undefined | null | false>;
      await Promise.race([pause(everyMs), limit]);
    }
  } finally {
    clearTimeout(timer!);
  }
}

/** Waits for an event and returns its arguments. */
export const untilEvent = (emitter: EventEmitter, event: string, withinMs = 30_000): Promise<unknown[]> =>
  eventually<unknown[]>(() => once(emitter, event), { withinMs, what: `the event "${event}"` });
