/** Input of payment initiation: fields in JSON and XML, and the rules between them. */
import { z } from "zod";
import { DateTime, day, id } from "../values/values";
import { NewAccountReference, newTransfer } from "../values/xs2a";
import type { Rule } from "../spec/operation";

export const PaymentService = z.enum(["payments", "bulk-payments", "periodic-payments"]).meta({
  title: "Payment service",
  description: "Single, bulk or standing order.",
});

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
  .meta({ title: "Payment product", description: "Payment scheme." });

export const PaymentId = id("Payment ID", "`paymentId` from payments.initiate or payments.initiateBulk.");

const PaymentAuthorisation = z.enum(["authorisations", "cancellation-authorisations"]).meta({
  title: "Payment authorisation",
  description: "`authorisations` for the payment, `cancellation-authorisations` for its cancellation.",
  alsoSpelled: new Map([["cancellation_authorisations", "cancellation-authorisations"]]),
});

export const newPaymentProduct = { "payment-product": PaymentProduct };
/** Path parameter of an existing payment. */
export const existingPaymentProduct = {
  "payment-product": PaymentProduct.meta({
    title: "Payment product",
    description: "Payment product with which the payment was initiated.",
    fromEarlier: true,
  }),
};
const existingPaymentService = PaymentService.meta({
  title: "Payment service",
  description: "Payment service with which the payment was initiated, such as payments.",
  fromEarlier: true,
});
export const existingPayment = {
  "payment-service": existingPaymentService,
  ...existingPaymentProduct,
  paymentId: PaymentId,
};
export const paymentAuthorisations = { ...existingPayment, "payment-authorisation": PaymentAuthorisation };

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

/** The numbers from 1 to `last` as text. */
const numbersUpTo = (last: number) => Array.from({ length: last }, (_, index) => String(index + 1));

const areUnique = (values: readonly string[]) => new Set(values).size === values.length;

const startDate = day("Start date", "Periodic: first date.");
const endDate = day("End date", "Periodic: last date.").optional();

const standingOrder = {
  startDate,
  frequency: z.enum(frequencies).meta({ title: "Frequency", description: "Periodic: interval." }),
  endDate,
  executionRule: z.enum(["following", "preceding"]).optional().meta({
    title: "Execution rule",
    description: "Periodic: business day instead of a holiday.",
  }),
  dayOfExecution: z.enum(numbersUpTo(31)).optional().meta({
    title: "Day of execution",
    description: "Periodic: day of the month; 31 is the last.",
  }),
  monthsOfExecution: z
    .array(z.enum(numbersUpTo(12)))
    .min(1)
    .max(11)
    .refine(areUnique, "must not contain a month twice")
    .optional()
    .meta({
      title: "Months of execution",
      description: "Months 1 to 12 for MonthlyVariable.",
    }),
};

const debtorAccount = NewAccountReference.meta({
  title: "Debtor account",
  description: "Account to debit.",
  ownIban: true,
});

/** Tool that lists the fields of several payments. */
const listedBy = "payments.initiateBulk";

const bulkPayments = z
  .array(z.strictObject(newTransfer).meta({ id: "NewTransfer" }))
  .min(1)
  .meta({
    title: "Payments",
    description: "Bulk: the credit transfers.",
    listedBy,
  });

const bulkFields = {
  batchBookingPreferred: z.boolean().optional().meta({
    title: "Batch booking preferred",
    description: "Bulk: requests one booking entry for all transfers.",
    listedBy,
  }),
  requestedExecutionDate: day("Requested execution date", "Bulk: requested execution date.")
    .optional()
    .meta({ listedBy }),
  requestedExecutionTime: DateTime.optional().meta({
    title: "Requested execution time",
    description: "Bulk: requested execution time (ISO 8601).",
    listedBy,
  }),
};

/** A bulk payment. The payment product determines the required fields. */
export const NewBulkPayment = z
  .object({ debtorAccount: debtorAccount.optional(), payments: bulkPayments.optional(), ...bulkFields })
  .meta({ id: "NewBulkPayment", description: "Several credit transfers from one account." });

/** A single, periodic or bulk payment. The payment service and product determine the required fields. */
export const NewPayment = z
  .object({
    debtorAccount: debtorAccount.optional(),
    ...z.object({ ...newTransfer, ...standingOrder }).partial().shape,
    payments: bulkPayments.optional(),
    ...bulkFields,
  })
  .meta({ id: "NewPayment", description: "A single, periodic or bulk payment." });

