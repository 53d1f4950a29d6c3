/** Waiting for what comes about by itself, within a limit. */
import { type EventEmitter, once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";

export interface WaitOptions {
  readonly withinMs: number;
  /** What is waited for, or what to say when it has not come. */
  readonly what: string | (() => string);
}

const everyMs = 10;

/**
 * Asks again and again until the check gives something, and returns it; undefined, null and false are nothing. Throws
 * what the check throws, and at its limit, also while a check is under way, that nothing came.
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

/** Waits for an event, and returns what comes with it. */
export const untilEvent = (emitter: EventEmitter, event: string, withinMs = 30_000): Promise<unknown[]> =>
  eventually<unknown[]>(() => once(emitter, event), { withinMs, what: `the event "${event}"` });
