/** Where the time of a new world begins. */
import { addDays, dayOf, hourOf } from "../calendar/days";
import type { World } from "../world";

/** For how many days there has been business at most. */
export const yearBehind = 365;

/** Sets a new world back by so many days; returns the first of them, and the last, which is today. Throws a RangeError. */
export function beginning(
  world: World,
  daysBehind: number,
): { readonly start: string; readonly today: string } {
  if (!Number.isInteger(daysBehind) || daysBehind < 1 || daysBehind > yearBehind)
    throw new RangeError(`daysBehind must be a whole number from 1 to ${yearBehind}, not ${daysBehind}.`);
  const today = dayOf(world.clock.now());
  const start = addDays(today, -daysBehind);
  world.runUntil(hourOf(start, 0));
  return { start, today };
}
