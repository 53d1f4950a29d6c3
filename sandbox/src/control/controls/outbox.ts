/** Controls for the outbox. */
import { file, json, operation } from "@fxdesk/toolkit/operations";
import { z } from "zod";
import { defineControl, controlDefaults, withDescription, Time, toNotFoundError } from "./define-control";
import { toEmlFile, type Mail } from "../../world/model/outbox";
import type { SandboxSession } from "../../session/sandbox-session";

const toMailView = ({ to, subject, text, sentAt, attachments }: Mail, index: number) => ({
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

function findMail({ world }: SandboxSession, number: number): Mail {
  const found = world.outbox.mails[number - 1];
  if (!found) throw toNotFoundError("e-mail", String(number));
  return found;
}

const Mail = z.object({
  mail: z.int(),
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  sent_at: Time,
  attachments: z.array(z.object({ file_name: z.string(), content_type: z.string(), size: z.int() })),
});
const mailNumber = z
  .int()
  .min(1)
  .meta({ title: "Mail", ...withDescription("Number of the e-mail, starting at 1.") });

export const listMails = defineControl(
  operation({
    ...controlDefaults,
    name: "sandbox.listMails",
    tool: "sandbox_list_mails",
    title: "Outbox",
    summary: "Lists the e-mails in the outbox.",
    effect: "read",
    method: "GET",
    path: "/_sandbox/outbox",
    responses: { 200: json(z.array(Mail), "The e-mails, oldest first.") },
  }),
  ({ world }) => world.outbox.mails.map(toMailView),
);

export const getMail = defineControl(
  operation({
    ...controlDefaults,
    name: "sandbox.getMail",
    tool: "sandbox_get_mail",
    title: "E-mail",
    summary: "Returns one e-mail.",
    effect: "read",
    method: "GET",
    path: "/_sandbox/outbox/{mail}",
    parameters: { mail: mailNumber },
    responses: { 200: json(Mail, "The e-mail.") },
  }),
  (session, { mail }) => toMailView(findMail(session, mail), mail - 1),
);

export const getMessage = defineControl(
  operation({
    ...controlDefaults,
    name: "sandbox.getMessage",
    tool: "sandbox_get_message",
    title: "E-mail as a file",
    summary: "Downloads an e-mail as an .eml file.",
    effect: "read",
    method: "GET",
    path: "/_sandbox/outbox/{mail}/message",
    parameters: { mail: mailNumber },
    responses: { 200: file("The e-mail in RFC 5322 format.") },
  }),
  (session, { mail }) => toEmlFile(findMail(session, mail)),
);

export const getAttachment = defineControl(
  operation({
    ...controlDefaults,
    name: "sandbox.getAttachment",
    tool: "sandbox_get_attachment",
    title: "Attachment",
    summary: "Downloads an attachment of an e-mail.",
    effect: "read",
    method: "GET",
    path: "/_sandbox/outbox/{mail}/attachments/{file_name}",
    parameters: { mail: mailNumber, file_name: z.string().meta(withDescription("Name of the attachment.")) },
    responses: { 200: file("The file.") },
  }),
  (session, { mail, file_name: name }) => {
    const attachment = findMail(session, mail).attachments.find(({ fileName }) => fileName === name);
    if (!attachment) throw toNotFoundError("attachment", name);
    return attachment;
  },
);

export const outboxControls = [listMails, getMail, getMessage, getAttachment] as const;
