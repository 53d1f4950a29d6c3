/** Keeping this moment: as a file, or in another sandbox. */
import { fork, save } from "../../control/controls";
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
        <a href="${save.path}" download>Save it as a file</a>: fxdesk sandbox load &lt;file&gt; goes on from
        it.
      </p>
      ${form(fork)}`,
};
