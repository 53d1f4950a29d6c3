/** Payments: initiating, authorising, following and cancelling them. Contract: payment initiation, rows 1 to 9. */
import { z } from "zod";
import { day, id } from "../schema/values";
import {
  AccountOwner,
  AccountReference,
  Amount,
  authorising,
  DateTime,
  Links,
  NewAccountReference,
  newTransfer,
  psuMessage,
  TppMessage,
  TransactionStatus,
  transfer,
} from "../schema/xs2a";
import { empty, json, operation, orText, type Rule } from "./declaration";
import {
  answerHeaders,
  attendedHeaders,
  authorisationIds,
  AuthorisationId,
  authorisationStarted,
  authorisationStatus,
  brand,
  ConsentId,
  createdHeaders,
  credentials,
  decoupled,
  explicitly,
  headers,
  nothing,
  notification,
  paymentErrors as errors,
  psuIdentity,
  redirect,
} from "./xs2a";

const PaymentService = z
  .enum(["payments", "bulk-payments", "periodic-payments"])
  .meta({ title: "Payment service", description: "One payment, several together, or a standing order." });

const jsonProducts = [
  "sepa-credit-transfers",
  "instant-sepa-credit-transfers",
  "target-2-payments",
  "cross-border-credit-transfers",
] as const;

const xmlProducts = [
  "pain.001-sepa-credit-transfers",
  "pain.001-instant-sepa-credit-transfers",
  "pain.001-target-2-payments",
  "pain.001-cross-border-credit-transfers",
] as const;

const PaymentProduct = z
  .enum([...jsonProducts, ...xmlProducts])
  .meta({ title: "Payment product", description: "How it is paid; pain.001 in XML." });

const PaymentId = id("Payment ID", "The payment, from the answer that initiated it.");

const PaymentAuthorisation = z.enum(["authorisations", "cancellation-authorisations"]).meta({
  title: "Payment authorisation",
  description: "Of the payment, or of its cancellation.",
  alsoSpelled: new Map([["cancellation_authorisations", "cancellation-authorisations"]]),
});

const product = { "payment-product": PaymentProduct };
const payment = { "payment-service": PaymentService, ...product, paymentId: PaymentId };
const authorisations = { ...payment, "payment-authorisation": PaymentAuthorisation };

const frequencies = [
  "Daily",
  "Weekly",
  "EveryTwoWeeks",
  "Monthly",
  "EveryTwoMonths",
  "Quarterly",
  "SemiAnnual",
  "Annual",
  "MonthlyVariable",
] as const;

/** Whole numbers from 1, as text. */
const numbersTo = (last: number) => Array.from({ length: last }, (_, index) => String(index + 1));

const areDifferent = (values: readonly string[]) => new Set(values).size === values.length;

const startDate = day("Start date", "Periodic: first day.");
const endDate = day("End date", "Periodic: last day, if any.").optional();

const standingOrder = {
  startDate,
  frequency: z.enum(frequencies).meta({ title: "Frequency", description: "Periodic: how often." }),
  endDate,
  executionRule: z.enum(["following", "preceding"]).optional().meta({
    title: "Execution rule",
    description: "Periodic: working day in place of a holiday.",
  }),
  dayOfExecution: z
    .enum(numbersTo(31))
    .optional()
    .meta({ title: "Day of execution", description: "Periodic: day of month; 31 is the last." }),
  monthsOfExecution: z
    .array(z.enum(numbersTo(12)))
    .min(1)
    .max(11)
    .refine(areDifferent, "must have no month twice")
    .optional()
    .meta({ title: "Months of execution", description: "Periodic: different months, 1 to 12." }),
};

const debtorAccount = NewAccountReference.meta({
  title: "Debtor account",
  description: "Account the payment is made from, as by iban.",
});

const elements = z
  .array(z.strictObject(newTransfer))
  .min(1)
  .meta({ title: "Payments", description: "Bulk: the payments, each with amount and creditor." });

const bulk = {
  batchBookingPreferred: z
    .boolean()
    .optional()
    .meta({ title: "Batch booking preferred", description: "Bulk: one entry for all." }),
  requestedExecutionDate: day("Requested execution date", "Bulk: day to pay on.").optional(),
  requestedExecutionTime: DateTime.optional().meta({
    title: "Requested execution time",
    description: "Bulk: time to pay at.",
  }),
};

