/** How long a person may take to answer. */
import { dayMs } from "../calendar/days";
import type { World } from "../world";
import type { Decision } from "./decision";

const daysToAuthorise = 3;

/** Lets a decision lapse that nobody takes: in some days, or by `latest` where that is before. */
export function scheduleLapse(world: World, decision: Decision, latestEnd?: Date): void {
  const defaultEnd = world.timeAfter(daysToAuthorise * dayMs);
  const end = latestEnd && latestEnd < defaultEnd ? latestEnd : defaultEnd;
  world.agenda.schedule(end, "decision-lapses", decision);
}
