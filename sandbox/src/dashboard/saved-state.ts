/** Panel to save, load and fork the sandbox. */
import { fork, load, save } from "../control/controls";
import type { SandboxSession } from "../session/sandbox-session";
import { type Html, html } from "../pages/html";
import { controlForm } from "./form";
import type { Panel } from "./panel";

const renderForks = ({ forkUrls }: SandboxSession): Html =>
  html`${forkUrls.map((address) => html`<p>Forked: <a href="${address}">${address}</a></p>`)}`;

export const savedStatePanel: Panel = {
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
