/** Payments: initiation, authorisation, status and cancellation. Contract: payment initiation, rows 1 to 9. */
import { z } from "zod";
import { optionalText, textField } from "../values/response-fields";
import { DateTime, day } from "../values/values";
import {
  Amount,
  authorisationFields,
  authorisationLinks,
  debtorAccount,
  nextLinks,
  ownerNames,
  psuMessage,
  psuName,
  tppMessages,
  transfer,
} from "../values/xs2a";
import { TransactionStatus } from "../values/statuses";
import { empty, json, section, orText } from "../spec/declare";
import {
  PaymentService,
  PaymentId,
  newPaymentProduct,
  existingPaymentProduct,
  existingPayment,
  paymentAuthorisations,
  NewBulkPayment,
  NewPayment,
  xmlMediaType,
  xmlVariant,
  pain001,
  pain001WithStandingOrder,
  bulkRequiredInJson,
  paymentRules,
  productRules,
} from "./payment-input";
import {
  responseHeaders,
  attendedHeaders,
  authorisationIds,
  AuthorisationId,
  authorisationStarted,
  authorisationStatus,
  brandHeaders,
  ConsentId,
  createdHeaders,
  credentials,
  decoupledHeaders,
  explicitAuthorisationHeaders,
  headers,
  emptyBody,
  notificationHeaders,
  paymentErrors as errors,
  psuIdentity,
  redirectHeaders,
} from "./xs2a";

const amount = (description: string) => Amount.optional().meta({ description });

export const InitiatedPayment = z
  .object({
    transactionStatus: TransactionStatus,
    paymentId: textField("Payment ID, for other operations."),
    transactionFees: amount("Transaction fees; absent if not stated."),
    currencyConversionFee: amount("Currency conversion fee; absent if not stated."),
    estimatedTotalAmount: amount("Estimated total amount charged to the debtor."),
    estimatedInterbankSettlementAmount: amount("Estimated interbank settlement amount."),
    transactionFeeIndicator: z.boolean().optional().meta({
      description:
        "True if fees apply as agreed or listed, false if only the fees stated here apply, absent if unknown.",
    }),
    ...authorisationFields,
    psuMessage,
    tppMessages,
    _links: authorisationLinks,
  })
  .meta({ id: "InitiatedPayment", description: "A new payment, with the links for its authorisation." });

const storedPaymentFields = { transactionStatus: TransactionStatus.optional(), tppMessage: tppMessages };

export const Payment = z
  .object({ debtorAccount, ...transfer, ...storedPaymentFields })
  .meta({ id: "Payment", description: "A single payment as initiated, with its status." });

export const BulkPayment = z
  .object({
    debtorAccount,
    paymentInformationId: optionalText("ID of the bulk payment."),
    batchBookingPreferred: z
      .boolean()
      .optional()
      .meta({ description: "True if one booking entry for all transfers is preferred." }),
    requestedExecutionDate: day("Requested execution date", "Requested execution date.").optional(),
    acceptorTransactionDateTime: DateTime.optional().meta({
      description: "Time of the transaction at the acceptor (ISO 8601), possibly without time zone.",
    }),
    payments: z
      .array(z.object(transfer))
      .meta({ description: "The credit transfers, each with amount and creditor." }),
    ...storedPaymentFields,
  })
  .meta({ id: "BulkPayment", description: "A bulk payment as initiated, with its status." });

export const PaymentState = z
  .object({
    transactionStatus: TransactionStatus,
    fundsAvailable: z.boolean().optional().meta({
      description: "True if sufficient funds were available at the check; absent if not checked.",
    }),
    psuMessage,
    ownerNames,
    psuName,
    _links: nextLinks,
    tppMessage: tppMessages,
  })
  .meta({ id: "PaymentState", description: "Status of a payment." });

export const CancellationStarted = z
  .object({
    transactionStatus: TransactionStatus,
    ...authorisationFields,
    _links: authorisationLinks.optional(),
  })
  .meta({
    id: "CancellationStarted",
    description: "Status of a payment, with the links to authorise its cancellation.",
  });

const initiationShared = {
  ...attendedHeaders,
  ...psuIdentity,
  "Consent-ID": ConsentId.optional(),
  ...redirectHeaders,
  ...decoupledHeaders,
  ...explicitAuthorisationHeaders,
  "TPP-Rejection-NoFunds-Preferred": z.boolean().optional().meta({
    title: "Reject without funds",
    description: "Prefer rejection if funds are short.",
  }),
  ...brandHeaders,
  ...notificationHeaders,
};

