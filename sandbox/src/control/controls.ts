/**
 * The control plane: what a person or a test can do to the sandbox that no caller of the service can. Declared like the
 * operations of the contract; routes, commands, the page's forms and `sandbox.control` derive from this one list.
 */
import { type Declaration, empty, file, json, operation } from "@fxdesk/toolkit/operations";
import { day, DecimalText, ErrorMessage } from "@fxdesk/toolkit/schema";
import { z } from "zod";
import { faultKinds } from "../faults";
import { demo } from "../world/parties";

const says = (description: string, example?: string | number) => ({
  description,
  ...(example !== undefined && { examples: [example] }),
});
const isTime = (value: string) =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z$/.test(value) && !Number.isNaN(Date.parse(value));
const Time = z
  .string()
  .refine(isTime, "must be a UTC time, such as 2026-01-31T09:30:00Z")
  .meta({ format: "date-time", examples: ["2026-01-31T09:30:00Z"] });

/** In seconds. */
const longest = 366 * 86_400;

/** A field that another cannot do without when that has a value. */
const needed = (field: string, other: string, value: string) => ({
  kind: "needed-by" as const,
  fields: [field],
  other,
  values: [value],
  says: `${field} is needed with ${other} ${value}.`,
});

/** What every control has in common. */
const local = {
  effect: "change",
  server: "service",
  credentials: [],
  errors: {
    400: ["The request does not fit.", ErrorMessage],
    403: ["The request comes from another web page.", ErrorMessage],
    404: ["There is no such thing.", ErrorMessage],
    409: ["The state does not allow it.", ErrorMessage],
  },
  contract: "not shown",
} as const;

const Clock = z.object({ now: Time });
const clock = json(Clock, "The time it is now.");

export const reset = operation({
  ...local,
  name: "sandbox.reset",
  tool: "sandbox_reset",
  title: "Begin again",
  summary: "Begins again: another company and year, or the same; nothing of what was done is left.",
  method: "POST",
  path: "/_sandbox/reset",
  body: z.object({
    seed: z.string().min(1).optional().meta(says("From which the world is made; the one before, without.")),
    now: Time.optional().meta(
      says("Where time starts, to move a tenth of a second with each request; as before, without."),
    ),
  }),
  answers: { 200: clock },
});

export const getClock = operation({
  ...local,
  name: "sandbox.getClock",
  tool: "sandbox_get_clock",
  title: "Clock",
  summary: "Reads the clock.",
  effect: "read",
  method: "GET",
  path: "/_sandbox/clock",
  answers: { 200: clock },
});

export const setClock = operation({
  ...local,
  name: "sandbox.setClock",
  tool: "sandbox_set_clock",
  title: "Set clock",
  summary: "Moves the clock forward to a time; what is due until then happens.",
  method: "POST",
  path: "/_sandbox/clock",
  body: z.object({ now: Time.meta(says("The time it is to be, in UTC.")) }),
  answers: { 200: clock },
});

export const advanceClock = operation({
  ...local,
  name: "sandbox.advanceClock",
  tool: "sandbox_advance_clock",
  title: "Advance clock",
  summary: "Moves the clock forward by seconds or days; what is due until then happens.",
  method: "POST",
  path: "/_sandbox/clock/advance",
  body: z.object({
    seconds: z.int().min(1).max(longest).optional().meta(says("Seconds.")),
    days: z.int().min(1).max(366).optional().meta(says("Days of 24 hours.")),
  }),
  rules: [
    {
      kind: "exactly-one",
      fields: ["seconds", "days"],
      says: "Exactly one of seconds and days must be given.",
    },
  ],
  answers: { 200: clock },
});

const Price = z.object({ symbol: z.string(), rate: z.number() });

export const listRates = operation({
  ...local,
  name: "sandbox.listRates",
  tool: "sandbox_list_rates",
  title: "Rates",
  summary:
    "Lists what each currency costs against the dollar, as the market quotes it, before the bank's margin.",
  effect: "read",
  method: "GET",
  path: "/_sandbox/rates",
  answers: { 200: json(z.array(Price), "The rates.") },
});

