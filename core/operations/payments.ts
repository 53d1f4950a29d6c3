/** Payments: initiating, authorising, following and cancelling them. Contract: payment initiation, rows 1 to 9. */
import { z } from "zod";
import { day } from "../schema/values";
import {
  AccountOwner,
  AccountReference,
  Amount,
  authorising,
  DateTime,
  Links,
  psuMessage,
  TppMessage,
  TransactionStatus,
  transfer,
} from "../schema/xs2a";
import { empty, json, operation, orText } from "./declaration";
import {
  PaymentService,
  PaymentId,
  product,
  itsProduct,
  payment,
  authorisations,
  NewBulkPayment,
  NewPayment,
  xml,
  inXml,
  pain001,
  pain001OrOrder,
  bulkInJson,
  paymentRules,
  productRules,
} from "./payment-input";
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
  identifiedBy: "paymentId",
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
  identifiedBy: "authorisationId",
  lookup: "payments.listAuthorisations",
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
  identifiedBy: "paymentId",
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
  identifiedBy: "transactionStatus",
  lookup: "payments.getStatus",
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
  parameters: { ...itsProduct, paymentId: PaymentId },
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
  parameters: { ...itsProduct, paymentId: PaymentId },
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