export const xmlMediaType = "application/xml";

/** The XML products return payments as XML. */
export const xmlVariant = {
  mediaTypes: [xmlMediaType],
  field: "payment-product",
  values: xmlProducts,
} as const;

/** True unless the document declares another encoding than UTF-8, in which fxdesk sends it. */
const isUtf8 = (text: string) => !/^\s*<\?xml[^>]*\sencoding\s*=\s*["'](?!utf-8["'])/i.test(text);

export const pain001 = {
  name: "pain001",
  schema: z
    .string()
    .regex(/^\s*</, "must be an XML document")
    .refine(isUtf8, "must be declared as UTF-8, because it is sent in UTF-8")
    .optional()
    .meta({
      title: "pain.001 document",
      description: "pain.001 document instead of payment fields.",
    }),
  mediaTypes: [xmlMediaType, "text/xml"],
} as const;

/** A document with the fields of a standing order, sent as a form. */
export const pain001WithStandingOrder = {
  ...pain001,
  form: {
    documentPart: "xml_sct",
    fieldsPart: "json_standingorderType",
    fields: Object.keys(standingOrder),
  },
} as const;

const excludedAt = (services: readonly string[], fields: readonly string[], description: string): Rule => ({
  kind: "excluded-by",
  fields,
  other: "payment-service",
  values: services,
  description,
});

/** Declares fields that JSON products require, except with some payment services. */
const requiredInJson = (
  fields: readonly string[],
  description: string,
  exceptAt: readonly string[],
): Rule => ({
  kind: "needed-unless",
  fields,
  unless: { "payment-product": xmlProducts, ...(exceptAt.length > 0 && { "payment-service": exceptAt }) },
  description,
});

export const bulkRequiredInJson = (exceptAt: readonly string[] = []) =>
  requiredInJson(
    ["debtorAccount", "payments"],
    "Without pain001, a bulk payment requires debtorAccount and payments.",
    exceptAt,
  );

const euroOnly = (fields: readonly string[]): Rule => ({
  kind: "currency",
  fields,
  currency: "EUR",
  other: "payment-product",
  values: jsonProducts.filter((product) => product !== "cross-border-credit-transfers"),
  description: "SEPA, instant and TARGET2 payments must be in EUR.",
});

export const productRules: readonly Rule[] = [
  {
    kind: "needed-by",
    fields: ["pain001"],
    other: "payment-product",
    values: xmlProducts,
    description: "pain.001 products require pain001.",
  },
  {
    kind: "excluded-by",
    fields: ["pain001"],
    other: "payment-product",
    values: jsonProducts,
    description: "pain001 is only for pain.001 products.",
  },
  euroOnly(["payments"]),
];

export const paymentRules: readonly Rule[] = [
  ...productRules,
  euroOnly(["instructedAmount"]),
  requiredInJson(
    ["debtorAccount", "instructedAmount", "creditorAccount", "creditorName"],
    "Without pain001, a payment requires debtorAccount, instructedAmount, creditorAccount and creditorName.",
    ["bulk-payments"],
  ),
  bulkRequiredInJson(["payments", "periodic-payments"]),
  {
    kind: "needed-by",
    fields: ["startDate", "frequency"],
    other: "payment-service",
    values: ["periodic-payments"],
    description: "A periodic payment requires startDate and frequency.",
  },
  excludedAt(["payments", "periodic-payments"], ["payments"], "payments is only for bulk payments."),
  excludedAt(
    ["payments", "bulk-payments"],
    Object.keys(standingOrder),
    `${Object.keys(standingOrder).join(", ")} are only for periodic payments.`,
  ),
  {
    kind: "needed-by",
    fields: ["monthsOfExecution"],
    other: "frequency",
    values: ["MonthlyVariable"],
    description: "MonthlyVariable requires monthsOfExecution.",
  },
  {
    kind: "excluded-by",
    fields: ["monthsOfExecution"],
    other: "frequency",
    values: frequencies.filter((frequency) => frequency !== "MonthlyVariable"),
    description: "monthsOfExecution is only for frequency MonthlyVariable.",
  },
  { kind: "ordered", fields: ["startDate", "endDate"], description: "startDate must not be after endDate." },
];