export const moveRate = operation({
  ...local,
  name: "sandbox.moveRate",
  tool: "sandbox_move_rate",
  title: "Move rate",
  summary:
    "Moves the market. The first currency of the pair moves against all others; the second, when the first is USD.",
  method: "POST",
  path: "/_sandbox/rates",
  body: z.object({
    symbol: z
      .string()
      .regex(/^[A-Z]{6}$/, "must be two currencies, such as EURUSD")
      .meta(says("Two currencies, such as EURUSD.", "EURUSD")),
    rate: z.number().positive().meta(says("What one unit of the first is worth in the second.", 1.25)),
  }),
  answers: { 200: json(Price, "The rate now.") },
});

export const payIn = operation({
  ...local,
  name: "sandbox.payIn",
  tool: "sandbox_pay_in",
  title: "Pay in",
  summary: "Lets money come in from outside, to an account or to the demo company's account in a currency.",
  method: "POST",
  path: "/_sandbox/pay-ins",
  body: z.object({
    account_id: z
      .string()
      .optional()
      .meta({ title: "Account ID", ...says("The account.") }),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/, "must be three capital letters, such as EUR")
      .optional()
      .meta(says("Or the currency of the demo company's account.", "EUR")),
    amount: DecimalText.meta(says("Decimal amount with a dot, such as 1234.50.", "1234.50")),
    reference: z.string().max(35).default("PAY-IN").meta(says("What the transaction refers to.")),
    debtor_name: z.string().max(70).default("Somebody").meta(says("Who pays.")),
  }),
  rules: [
    {
      kind: "exactly-one",
      fields: ["account_id", "currency"],
      says: "Exactly one of account_id and currency must be given.",
    },
  ],
  answers: {
    200: json(z.object({ account_id: z.string(), transaction_id: z.string() }), "What was booked."),
  },
});

const Beneficiary = z.object({ beneficiary_id: z.string(), name: z.string(), currency: z.string() });

export const listBeneficiaries = operation({
  ...local,
  name: "sandbox.listBeneficiaries",
  tool: "sandbox_list_beneficiaries",
  title: "Beneficiaries",
  summary: "Lists to whom can be paid.",
  effect: "read",
  method: "GET",
  path: "/_sandbox/beneficiaries",
  answers: { 200: json(z.array(Beneficiary), "The beneficiaries.") },
});

const Payment = z.object({ payment_id: z.string(), status: z.string() });
const payment = json(Payment, "The payment.");
const paymentId = {
  payment_id: z.string().meta({ title: "Payment ID", ...says("As the trade lists it.") }),
};

export const allocatePayment = operation({
  ...local,
  name: "sandbox.allocatePayment",
  tool: "sandbox_allocate_payment",
  title: "Allocate payment",
  summary: "Orders a payment from what a trade buys. It waits for approvals where there are any.",
  method: "POST",
  path: "/_sandbox/payments",
  body: z.object({
    trade_id: z.string().meta({ title: "Trade ID", ...says("The trade it is paid from.") }),
    beneficiary_id: z.string().meta({ title: "Beneficiary ID", ...says("Who is paid.") }),
    amount: DecimalText,
    payment_date: day("Payment date", "When it is sent; at the trade's maturity, without.").optional(),
    contact_id: z
      .string()
      .default(demo.contactId)
      .meta({ title: "Contact ID", ...says("Who orders it.") }),
  }),
  answers: { 200: payment },
});

export const decidePayment = operation({
  ...local,
  name: "sandbox.decidePayment",
  tool: "sandbox_decide_payment",
  title: "Decide payment",
  summary: "Approves or rejects a payment that waits for it, as one of the client's contacts.",
  method: "POST",
  path: "/_sandbox/payments/{payment_id}",
  parameters: paymentId,
  body: z.object({
    decision: z.enum(["approve", "reject"]).meta(says("What the contact says.")),
    contact_id: z.string().meta({ title: "Contact ID", ...says("Who says it.", "contact-approver") }),
  }),
  answers: { 200: payment },
});

