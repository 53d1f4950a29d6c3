/** Keeping this moment, as a file or in another sandbox, and going on from one that was kept. */
import { fork, load, save } from "../../control/controls";
import type { SandboxSession } from "../../sandbox-session";
import { type Html, html } from "../html";
import { controlForm } from "./form";
import type { Panel } from "./panel";

const renderForks = ({ forkUrls }: SandboxSession): Html =>
  html`${forkUrls.map((address) => html`<p>Forked: <a href="${address}">${address}</a></p>`)}`;

export const savedStatePanel: Panel = {
  id: "moments",
  title: "This moment",
  area: "side",
  show: renderForks,
  forms: () =>
    html`<p>
        <a href="${save.path}" download>Save it as a file</a>, to go on from it, here or in another sandbox.
      </p>
      ${controlForm(load, { file: "A saved file, in the place of all that there is now", cssClass: "bad" })}${controlForm(fork)}`,
};
