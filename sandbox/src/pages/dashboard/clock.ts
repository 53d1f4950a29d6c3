/** The clock, and the ways to move it. */
import { advanceClock, setClock } from "../../control/controls";
import type { Stage } from "../../stage";
import { nextBusinessDay } from "../../world/calendar/business-days";
import { addDays, dayOf, hourOf } from "../../world/calendar/days";
import type { World } from "../../world/world";
import { type Html, html } from "../html";
import { form } from "./form";
import { accountsOf, type Panel } from "./parts";

const hour = 3_600;
const steps = { "+ 1 hour": hour, "+ 1 day": 24 * hour };

/** The hour (UTC) at which a business day begins here. */
const officeHour = 9;

/** When the next day begins on which all of the company's currencies are settled. */
function nextMorning(world: World): Date {
  const currencies = accountsOf(world).map(({ currency }) => currency);
  return hourOf(nextBusinessDay(addDays(dayOf(world.now), 1), currencies), officeHour);
}

const show = ({ world }: Stage): Html =>
  html`<p class="clock">
    <time datetime="${world.now.toISOString()}">${world.now.toUTCString().replace("GMT", "UTC")}</time>
  </p>`;

const stepForms = Object.entries(steps).map(([label, seconds]) =>
  form(advanceClock, { given: { seconds: String(seconds) }, without: ["days"], label, look: "quiet" }),
);

const forms = ({ world }: Stage): Html =>
  html`<div class="row">
      ${stepForms}${form(setClock, {
        given: { now: nextMorning(world).toISOString() },
        label: "Next business day",
        look: "quiet",
      })}
    </div>
    ${form(setClock)}`;

export const clock: Panel = {
  id: "clock",
  title: "Clock",
  place: "top",
  show,
  forms,
};