export const completeBeneficiary = operation({
  ...local,
  name: "sandbox.completeBeneficiary",
  tool: "sandbox_complete_beneficiary",
  title: "Complete beneficiary",
  summary: "Gives the account that a payment needs to know of its beneficiary.",
  method: "POST",
  path: "/_sandbox/payments/{payment_id}/beneficiary",
  parameters: paymentId,
  body: z.object({
    iban: z
      .string()
      .optional()
      .meta({ title: "IBAN", ...says("An IBAN.") }),
    account_number: z.string().optional().meta(says("Or an account number.")),
  }),
  rules: [
    { kind: "exactly-one", fields: ["iban", "account_number"], says: "Either iban or account_number." },
  ],
  answers: { 200: payment },
});

export const returnPayment = operation({
  ...local,
  name: "sandbox.returnPayment",
  tool: "sandbox_return_payment",
  title: "Return payment",
  summary: "Lets a payment that was made come back.",
  method: "POST",
  path: "/_sandbox/payments/{payment_id}/return",
  parameters: paymentId,
  answers: { 200: payment },
});

export const decideAccountDetails = operation({
  ...local,
  name: "sandbox.decideAccountDetails",
  tool: "sandbox_decide_account_details",
  title: "Decide account details",
  summary: "Confirms account details that were requested and are pending, or lets them fail.",
  method: "POST",
  path: "/_sandbox/account-details/{account_details_id}",
  parameters: {
    account_details_id: z.string().meta({ title: "Account details ID", ...says("As they are listed.") }),
  },
  body: z.object({ decision: z.enum(["confirm", "fail"]).meta(says("What the dealers say.")) }),
  answers: {
    200: json(z.object({ account_details_id: z.string(), status: z.string() }), "The account details."),
  },
});

export const decideStatement = operation({
  ...local,
  name: "sandbox.decideStatement",
  tool: "sandbox_decide_statement",
  title: "Spoil statement",
  summary: "Lets a statement file fail, or take longer: one that was asked for, or the next one.",
  method: "POST",
  path: "/_sandbox/statements",
  body: z.object({
    statement_id: z
      .string()
      .optional()
      .meta({ title: "Statement ID", ...says("The next one, without.") }),
    decision: z.enum(["fail", "delay"]).meta(says("What becomes of it.")),
    seconds: z.int().min(1).max(longest).optional().meta(says("How much longer it takes.")),
  }),
  rules: [needed("seconds", "decision", "delay")],
  answers: { 204: empty("Done.") },
});

const Authorisation = z.object({
  authorisation_id: z.string(),
  title: z.string(),
  terms: z.array(z.object({ name: z.string(), value: z.string() })),
});

export const listAuthorisations = operation({
  ...local,
  name: "sandbox.listAuthorisations",
  tool: "sandbox_list_authorisations",
  title: "Authorisations",
  summary: "Lists the open-banking authorisations that wait for a person.",
  effect: "read",
  method: "GET",
  path: "/_sandbox/authorisations",
  answers: { 200: json(z.array(Authorisation), "Those that wait.") },
});

export const decideAuthorisation = operation({
  ...local,
  name: "sandbox.decideAuthorisation",
  tool: "sandbox_decide_authorisation",
  title: "Decide authorisation",
  summary: "Approves or refuses an open-banking authorisation in the person's place.",
  method: "POST",
  path: "/_sandbox/authorisations/{authorisation_id}",
  parameters: {
    authorisation_id: z.string().meta({ title: "Authorisation ID", ...says("As listed, or in its link.") }),
  },
  body: z.object({ decision: z.enum(["approve", "refuse"]).meta(says("What the person says.")) }),
  answers: { 204: empty("Done.") },
});

export const setSignatories = operation({
  ...local,
  name: "sandbox.setSignatories",
  tool: "sandbox_set_signatories",
  title: "Set signatories",
  summary: "Says how many people must authorise each open-banking payment that is initiated from now on.",
  method: "POST",
  path: "/_sandbox/signatories",
  body: z.object({ signatories: z.int().min(1).max(5).meta(says("How many people.", 2)) }),
  answers: { 204: empty("Done.") },
});

