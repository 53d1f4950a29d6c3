/** Keeping this moment, as a file or in another sandbox, and going on from one that was kept. */
import { fork, load, save } from "../../control/controls";
import type { Stage } from "../../stage";
import { type Html, html } from "../html";
import { form } from "./form";
import type { Panel } from "./parts";

const show = ({ forks }: Stage): Html =>
  html`${forks.map((address) => html`<p>Forked: <a href="${address}">${address}</a></p>`)}`;

export const moments: Panel = {
  id: "moments",
  title: "This moment",
  place: "side",
  show,
  forms: () =>
    html`<p>
        <a href="${save.path}" download>Save it as a file</a>, to go on from it, here or in another sandbox.
      </p>
      ${form(load, { file: "A saved file, in the place of all that there is now", look: "bad" })}${form(fork)}`,
};
