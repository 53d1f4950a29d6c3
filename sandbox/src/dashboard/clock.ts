/** Panel of the clock. */
import { advanceClock, setClock } from "../control/controls";
import type { SandboxSession } from "../session/sandbox-session";
import { nextBusinessDay, addDays, dayOf, timeAtHour } from "@fxdesk/toolkit/calendars";
import type { World } from "../world/model/world";
import { type Html, html } from "../pages/html";
import { controlForm } from "./form";
import { homeAccounts, type Panel } from "./panel";

const hourSeconds = 3_600;
const clockSteps = { "+ 1 hour": hourSeconds, "+ 1 day": 24 * hourSeconds };

/** Start of a business day, as hour in UTC. */
const officeHour = 9;

/** Returns the start of the next day on which all of the company's currencies settle. */
function nextMorning(world: World): Date {
  const currencies = homeAccounts(world).map(({ currency }) => currency);
  return timeAtHour(nextBusinessDay(addDays(dayOf(world.now), 1), currencies), officeHour);
}

const renderClock = ({ world }: SandboxSession): Html =>
  html`<p class="clock">
    <time datetime="${world.now.toISOString()}">${world.now.toUTCString().replace("GMT", "UTC")}</time>
  </p>`;

const stepForms = Object.entries(clockSteps).map(([label, seconds]) =>
  controlForm(advanceClock, {
    fixedValues: { seconds: String(seconds) },
    omitted: ["days"],
    label,
    cssClass: "quiet",
  }),
);

const clockForms = ({ world }: SandboxSession): Html =>
  html`<div class="row">
      ${stepForms}${controlForm(setClock, {
        fixedValues: { now: nextMorning(world).toISOString() },
        label: "Next business day",
        cssClass: "quiet",
      })}
    </div>
    ${controlForm(setClock)}`;

export const clockPanel: Panel = {
  id: "clock",
  title: "Clock",
  area: "top",
  show: renderClock,
  forms: clockForms,
};