export const decideApprovals = operation({
  ...local,
  name: "sandbox.decideApprovals",
  tool: "sandbox_decide_approvals",
  title: "Decide approvals configuration",
  summary: "Approves or rejects, as second administrator, the approvals configuration that waits.",
  method: "POST",
  path: "/_sandbox/approvals-config",
  body: z.object({
    decision: z.enum(["approve", "reject"]).meta(says("What the second administrator says.")),
  }),
  answers: { 204: empty("Done.") },
});

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
  .meta({ title: "Mail", ...says("Its number, from 1.") });

export const listMails = operation({
  ...local,
  name: "sandbox.listMails",
  tool: "sandbox_list_mails",
  title: "Outbox",
  summary: "Lists the e-mails that would have been sent.",
  effect: "read",
  method: "GET",
  path: "/_sandbox/outbox",
  answers: { 200: json(z.array(Mail), "The e-mails, the first one first.") },
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
  answers: { 200: json(Mail, "The e-mail.") },
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
  answers: { 200: file("The e-mail: RFC 5322 and MIME.") },
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
  parameters: { mail, file_name: z.string().meta(says("As the e-mail lists it.")) },
  answers: { 200: file("The file.") },
});

const LoggedRequest = z.object({
  method: z.string(),
  url: z.string(),
  status: z.int(),
  refusal: z.string().optional(),
  fault: z.string().optional(),
});

export const listRequests = operation({
  ...local,
  name: "sandbox.listRequests",
  tool: "sandbox_list_requests",
  title: "Requests",
  summary: "Lists what was asked of the sandbox, with the status of each answer and why it was refused.",
  effect: "read",
  method: "GET",
  path: "/_sandbox/requests",
  answers: { 200: json(z.array(LoggedRequest), "The last 1,000, the oldest first.") },
});

const fault = {
  operation: z.string().meta(says("Its name, such as trades.book.", "trades.book")),
  kind: z
    .enum(faultKinds)
    .meta(
      says(
        "status: a documented status instead of the work. latency: a late answer. reset-before, reset-after: the " +
          "connection is lost before or after the work. cut-off: half the answer. throttle: 429 with Retry-After.",
      ),
    ),
  status: z.int().optional().meta(says("With status: the one to answer.")),
  milliseconds: z.int().min(1).max(600_000).optional().meta(says("With latency: how much later.")),
  retry_after: z.int().min(0).max(86_400).optional().meta(says("With throttle: seconds to wait.")),
};

export const listFaults = operation({
  ...local,
  name: "sandbox.listFaults",
  tool: "sandbox_list_faults",
  title: "Faults",
  summary: "Lists the faults that wait for calls.",
  effect: "read",
  method: "GET",
  path: "/_sandbox/faults",
  answers: { 200: json(z.array(z.object(fault)), "One for each call that will be spoiled.") },
});

export const addFault = operation({
  ...local,
  name: "sandbox.addFault",
  tool: "sandbox_add_fault",
  title: "Add fault",
  summary: "Spoils the next calls of an operation.",
  method: "POST",
  path: "/_sandbox/faults",
  body: z.object({ ...fault, times: z.int().min(1).max(1_000).default(1).meta(says("How many calls.")) }),
  rules: [
    needed("status", "kind", "status"),
    needed("milliseconds", "kind", "latency"),
    needed("retry_after", "kind", "throttle"),
  ],
  answers: { 204: empty("Done.") },
});

export const clearFaults = operation({
  ...local,
  name: "sandbox.clearFaults",
  tool: "sandbox_clear_faults",
  title: "Clear faults",
  summary: "Takes away all faults that wait for calls.",
  method: "DELETE",
  path: "/_sandbox/faults",
  answers: { 204: empty("Done.") },
});

export const controls = [
  reset,
  getClock,
  setClock,
  advanceClock,
  listRates,
  moveRate,
  payIn,
  listBeneficiaries,
  allocatePayment,
  decidePayment,
  completeBeneficiary,
  returnPayment,
  decideAccountDetails,
  decideStatement,
  listAuthorisations,
  decideAuthorisation,
  setSignatories,
  decideApprovals,
  listMails,
  getMail,
  getMessage,
  getAttachment,
  listRequests,
  listFaults,
  addFault,
  clearFaults,
] as const satisfies readonly Declaration[];
