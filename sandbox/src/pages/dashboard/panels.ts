/** What the page shows, panel by panel. */
import { controls, reset } from "../../control/controls";
import { methodOf } from "../../control/in-process";
import { html } from "../html";
import { accounts } from "./accounts";
import { approvals } from "./approvals";
import { clock } from "./clock";
import { form } from "./form";
import { market } from "./market";
import { outbox } from "./outbox";
import type { Panel } from "./parts";
import { payments } from "./payments";
import { faults, requests } from "./requests";
import { trades } from "./trades";
import { waiting } from "./waiting";

const again: Panel = {
  id: "again",
  title: "Begin again",
  place: "side",
  forms: () =>
    html`<p>Everything that was done is lost.</p>
      ${form(reset, { look: "bad" })}`,
  controls: [reset],
};

const placed: readonly Panel[] = [
  clock,
  waiting,
  accounts,
  trades,
  payments,
  requests,
  market,
  outbox,
  faults,
  approvals,
  again,
];

const home = new Set(placed.flatMap(({ controls: own = [] }) => own));
const others = controls.filter((control) => control.effect !== "read" && !home.has(control));

/** Every control that changes something has a form: what has no place of its own is listed here. */
const more: Panel = {
  id: "more",
  title: "More controls",
  place: "main",
  forms: () =>
    html`${others.map(
      (control) =>
        html`<details id="more-${methodOf(control)}">
          <summary>${control.title}</summary>
          <p>${control.summary}</p>
          ${form(control)}
        </details>`,
    )}`,
};

/** In the order in which they are read. */
export const panels: readonly Panel[] = others.length > 0 ? [...placed, more] : placed;