/** The payment product says which fields are needed. */
export const NewBulkPayment = z
  .object({ debtorAccount: debtorAccount.optional(), payments: elements.optional(), ...bulk })
  .meta({ id: "NewBulkPayment" });

/** Single, periodic and bulk payments in one: the payment service and product say which fields are needed. */
export const NewPayment = z
  .object({
    debtorAccount: debtorAccount.optional(),
    ...z.object({ ...newTransfer, ...standingOrder }).partial().shape,
    payments: elements.optional(),
    ...bulk,
  })
  .meta({ id: "NewPayment" });

const xml = "application/xml";

/** A payment is read as it was written. */
const inXml = { mediaTypes: [xml], field: "payment-product", values: xmlProducts } as const;

/** Text has no encoding of its own: a declaration of another would be wrong once it is sent. */
const isUtf8 = (text: string) => !/^\s*<\?xml[^>]*\sencoding\s*=\s*["'](?!utf-8["'])/i.test(text);

const pain001 = {
  name: "pain001",
  schema: z
    .string()
    .regex(/^\s*</, "must be an XML document")
    .refine(isUtf8, "must be declared as UTF-8, in which it is sent")
    .optional()
    .meta({
      title: "pain.001 document",
      description: "The payment in XML, in place of the fields of JSON.",
    }),
  mediaTypes: [xml, "text/xml"],
} as const;

/** What makes a standing order of a document goes along with it. */
const pain001OrOrder = {
  ...pain001,
  form: {
    documentPart: "xml_sct",
    fieldsPart: "json_standingorderType",
    fields: Object.keys(standingOrder),
  },
} as const;

const notAt = (services: readonly string[], fields: readonly string[], says: string): Rule => ({
  kind: "excluded-by",
  fields,
  other: "payment-service",
  values: services,
  says,
});

/** Fields that the JSON products need, except at some payment services. */
const neededInJson = (fields: readonly string[], says: string, exceptAt: readonly string[]): Rule => ({
  kind: "needed-unless",
  fields,
  unless: { "payment-product": xmlProducts, ...(exceptAt.length > 0 && { "payment-service": exceptAt }) },
  says,
});

const bulkInJson = (exceptAt: readonly string[] = []) =>
  neededInJson(
    ["debtorAccount", "payments"],
    "A bulk payment in JSON needs debtorAccount and payments.",
    exceptAt,
  );

const productRules: readonly Rule[] = [
  {
    kind: "needed-by",
    fields: ["pain001"],
    other: "payment-product",
    values: xmlProducts,
    says: "pain.001 products need pain001.",
  },
  {
    kind: "excluded-by",
    fields: ["pain001"],
    other: "payment-product",
    values: jsonProducts,
    says: "Only pain.001 products have pain001.",
  },
];

const paymentRules: readonly Rule[] = [
  ...productRules,
  neededInJson(
    ["debtorAccount", "instructedAmount", "creditorAccount", "creditorName"],
    "A single or periodic payment in JSON needs debtorAccount, instructedAmount, creditorAccount and creditorName.",
    ["bulk-payments"],
  ),
  bulkInJson(["payments", "periodic-payments"]),
  {
    kind: "needed-by",
    fields: ["startDate", "frequency"],
    other: "payment-service",
    values: ["periodic-payments"],
    says: "A periodic payment needs startDate and frequency.",
  },
  notAt(["payments", "periodic-payments"], ["payments"], "Only a bulk payment has payments."),
  notAt(
    ["payments", "bulk-payments"],
    Object.keys(standingOrder),
    `Only a periodic payment has ${Object.keys(standingOrder).join(", ")}.`,
  ),
  {
    kind: "needed-by",
    fields: ["monthsOfExecution"],
    other: "frequency",
    values: ["MonthlyVariable"],
    says: "MonthlyVariable needs monthsOfExecution.",
  },
  {
    kind: "excluded-by",
    fields: ["monthsOfExecution"],
    other: "frequency",
    values: frequencies.filter((frequency) => frequency !== "MonthlyVariable"),
    says: "Only MonthlyVariable has monthsOfExecution.",
  },
  { kind: "ordered", fields: ["startDate", "endDate"], says: "startDate must not be after endDate." },
];

const fee = Amount.optional();

export const InitiatedPayment = z
  .object({
    transactionStatus: TransactionStatus,
    paymentId: z.string(),
    transactionFees: fee,
    currencyConversionFee: fee,
    estimatedTotalAmount: fee,
    estimatedInterbankSettlementAmount: fee,
    transactionFeeIndicator: z.boolean().optional(),
    ...authorising,
    psuMessage,
    tppMessages: z.array(TppMessage).optional(),
    _links: Links,
  })
  .meta({ id: "InitiatedPayment" });

const readBack = {
  transactionStatus: TransactionStatus.optional(),
  tppMessage: z.array(TppMessage).optional(),
};

export const Payment = z
  .object({ debtorAccount: AccountReference, ...transfer, ...readBack })
  .meta({ id: "Payment" });

export const BulkPayment = z
  .object({
    debtorAccount: AccountReference,
    paymentInformationId: z.string().optional(),
    batchBookingPreferred: z.boolean().optional(),
    requestedExecutionDate: day("Requested execution date", "Day to pay on.").optional(),
    acceptorTransactionDateTime: DateTime.optional(),
    payments: z.array(z.object(transfer)),
    ...readBack,
  })
  .meta({ id: "BulkPayment" });

export const PaymentState = z
  .object({
    transactionStatus: TransactionStatus,
    fundsAvailable: z.boolean().optional(),
    psuMessage,
    ownerNames: z.array(AccountOwner).optional(),
    psuName: z.string().optional(),
    _links: Links.optional(),
    tppMessage: z.array(TppMessage).optional(),
  })
  .meta({ id: "PaymentState" });

export const CancellationStarted = z
  .object({ transactionStatus: TransactionStatus, ...authorising, _links: Links.optional() })
  .meta({ id: "CancellationStarted" });

const initiating = {
  ...attendedHeaders,
  ...psuIdentity,
  "Consent-ID": ConsentId.optional(),
  ...redirect,
  ...decoupled,
  ...explicitly,
  "TPP-Rejection-NoFunds-Preferred": z
    .boolean()
    .optional()
    .meta({ title: "Reject without funds", description: "Refuse rather than wait when funds are missing." }),
  ...brand,
  ...notification,
};

const initiated = json(InitiatedPayment, "The payment is recorded and awaits the person.", createdHeaders);

export const getPaymentStatus = operation({
  name: "payments.getStatus",
  tool: "get_payment_status",
  title: "Get payment status",
  summary: "Returns the status of a payment.",
  effect: "read",
  method: "GET",
  path: "/v1/{payment-service}/{payment-product}/{paymentId}/status",
  server: "xs2a",
  credentials,
  parameters: payment,
  headers: {
    ...headers,
    Accept: z
      .enum(["application/json", xml])
      .optional()
      .meta({ title: "Format", description: "pain.001 products: application/xml is pain.002." }),
  },
  answers: {
    200: orText(json(PaymentState, "The status.", answerHeaders), {
      mediaTypes: [xml],
      field: "Accept",
      values: [xml],
    }),
  },
  errors,
  contract: "P1",
});

export const initiateBulkPayment = operation({
  name: "payments.initiateBulk",
  tool: "initiate_bulk_payment",
  title: "Initiate bulk payment",
  summary: "Initiates several payments from one account together.",
  notes:
    "Nothing is paid before a person has authorised it at the scaRedirect or scaOAuth link of the answer.",
  effect: "money",
  method: "POST",
  path: "/v1/bulk-payments/{payment-product}",
  server: "xs2a",
  credentials,
  parameters: product,
  headers: initiating,
  body: NewBulkPayment,
  document: pain001,
  rules: [...productRules, bulkInJson()],
  answers: { 201: initiated },
  errors,
  contract: "P2",
});

export const startPaymentAuthorisation = operation({
  name: "payments.startAuthorisation",
  tool: "start_payment_authorisation",
  title: "Start payment authorisation",
  summary: "Begins the authorisation of a payment, or of its cancellation.",
  effect: "money",
  method: "POST",
  path: "/v1/{payment-service}/{payment-product}/{paymentId}/{payment-authorisation}",
  server: "xs2a",
  credentials,
  parameters: authorisations,
  headers: { ...headers, ...psuIdentity, ...redirect, ...notification },
  body: nothing,
  answers: { 201: authorisationStarted },
  errors,
  contract: "P3",
});

export const listPaymentAuthorisations = operation({
  name: "payments.listAuthorisations",
  tool: "list_payment_authorisations",
  title: "List payment authorisations",
  summary: "Lists the authorisations of a payment, or of its cancellation.",
  effect: "read",
  method: "GET",
  path: "/v1/{payment-service}/{payment-product}/{paymentId}/{payment-authorisation}",
  server: "xs2a",
  credentials,
  parameters: authorisations,
  headers,
  answers: { 200: authorisationIds },
  errors,
  contract: "P4",
});

export const initiatePayment = operation({
  name: "payments.initiate",
  tool: "initiate_payment",
  title: "Initiate payment",
  summary: "Initiates a single payment, a bulk payment or a standing order.",
  notes:
    "Nothing is paid before a person has authorised it at the scaRedirect or scaOAuth link of the answer.",
  effect: "money",
  method: "POST",
  path: "/v1/{payment-service}/{payment-product}",
  server: "xs2a",
  credentials,
  parameters: { "payment-service": PaymentService, ...product },
  headers: initiating,
  body: NewPayment,
  document: pain001OrOrder,
  rules: paymentRules,
  answers: { 201: initiated },
  errors,
  contract: "P5",
});

export const cancelPayment = operation({
  name: "payments.cancel",
  tool: "cancel_payment",
  title: "Cancel payment",
  summary: "Cancels a payment that is not executed, or begins its cancellation.",
  notes: "202 means that a person must authorise the cancellation before it takes effect.",
  effect: "money",
  method: "DELETE",
  path: "/v1/{payment-service}/{payment-product}/{paymentId}",
  server: "xs2a",
  credentials,
  parameters: payment,
  headers: { ...headers, ...redirect, ...decoupled, ...explicitly },
  answers: {
    202: json(CancellationStarted, "The cancellation must be authorised.", answerHeaders),
    204: empty("The payment is cancelled.", answerHeaders),
  },
  errors,
  contract: "P6",
});

export const getPaymentAuthorisation = operation({
  name: "payments.getAuthorisation",
  tool: "get_payment_authorisation",
  title: "Get payment authorisation",
  summary: "Returns the status of an authorisation of a payment or of its cancellation.",
  effect: "read",
  method: "GET",
  path: "/v1/{payment-service}/{payment-product}/{paymentId}/{payment-authorisation}/{authorisation-id}",
  server: "xs2a",
  credentials,
  parameters: { ...authorisations, "authorisation-id": AuthorisationId },
  headers,
  answers: { 200: authorisationStatus },
  errors,
  contract: "P7",
});

export const getPayment = operation({
  name: "payments.get",
  tool: "get_payment",
  title: "Get payment",
  summary: "Returns a single payment as it was initiated, with its status.",
  effect: "read",
  method: "GET",
  path: "/v1/payments/{payment-product}/{paymentId}",
  server: "xs2a",
  credentials,
  parameters: { ...product, paymentId: PaymentId },
  headers,
  answers: { 200: orText(json(Payment, "The payment.", answerHeaders), inXml) },
  errors,
  contract: "P8",
});

export const getBulkPayment = operation({
  name: "payments.getBulk",
  tool: "get_bulk_payment",
  title: "Get bulk payment",
  summary: "Returns a bulk payment as it was initiated, with its status.",
  effect: "read",
  method: "GET",
  path: "/v1/bulk-payments/{payment-product}/{paymentId}",
  server: "xs2a",
  credentials,
  parameters: { ...product, paymentId: PaymentId },
  headers,
  answers: { 200: orText(json(BulkPayment, "The payment.", answerHeaders), inXml) },
  errors,
  contract: "P9",
});

export const payments = [
  getPaymentStatus,
  initiateBulkPayment,
  startPaymentAuthorisation,
  listPaymentAuthorisations,
  initiatePayment,
  cancelPayment,
  getPaymentAuthorisation,
  getPayment,
  getBulkPayment,
] as const;
