import { dayMs } from "@fxdesk/toolkit/calendars";
import type { World } from "../model/world";
import type { Decision } from "../model/decision";

const daysToAuthorise = 3;

/**
 * Schedules the lapse of an unanswered decision: after `daysToAuthorise`, or at `latestEnd` if that is earlier.
 */
export function scheduleLapse(world: World, decision: Decision, latestEnd?: Date): void {
  const defaultEnd = world.timeAfter(daysToAuthorise * dayMs);
  const end = latestEnd && latestEnd < defaultEnd ? latestEnd : defaultEnd;
  world.scheduledEvents.schedule(end, "decision-lapses", decision);
}
