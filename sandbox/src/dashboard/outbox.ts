/** Panel of the outbox, with e-mails and attachments as downloads. */
import { getAttachment, getMessage, listMails } from "../control/controls";
import type { SandboxSession } from "../session/sandbox-session";
import { type Html, html } from "../pages/html";
import { shownCount, emptyState, type Panel } from "./panel";

const maxMailsShown = 10;

const formatMinute = (time: string) => time.slice(0, 16).replace("T", " ");

type Mail = ReturnType<typeof listMails.act>[number];

/** Fills in the path parameters of a control. */
const fillPath = (
  { path }: { readonly path: string },
  parameters: Readonly<Record<string, string | number>>,
) => path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(parameters[name]!));

const renderMail = ({ mail, subject, to, sent_at, attachments }: Mail): Html => {
  const files = attachments.map(
    ({ file_name }) =>
      html`<li><a href="${fillPath(getAttachment, { mail, file_name })}">${file_name}</a></li>`,
  );
  return html`<article>
    <h3>${subject}</h3>
    <p><small>${formatMinute(sent_at)} to ${to}</small></p>
    <ul>
      ${files}
      <li><a href="${fillPath(getMessage, { mail })}">E-mail ${mail} as .eml</a></li>
    </ul>
  </article>`;
};

function renderOutbox(session: SandboxSession): Html {
  const mails = listMails.act(session, {});
  if (mails.length === 0) return emptyState("No e-mails yet.");
  const shown = mails.toReversed().slice(0, maxMailsShown);
  return html`${shown.map(renderMail)}${shownCount(shown.length, mails.length, "e-mails")}`;
}

export const outboxPanel: Panel = { id: "outbox", title: "Outbox", area: "side", show: renderOutbox };