const initiatedResponse = json(
  InitiatedPayment,
  "The payment was received and awaits authorisation by the person.",
  createdHeaders,
);

const resendRecovery = { kind: "resent", setting: "replaysByRequestId" } as const;

const operation = section({
  section: {
    title: "Payments",
    icon: "payments.svg",
    category: "fxdesk payments",
    daily: ["initiate", "prepareRun", "initiateRun", "follow", "watch"],
    advanced: "fxdesk payment steps",
    order: 9,
  },
  server: "xs2a",
  credentials,
  errors,
});

export const getPaymentStatus = operation({
  name: "payments.getStatus",
  tool: "get_payment_status",
  title: "Get payment status",
  summary:
    "Returns the current status of an open-banking payment. To wait until it is final, use payments.follow.",
  keywords: ["executed", "rejected", "transfer", "Zahlungsstatus", "Überweisung", "ausgeführt"],
  effect: "read",
  method: "GET",
  path: "/v1/{payment-service}/{payment-product}/{paymentId}/status",
  parameters: existingPayment,
  headers: {
    ...headers,
    Accept: z.enum(["application/json", xmlMediaType]).optional().meta({
      title: "Format",
      description: "For pain.001 products, application/xml returns pain.002.",
    }),
  },
  responses: {
    200: orText(json(PaymentState, "The current status.", responseHeaders), {
      mediaTypes: [xmlMediaType],
      field: "Accept",
      values: [xmlMediaType],
    }),
  },
  contract: "P1",
});

export const initiateBulkPayment = operation({
  name: "payments.initiateBulk",
  tool: "initiate_bulk_payment",
  title: "Initiate bulk payment",
  summary:
    "Initiates several credit transfers from one account as a bulk payment. For a single payment, use payments.initiate.",
  notes: "A person authorises the payment at the returned link.",
  keywords: [
    "pay many",
    "payroll",
    "salaries",
    "suppliers",
    "batch",
    "payment run",
    "pain.001",
    "Sammelüberweisung",
    "Gehälter",
    "Zahllauf",
  ],
  effect: "money",
  method: "POST",
  path: "/v1/bulk-payments/{payment-product}",
  parameters: newPaymentProduct,
  headers: initiationShared,
  body: NewBulkPayment,
  document: pain001,
  rules: [...productRules, bulkRequiredInJson()],
  responses: { 201: initiatedResponse },
  identifiedBy: "paymentId",
  commits: {
    paths: ["payments.*.instructedAmount"],
    creditor: "creditorAccount",
    document: "pain.001",
    account: "debtorAccount",
  },
  labelFields: ["requestedExecutionDate"],
  recovery: resendRecovery,
  contract: "P2",
});

export const startPaymentAuthorisation = operation({
  name: "payments.startAuthorisation",
  tool: "start_payment_authorisation",
  title: "Start payment authorisation",
  summary:
    "Starts authorisation (SCA) of a payment or its cancellation; a person completes it at the returned link.",
  keywords: ["sign", "approve", "strong customer authentication", "Autorisierung", "unterschreiben", "TAN"],
  effect: "money",
  method: "POST",
  path: "/v1/{payment-service}/{payment-product}/{paymentId}/{payment-authorisation}",
  parameters: paymentAuthorisations,
  headers: { ...headers, ...psuIdentity, ...redirectHeaders, ...notificationHeaders },
  body: emptyBody,
  responses: { 201: authorisationStarted },
  identifiedBy: "authorisationId",
  commits: "none",
  lookup: "payments.listAuthorisations",
  contract: "P3",
});

export const listPaymentAuthorisations = operation({
  name: "payments.listAuthorisations",
  tool: "list_payment_authorisations",
  title: "List payment authorisations",
  summary:
    "Lists the IDs of the authorisations started for a payment or its cancellation. For their status, use payments.getAuthorisation.",
  keywords: ["SCA", "signatures", "Autorisierungen"],
  effect: "read",
  method: "GET",
  path: "/v1/{payment-service}/{payment-product}/{paymentId}/{payment-authorisation}",
  parameters: paymentAuthorisations,
  headers,
  responses: { 200: authorisationIds },
  contract: "P4",
});

