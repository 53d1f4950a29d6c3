/** The e-mails of the outbox. */
import { fileOf, type Mail } from "../../world/outbox";
import type { Stage } from "../../stage";
import type { outboxControls } from "../controls/outbox";
import { type ActionsOf, missing } from "./parts";

const mailView = ({ to, subject, text, sentAt, attachments }: Mail, index: number) => ({
  mail: index + 1,
  to,
  subject,
  text,
  sent_at: sentAt.toISOString(),
  attachments: attachments.map(({ fileName, contentType, bytes }) => ({
    file_name: fileName,
    content_type: contentType,
    size: bytes.length,
  })),
});

function mailAt({ world }: Stage, number: number): Mail {
  const found = world.outbox.mails[number - 1];
  if (!found) throw missing("e-mail", String(number));
  return found;
}

export const outboxActions: ActionsOf<typeof outboxControls> = {
  listMails: ({ world }) => world.outbox.mails.map(mailView),

  getMail: (stage, { mail }) => mailView(mailAt(stage, mail), mail - 1),

  getMessage: (stage, { mail }) => fileOf(mailAt(stage, mail)),

  getAttachment: (stage, { mail, file_name: name }) => {
    const attachment = mailAt(stage, mail).attachments.find(({ fileName }) => fileName === name);
    if (!attachment) throw missing("attachment", name);
    return attachment;
  },
};
