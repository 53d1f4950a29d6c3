/** Payments: initiating, authorising, following and cancelling them. Contract: payment initiation, rows 1 to 9. */
import { z } from "zod";
import { DateTime, day } from "../schema/values";
import {
  Amount,
  authorisationFields,
  authorisingLinks,
  debtorAccount,
  nextLinks,
  ownerNames,
  psuMessage,
  psuName,
  tppMessages,
  transfer,
} from "../schema/xs2a";
import { TransactionStatus } from "../schema/statuses";
import { empty, json, section, orText } from "../declaration/declare";
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
  responseHeaders,
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
  explicitAuthorisation,
  headers,
  emptyBody,
  notification,
  paymentErrors as errors,
  psuIdentity,
  redirect,
} from "./xs2a";

const amount = (description: string) => Amount.optional().meta({ description });

export const InitiatedPayment = z
  .object({
    transactionStatus: TransactionStatus,
    paymentId: z.string().meta({ description: "Identifier of the payment in other calls." }),
    transactionFees: amount("Fee for the payment; absent where none is stated."),
    currencyConversionFee: amount("Fee for converting currencies; absent where none is stated."),
    estimatedTotalAmount: amount("What the debtor is expected to be charged in all."),
    estimatedInterbankSettlementAmount: amount("What is expected to be settled with the creditor's bank."),
    transactionFeeIndicator: z.boolean().optional().meta({
      description:
        "true: the fees of the price list or agreement are due. false: only fees stated here; absent: not known.",
    }),
    ...authorisationFields,
    psuMessage,
    tppMessages,
    _links: authorisingLinks,
  })
  .meta({ id: "InitiatedPayment", description: "A new payment and what the person needs to authorise it." });

const readBack = { transactionStatus: TransactionStatus.optional(), tppMessage: tppMessages };

export const Payment = z
  .object({ debtorAccount, ...transfer, ...readBack })
  .meta({ id: "Payment", description: "A single payment as it was initiated, with its status." });

export const BulkPayment = z
  .object({
    debtorAccount,
    paymentInformationId: z.string().optional().meta({ description: "Identifier of the bulk as a whole." }),
    batchBookingPreferred: z
      .boolean()
      .optional()
      .meta({ description: "Whether one entry for all payments is preferred to one for each." }),
    requestedExecutionDate: day("Requested execution date", "Day to pay on.").optional(),
    acceptorTransactionDateTime: DateTime.optional().meta({
      description: "When the transaction is made at its acceptor (ISO 8601); the time zone may be missing.",
    }),
    payments: z.array(z.object(transfer)).meta({ description: "Each payment, by amount and creditor." }),
    ...readBack,
  })
  .meta({ id: "BulkPayment", description: "A bulk payment as it was initiated, with its status." });

export const PaymentState = z
  .object({
    transactionStatus: TransactionStatus,
    fundsAvailable: z.boolean().optional().meta({
      description: "Whether there was enough money when it was checked; absent where it was not.",
    }),
    psuMessage,
    ownerNames,
    psuName,
    _links: nextLinks,
    tppMessage: tppMessages,
  })
  .meta({ id: "PaymentState", description: "How a payment stands." });

export const CancellationStarted = z
  .object({
    transactionStatus: TransactionStatus,
    ...authorisationFields,
    _links: authorisingLinks.optional(),
  })
  .meta({
    id: "CancellationStarted",
    description: "A payment and what the person needs to authorise its cancellation.",
  });

const initiating = {
  ...attendedHeaders,
  ...psuIdentity,
  "Consent-ID": ConsentId.optional(),
  ...redirect,
  ...decoupled,
  ...explicitAuthorisation,
  "TPP-Rejection-NoFunds-Preferred": z
    .boolean()
    .optional()
    .meta({ title: "Reject without funds", description: "Refuse when funds are missing." }),
  ...brand,
  ...notification,
};

const initiated = json(InitiatedPayment, "The payment is recorded and awaits the person.", createdHeaders);

const resent = { kind: "resent", setting: "replaysByRequestId" } as const;

const operation = section({ server: "xs2a", credentials, errors });

export const getPaymentStatus = operation({
  name: "payments.getStatus",
  tool: "get_payment_status",
  title: "Get payment status",
  summary:
    "Returns the status of a payment: whether the transfer is pending, has left (went out, is executed, processed), was accepted or rejected (refused).",
  effect: "read",
  method: "GET",
  path: "/v1/{payment-service}/{payment-product}/{paymentId}/status",
  parameters: payment,
  headers: {
    ...headers,
    Accept: z
      .enum(["application/json", xml])
      .optional()
      .meta({ title: "Format", description: "pain.001 products: application/xml is pain.002." }),
  },
  responses: {
    200: orText(json(PaymentState, "The status.", responseHeaders), {
      mediaTypes: [xml],
      field: "Accept",
      values: [xml],
    }),
  },
  contract: "P1",
});