export const initiatePayment = operation({
  name: "payments.initiate",
  tool: "initiate_payment",
  title: "Initiate payment",
  summary: "Initiates a payment or standing order. For several payments, use payments.initiateBulk.",
  notes: "A person authorises the payment at the returned link.",
  keywords: [
    "pay",
    "send money",
    "credit transfer",
    "wire",
    "SEPA",
    "instant",
    "invoice",
    "supplier",
    "pain.001",
    "Überweisung",
    "Geld senden",
    "Zahlung",
    "Dauerauftrag",
    "Rechnung",
    "bezahlen",
  ],
  effect: "money",
  method: "POST",
  path: "/v1/{payment-service}/{payment-product}",
  parameters: { "payment-service": PaymentService, ...newPaymentProduct },
  headers: initiationShared,
  body: NewPayment,
  document: pain001WithStandingOrder,
  rules: paymentRules,
  responses: { 201: initiatedResponse },
  identifiedBy: "paymentId",
  commits: {
    paths: ["instructedAmount", "payments.*.instructedAmount"],
    creditor: "creditorAccount",
    unless: { "payment-service": ["periodic-payments"] },
    document: "pain.001",
    account: "debtorAccount",
  },
  labelFields: ["creditorName"],
  recovery: resendRecovery,
  contract: "P5",
});

export const cancelPayment = operation({
  name: "payments.cancel",
  tool: "cancel_payment",
  title: "Cancel payment",
  summary:
    "Cancels a payment before its execution; returns links if a person must authorise the cancellation.",
  keywords: [
    "stop",
    "recall",
    "revoke",
    "transfer",
    "standing order",
    "Zahlung stornieren",
    "widerrufen",
    "Überweisung",
    "Dauerauftrag",
  ],
  effect: "money",
  method: "DELETE",
  path: "/v1/{payment-service}/{payment-product}/{paymentId}",
  parameters: existingPayment,
  headers: { ...headers, ...redirectHeaders, ...decoupledHeaders, ...explicitAuthorisationHeaders },
  responses: {
    202: json(CancellationStarted, "The cancellation awaits authorisation by the person.", responseHeaders),
    204: empty("The payment was cancelled.", responseHeaders),
  },
  identifiedBy: "transactionStatus",
  commits: "none",
  lookup: "payments.getStatus",
  contract: "P6",
});

export const getPaymentAuthorisation = operation({
  name: "payments.getAuthorisation",
  tool: "get_payment_authorisation",
  title: "Get payment authorisation",
  summary: "Returns the SCA status of one authorisation of a payment or its cancellation.",
  keywords: ["strong customer authentication", "signed", "Autorisierung"],
  effect: "read",
  method: "GET",
  path: "/v1/{payment-service}/{payment-product}/{paymentId}/{payment-authorisation}/{authorisation-id}",
  parameters: { ...paymentAuthorisations, "authorisation-id": AuthorisationId },
  headers,
  responses: { 200: authorisationStatus },
  contract: "P7",
});

export const getPayment = operation({
  name: "payments.get",
  tool: "get_payment",
  title: "Get payment",
  summary:
    "Returns a single payment as initiated: amount, accounts, creditor and remittance information. For its status, use payments.getStatus; for a bulk payment, payments.getBulk.",
  keywords: ["transfer", "beneficiary", "Zahlung", "Überweisung", "Empfänger"],
  effect: "read",
  method: "GET",
  path: "/v1/payments/{payment-product}/{paymentId}",
  parameters: { ...existingPaymentProduct, paymentId: PaymentId },
  headers,
  responses: { 200: orText(json(Payment, "The payment.", responseHeaders), xmlVariant) },
  contract: "P8",
});

export const getBulkPayment = operation({
  name: "payments.getBulk",
  tool: "get_bulk_payment",
  title: "Get bulk payment",
  summary: "Returns a bulk payment as initiated, with all its credit transfers.",
  keywords: ["batch", "payroll", "payment run", "Sammelüberweisung", "Gehälter"],
  effect: "read",
  method: "GET",
  path: "/v1/bulk-payments/{payment-product}/{paymentId}",
  parameters: { ...existingPaymentProduct, paymentId: PaymentId },
  headers,
  responses: { 200: orText(json(BulkPayment, "The bulk payment.", responseHeaders), xmlVariant) },
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
