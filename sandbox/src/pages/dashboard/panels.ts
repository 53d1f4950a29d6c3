/** What the page shows, panel by panel. */
import { reset } from "../../control/controls";
import { html } from "../html";
import { accounts } from "./accounts";
import { approvals } from "./approvals";
import { clock } from "./clock";
import { faults } from "./faults";
import { form } from "./form";
import { market } from "./market";
import { outbox } from "./outbox";
import type { Panel } from "./parts";
import { payments } from "./payments";
import { requests } from "./requests";
import { moments } from "./moments";
import { trades } from "./trades";
import { waiting } from "./waiting";

const again: Panel = {
  id: "again",
  title: "Begin again",
  place: "side",
  forms: () =>
    html`<p>Everything that was done is lost.</p>
      ${form(reset, { look: "bad" })}`,
};

/** In the order in which they are read. */
export const panels: readonly Panel[] = [
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
  moments,
  again,
];
