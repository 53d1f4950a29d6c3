/** Panels of the dashboard. */
import { reset } from "../control/controls";
import { html } from "../pages/html";
import { accountsPanel } from "./accounts";
import { approvalsPanel } from "./approvals";
import { clockPanel } from "./clock";
import { faultsPanel } from "./faults";
import { controlForm } from "./form";
import { marketPanel } from "./market";
import { outboxPanel } from "./outbox";
import type { Panel } from "./panel";
import { paymentsPanel } from "./payments";
import { requestsPanel } from "./requests";
import { savedStatePanel } from "./saved-state";
import { tradesPanel } from "./trades";
import { pendingDecisionsPanel } from "./pending-decisions";

const resetPanel: Panel = {
  id: "reset",
  title: "Reset",
  area: "side",
  forms: () =>
    html`<p>All changes are lost.</p>
      ${controlForm(reset, { cssClass: "bad" })}`,
};

/** In display order. */
export const panels: readonly Panel[] = [
  clockPanel,
  pendingDecisionsPanel,
  accountsPanel,
  tradesPanel,
  paymentsPanel,
  requestsPanel,
  marketPanel,
  outboxPanel,
  faultsPanel,
  approvalsPanel,
  savedStatePanel,
  resetPanel,
];
