/** Controls for the request log, faults and the outbox. */
import { json, file } from "@fxdesk/toolkit/operations";
import { z } from "zod";
import { type FaultKind, faultKinds } from "../../session/fault-queue";
import { control, toNotFoundError, requiredWith, Time, emptyResponse } from "./define-control";
import { toValidationError } from "../../world/common/domain-error";
import { toEmlFile, type Mail } from "../../world/model/outbox";
import type { SandboxSession } from "../../session/sandbox-session";

const LoggedRequest = z.object({
  number: z.int(),
  time: Time,
  method: z.string(),
  url: z.string(),
  status: z.int(),
  refusal: z.string().optional(),
  fault: z.string().optional(),
});

export const listRequests = control(
  "listRequests",
  {
    title: "Requests",
    summary: "Lists the logged requests with status and reason of refusal.",
    method: "GET",
    path: "/_sandbox/requests",
    responses: { 200: json(z.array(LoggedRequest), "The last 1,000 requests, oldest first.") },
  },
  ({ requests }) => [...requests],
);

const faultFields = {
  operation: z.string().meta({ description: "Name of the operation.", examples: ["trades.book"] }),
  kind: z
    .enum(faultKinds)
    .describe(
      "status: respond with a documented status, do nothing. latency: respond late. reset-before, reset-after: reset " +
        "the connection before or after the work. cut-off: send half the response. throttle: 429 with Retry-After.",
    ),
  status: z.int().optional().describe("For kind status: status of the response."),
  milliseconds: z.int().min(1).max(600_000).optional().describe("For kind latency: delay in milliseconds."),
  retry_after: z
    .int()
    .min(0)
    .max(86_400)
    .optional()
    .describe("For kind throttle: value of Retry-After in seconds."),
};

const ExchangeBody = z.object({ headers: z.record(z.string(), z.string()), body: z.string() });

export const getExchange = control(
  "getExchange",
  {
    title: "Request and response",
    summary: "Returns headers and bodies of one of the last 100 requests and its response.",
    method: "GET",
    path: "/_sandbox/requests/{number}",
    parameters: {
      number: z.int().min(1).meta({ title: "Number", description: "Number of the request in the log." }),
    },
    responses: {
      200: json(z.object({ request: ExchangeBody, response: ExchangeBody }), "The request and the response."),
    },
  },
  ({ exchanges }, { number }) => {
    const exchange = exchanges.get(number);
    if (!exchange) throw toNotFoundError("request", String(number));
    return exchange;
  },
);

export const listFaults = control(
  "listFaults",
  {
    title: "Faults",
    summary: "Lists the pending faults.",
    method: "GET",
    path: "/_sandbox/faults",
    responses: { 200: json(z.array(z.object(faultFields)), "One entry per affected call.") },
  },
  ({ faults }) =>
    faults.pending.map(({ operation: name, fault: { retryAfter, ...fault } }) => ({
      operation: name,
      ...fault,
      ...(retryAfter !== undefined && { retry_after: retryAfter }),
    })),
);

/** Rule: `field` is allowed with one kind only. */
const onlyWithKind = (field: string, kind: FaultKind) => ({
  kind: "excluded-by" as const,
  fields: [field],
  other: "kind",
  values: faultKinds.filter((each) => each !== kind),
  description: `${field} is allowed with kind ${kind} only.`,
});

export const addFault = control(
  "addFault",
  {
    title: "Add fault",
    summary: "Injects a fault into the next calls of an operation.",
    method: "POST",
    path: "/_sandbox/faults",
    body: z.object({
      ...faultFields,
      times: z.int().min(1).max(1_000).default(1).describe("Number of calls."),
    }),
    rules: [
      requiredWith("status", "kind", "status"),
      requiredWith("milliseconds", "kind", "latency"),
      requiredWith("retry_after", "kind", "throttle"),
      onlyWithKind("status", "status"),
      onlyWithKind("milliseconds", "latency"),
      onlyWithKind("retry_after", "throttle"),
    ],
    responses: emptyResponse,
  },
  ({ faults }, { operation: name, times, retry_after: retryAfter, ...fault }) => {
    try {
      faults.add(name, { ...fault, retryAfter }, times);
    } catch (error) {
      throw toValidationError((error as Error).message);
    }
  },
);

export const clearFaults = control(
  "clearFaults",
  {
    title: "Clear faults",
    summary: "Removes all pending faults.",
    method: "DELETE",
    path: "/_sandbox/faults",
    responses: emptyResponse,
  },
  ({ faults }) => faults.clear(),
);

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
  .meta({ title: "Mail", description: "Number of the e-mail, starting at 1." });

export const listMails = control(
  "listMails",
  {
    title: "Outbox",
    summary: "Lists the e-mails in the outbox.",
    method: "GET",
    path: "/_sandbox/outbox",
    responses: { 200: json(z.array(Mail), "The e-mails, oldest first.") },
  },
  ({ world }) => world.outbox.mails.map(toMailView),
);

export const getMail = control(
  "getMail",
  {
    title: "E-mail",
    summary: "Returns one e-mail.",
    method: "GET",
    path: "/_sandbox/outbox/{mail}",
    parameters: { mail: mailNumber },
    responses: { 200: json(Mail, "The e-mail.") },
  },
  (session, { mail }) => toMailView(findMail(session, mail), mail - 1),
);

export const getMessage = control(
  "getMessage",
  {
    title: "E-mail as a file",
    summary: "Downloads an e-mail as an .eml file.",
    method: "GET",
    path: "/_sandbox/outbox/{mail}/message",
    parameters: { mail: mailNumber },
    responses: { 200: file("The e-mail in RFC 5322 format.") },
  },
  (session, { mail }) => toEmlFile(findMail(session, mail)),
);

export const getAttachment = control(
  "getAttachment",
  {
    title: "Attachment",
    summary: "Downloads an attachment of an e-mail.",
    method: "GET",
    path: "/_sandbox/outbox/{mail}/attachments/{file_name}",
    parameters: { mail: mailNumber, file_name: z.string().describe("Name of the attachment.") },
    responses: { 200: file("The file.") },
  },
  (session, { mail, file_name: name }) => {
    const attachment = findMail(session, mail).attachments.find(({ fileName }) => fileName === name);
    if (!attachment) throw toNotFoundError("attachment", name);
    return attachment;
  },
);
