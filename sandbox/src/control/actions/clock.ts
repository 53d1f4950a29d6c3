/** The clock, and the beginning again. */
import type { Stage } from "../../stage";
import { timeViolation } from "../../world/calendar/clock";
import { dayMs } from "../../world/calendar/days";
import { DomainError, unfit } from "../../world/domain-error";
import type { clockControls } from "../controls/clock";
import { longestDays } from "../controls/parts";
import { type ActionsOf } from "./parts";

const clockOf = ({ world }: Stage) => ({ now: world.now.toISOString() });

function assertTime(time: Date): void {
  const violation = timeViolation(time);
  if (violation !== undefined) throw unfit(violation);
}

function advance(stage: Stage, milliseconds: number) {
  const { world } = stage;
  assertTime(new Date(world.clock.now().getTime() + milliseconds));
  world.clock.advance(milliseconds);
  world.catchUp();
  return clockOf(stage);
}

export const clockActions: ActionsOf<typeof clockControls> = {
  reset: (stage, { seed, now }) => {
    if (now !== undefined) assertTime(new Date(now));
    stage.reset({ ...(seed !== undefined && { seed }), ...(now !== undefined && { now: new Date(now) }) });
    return clockOf(stage);
  },

  getClock: clockOf,

  setClock: (stage, { now }) => {
    const ahead = Date.parse(now) - stage.world.now.getTime();
    if (ahead < 0)
      throw new DomainError("clock-past", "The clock only moves forward. Begin again to go back.");
    const latest = stage.world.after(longestDays * dayMs);
    if (new Date(now) > latest)
      throw unfit(`now must be at most ${latest.toISOString()}, ${longestDays} days ahead`);
    return advance(stage, ahead);
  },

  advanceClock: (stage, { seconds, days }) =>
    advance(stage, seconds === undefined ? days! * dayMs : seconds * 1_000),
};
