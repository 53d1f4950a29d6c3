/** Where the time of a new world begins. */
import { addDays, dayOf, timeAtHour } from "../calendar/days";
import type { World } from "../world";

/** For how many days there has been business at most. */
export const maxDaysBehind = 365;

/** Sets a new world back by so many days; returns the first of them, and the last, which is today. Throws a RangeError. */
export function rewindWorld(
  world: World,
  daysBehind: number,
): { readonly start: string; readonly today: string } {
  if (!Number.isInteger(daysBehind) || daysBehind < 1 || daysBehind > maxDaysBehind)
    throw new RangeError(`daysBehind must be a whole number from 1 to ${maxDaysBehind}, not ${daysBehind}.`);
  const today = dayOf(world.clock.now());
  const start = addDays(today, -daysBehind);
  world.runEventsUntil(timeAtHour(start, 0));
  return { start, today };
}
