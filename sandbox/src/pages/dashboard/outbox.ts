/** The e-mails, each as a file, and the files in them. */
import { getAttachment, getMessage, listMails } from "../../control/controls";
import type { Stage } from "../../stage";
import { type Html, html } from "../html";
import { counted, nothing, type Panel } from "./parts";

const mailsShown = 10;

const minute = (time: string) => time.slice(0, 16).replace("T", " ");

type Mail = ReturnType<typeof listMails.act>[number];

/** The path of a control with its parameters filled in. */
const pathOf = ({ path }: { readonly path: string }, parameters: Readonly<Record<string, string | number>>) =>
  path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(parameters[name]!));

const drawn = ({ mail, subject, to, sent_at, attachments }: Mail): Html => {
  const files = attachments.map(
    ({ file_name }) =>
      html`<li><a href="${pathOf(getAttachment, { mail, file_name })}">${file_name}</a></li>`,
  );
  return html`<article>
    <h3>${subject}</h3>
    <p><small>${minute(sent_at)} to ${to}</small></p>
    <ul>
      ${files}
      <li><a href="${pathOf(getMessage, { mail })}">E-mail ${mail} as .eml</a></li>
    </ul>
  </article>`;
};

function show(stage: Stage): Html {
  const mails = listMails.act(stage, {});
  if (mails.length === 0) return nothing("No e-mail was sent.");
  const shown = mails.toReversed().slice(0, mailsShown);
  return html`${shown.map(drawn)}${counted(shown.length, mails.length, "e-mails")}`;
}

export const outbox: Panel = { id: "outbox", title: "Outbox", place: "side", show };
