import { addDays, dayOf, timeAtHour } from "../calendar/days";
import type { World } from "../model/world";

/** Maximum days of past business. */
export const maxDaysBehind = 365;

/** Sets a new world back by some days. Returns the first of them and today. Throws a RangeError. */
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