export const initiateBulkPayment = operation({
  name: "payments.initiateBulk",
  tool: "initiate_bulk_payment",
  title: "Initiate bulk payment",
  summary:
    "Pays several at once: a batch of SEPA transfers or payment run, as a list with IBANs and amounts or a pain.001 file.",
  notes:
    "For salaries, wages (payroll for staff) or suppliers. A person must authorise it at the link scaRedirect or scaOAuth.",
  effect: "money",
  method: "POST",
  path: "/v1/bulk-payments/{payment-product}",
  parameters: product,
  headers: initiating,
  body: NewBulkPayment,
  document: pain001,
  rules: [...productRules, bulkInJson()],
  responses: { 201: initiated },
  identifiedBy: "paymentId",
  commits: { paths: ["payments.*.instructedAmount"] },
  knownBy: ["requestedExecutionDate"],
  recovery: resent,
  contract: "P2",
});

export const startPaymentAuthorisation = operation({
  name: "payments.startAuthorisation",
  tool: "start_payment_authorisation",
  title: "Start payment authorisation",
  summary:
    "Lets a person authorise (sign) a payment or its cancellation: begins (starts) strong customer authentication (SCA, two-factor step).",
  effect: "money",
  method: "POST",
  path: "/v1/{payment-service}/{payment-product}/{paymentId}/{payment-authorisation}",
  parameters: authorisations,
  headers: { ...headers, ...psuIdentity, ...redirect, ...notification },
  body: emptyBody,
  responses: { 201: authorisationStarted },
  identifiedBy: "authorisationId",
  lookup: "payments.listAuthorisations",
  contract: "P3",
});

export const listPaymentAuthorisations = operation({
  name: "payments.listAuthorisations",
  tool: "list_payment_authorisations",
  title: "List payment authorisations",
  summary:
    "Lists which authorisations (signatures, sign-offs, SCA attempts) were started so far for a payment (transfer) or its cancellation, by ID.",
  effect: "read",
  method: "GET",
  path: "/v1/{payment-service}/{payment-product}/{paymentId}/{payment-authorisation}",
  parameters: authorisations,
  headers,
  responses: { 200: authorisationIds },
  contract: "P4",
});

export const initiatePayment = operation({
  name: "payments.initiate",
  tool: "initiate_payment",
  title: "Initiate payment",
  summary:
    "Makes (sends) a payment, say 3,000 EUR from you to a supplier: pays (settles) invoices, bills, vendors, employees or rent by SEPA, instant or wire transfer.",
  notes:
    "Sends, remits, transfers or reimburses money, also abroad (international), or sets up a standing order (recurring). A person must authorise it at the link scaRedirect or scaOAuth.",
  effect: "money",
  method: "POST",
  path: "/v1/{payment-service}/{payment-product}",
  parameters: { "payment-service": PaymentService, ...product },
  headers: initiating,
  body: NewPayment,
  document: pain001OrOrder,
  rules: paymentRules,
  responses: { 201: initiated },
  identifiedBy: "paymentId",
  commits: {
    paths: ["instructedAmount"],
    unless: { "payment-service": ["periodic-payments", "bulk-payments"] },
  },
  knownBy: ["creditorName"],
  recovery: resent,
  contract: "P5",
});

export const cancelPayment = operation({
  name: "payments.cancel",
  tool: "cancel_payment",
  title: "Cancel payment",
  summary:
    "Cancels (stops, recalls, revokes) a pending or scheduled payment, transfer, wire, instruction or standing order before it is executed.",
  effect: "money",
  method: "DELETE",
  path: "/v1/{payment-service}/{payment-product}/{paymentId}",
  parameters: payment,
  headers: { ...headers, ...redirect, ...decoupled, ...explicitAuthorisation },
  responses: {
    202: json(CancellationStarted, "The cancellation must be authorised.", responseHeaders),
    204: empty("The payment is cancelled.", responseHeaders),
  },
  identifiedBy: "transactionStatus",
  lookup: "payments.getStatus",
  contract: "P6",
});

export const getPaymentAuthorisation = operation({
  name: "payments.getAuthorisation",
  tool: "get_payment_authorisation",
  title: "Get payment authorisation",
  summary:
    "Returns the SCA status of an authorisation of a payment (transfer): whether the person has completed it (signed it off, confirmed), or it still waits.",
  effect: "read",
  method: "GET",
  path: "/v1/{payment-service}/{payment-product}/{paymentId}/{payment-authorisation}/{authorisation-id}",
  parameters: { ...authorisations, "authorisation-id": AuthorisationId },
  headers,
  responses: { 200: authorisationStatus },
  contract: "P7",
});

export const getPayment = operation({
  name: "payments.get",
  tool: "get_payment",
  title: "Get payment",
  summary:
    "Looks up (pulls up) the details of a single payment (instruction, remittance) as it was initiated (entered): amount, creditor (beneficiary), reference.",
  effect: "read",
  method: "GET",
  path: "/v1/payments/{payment-product}/{paymentId}",
  parameters: { ...itsProduct, paymentId: PaymentId },
  headers,
  responses: { 200: orText(json(Payment, "The payment.", responseHeaders), inXml) },
  contract: "P8",
});

export const getBulkPayment = operation({
  name: "payments.getBulk",
  tool: "get_bulk_payment",
  title: "Get bulk payment",
  summary:
    "Returns a whole batch (bulk, payment run, payroll) as it was sent or uploaded: its status, and all entries (lines) included, such as salaries.",
  effect: "read",
  method: "GET",
  path: "/v1/bulk-payments/{payment-product}/{paymentId}",
  parameters: { ...itsProduct, paymentId: PaymentId },
  headers,
  responses: { 200: orText(json(BulkPayment, "The payment.", responseHeaders), inXml) },
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
