/** How long a person may take to answer. */
import { dayMs } from "../calendar/days";
import type { World } from "../world";
import type { Decision } from "./decision";

const daysToAuthorise = 3;

/** Lets a decision lapse that nobody takes: in some days, or by `latest` where that is before. */
export function letLapse(world: World, decision: Decision, latest?: Date): void {
  const daysAreOver = world.after(daysToAuthorise * dayMs);
  const end = latest && latest < daysAreOver ? latest : daysAreOver;
  world.agenda.schedule(end, "decision-lapses", decision);
}
