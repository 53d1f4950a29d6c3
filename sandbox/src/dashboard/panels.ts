/** Panels of the dashboard. */
import { reset, fork, load, save } from "../control/controls";
import { html, type Html } from "../pages/html";
import { accountsPanel } from "./accounts";
import { approvalsPanel } from "./approvals";
import { clockPanel } from "./clock";
import { faultsPanel } from "./faults";
import { marketPanel } from "./market";
import { outboxPanel } from "./outbox";
import { paymentsPanel } from "./payments";
import { requestsPanel } from "./requests";
import { tradesPanel } from "./trades";
import { pendingDecisionsPanel } from "./pending-decisions";
import type { SandboxSession } from "../session/sandbox-session";
import { controlForm } from "./form";
import type { Panel } from "./panel";

const renderForks = ({ forkUrls }: SandboxSession): Html =>
  html`${forkUrls.map((address) => html`<p>Forked: <a href="${address}">${address}</a></p>`)}`;

const savedStatePanel: Panel = {
  id: "saved-state",
  title: "Save and restore",
  area: "side",
  show: renderForks,
  forms: () =>
    html`<p>
        <a href="${save.path}" download>Save as a file</a> to restore this state later, here or in another
        sandbox.
      </p>
      ${controlForm(load, { file: "Saved file (replaces the current state)", cssClass: "bad" })}${controlForm(fork)}`,
};

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
