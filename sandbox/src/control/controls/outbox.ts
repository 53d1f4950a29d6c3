/** E-mails that would have been sent. */
import { file, json, operation } from "@fxdesk/toolkit/operations";
import { z } from "zod";
import { local, described, Time } from "./parts";

const Mail = z.object({
  mail: z.int(),
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  sent_at: Time,
  attachments: z.array(z.object({ file_name: z.string(), content_type: z.string(), size: z.int() })),
});
const mail = z
  .int()
  .min(1)
  .meta({ title: "Mail", ...described("Its number, from 1.") });

export const listMails = operation({
  ...local,
  name: "sandbox.listMails",
  tool: "sandbox_list_mails",
  title: "Outbox",
  summary: "Lists the e-mails that would have been sent.",
  effect: "read",
  method: "GET",
  path: "/_sandbox/outbox",
  responses: { 200: json(z.array(Mail), "The e-mails, the first one first.") },
});

export const getMail = operation({
  ...local,
  name: "sandbox.getMail",
  tool: "sandbox_get_mail",
  title: "E-mail",
  summary: "Reads one e-mail of the outbox.",
  effect: "read",
  method: "GET",
  path: "/_sandbox/outbox/{mail}",
  parameters: { mail },
  responses: { 200: json(Mail, "The e-mail.") },
});

export const getMessage = operation({
  ...local,
  name: "sandbox.getMessage",
  tool: "sandbox_get_message",
  title: "E-mail as a file",
  summary: "Fetches an e-mail of the outbox as a file that mail programs open.",
  effect: "read",
  method: "GET",
  path: "/_sandbox/outbox/{mail}/message",
  parameters: { mail },
  responses: { 200: file("The e-mail: RFC 5322 and MIME.") },
});

export const getAttachment = operation({
  ...local,
  name: "sandbox.getAttachment",
  tool: "sandbox_get_attachment",
  title: "Attachment",
  summary: "Fetches a file attached to an e-mail of the outbox.",
  effect: "read",
  method: "GET",
  path: "/_sandbox/outbox/{mail}/attachments/{file_name}",
  parameters: { mail, file_name: z.string().meta(described("As the e-mail lists it.")) },
  responses: { 200: file("The file.") },
});

export const outboxControls = [listMails, getMail, getMessage, getAttachment] as const;
