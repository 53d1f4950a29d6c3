/** Payment initiation. Contract: payment initiation, rows 1 to 9. */
import type { Call, Result, BehavioursOf, Declared, ResultOf } from "../calls/behaviour";
import { DomainError } from "../world/common/domain-error";
import { dayMs, addDays, dayOf, type PaymentSystem, paymentSystemOf } from "@fxdesk/toolkit/calendars";
import type { OperationValues } from "@fxdesk/toolkit/operations";
import { minorUnits } from "@fxdesk/toolkit/formats";
import { Big } from "big.js";
import { jsonMediaType } from "../http/http";
import { type Account, type AccountReference, findReferencedAccount } from "../world/model/account";
import { maxAmount, formatDecimalAmount } from "../world/money/currencies";
import { negotiateResponseType } from "../calls/responses";
import {
  listAuthorisationsResponse,
  startForNewResource,
  startAuthorisationResponse,
  authorisationStatusResponse,
  assertStartable,
  link,
} from "./authorisation-responses";
import type { Decision } from "../world/model/decision";
import {
  type PaymentInput,
  parseJsonPayment,
  parseXmlPayment,
  type Initiation,
  type GivenTransfer,
  type NewTransfer,
  parseStandingOrder,
} from "./payment-input";
import { type Pain001, readPain001 } from "../world/model/pain001";
import { writePain002 } from "./iso20022";
import {
  isUnauthorised,
  type Payment,
  type PaymentTerms,
  totalOf,
  type Transfer,
  nextExecutionDay,
  type StandingOrder,
} from "../world/model/payment";
import {
  cancelPayment,
  hasSufficientFunds,
  initiatePayment,
  refusalOf,
} from "../world/open-banking/payment-lifecycle";
import { productViolation } from "../world/open-banking/products";

const retentionMs = dayMs;

/**
 * Runs the call, or returns the stored response to the client's first call with the same ID and content. Throws if the
 * ID was used with other content. Refused calls are not stored.
 */
function respondOnce<R extends Result>(
  { values, client, world }: Call<{ readonly "X-Request-ID": string }>,
  content: object,
  respond: () => R,
): R {
  const { rememberedResponses: storedResponses } = world.openBanking;
  const requestId = values["X-Request-ID"].toLowerCase();
  const key = `${client.clientId} ${requestId}`;
  const requestText = JSON.stringify(content);
  const stored = storedResponses.get(key);
  if (stored && stored.asked !== requestText)
    throw new DomainError("format-error", "This X-Request-ID was used for a different request.", requestId);
  if (stored) return stored.result as R;
  const result = respond();
  storedResponses.set(key, { asked: requestText, result });
  world.scheduledEvents.schedule(world.timeAfter(retentionMs), "response-is-forgotten", key);
  return result;
}

const pathOf = ({ service, product, paymentId }: Payment) => `/v1/${service}/${product}/${paymentId}`;

interface PaymentPath {
  readonly "payment-service": string;
  readonly "payment-product": string;
  readonly paymentId: string;
}

/** Returns the client's payment, if service and product match. Throws otherwise. */
function findPayment({ client, world }: Pick<Call, "client" | "world">, path: PaymentPath): Payment {
  const payment = world.openBanking.payments.get(path.paymentId);
  const isMatch =
    payment?.client === client &&
    payment.service === path["payment-service"] &&
    payment.product === path["payment-product"];
  if (!isMatch) throw new DomainError("resource-unknown", "The payment is unknown.", path.paymentId);
  return payment;
}

/** Counts the decimals as written: 1.500 has three. */
const countDecimals = (amount: string) => (amount.split(".")[1] ?? "").length;

/** Other account identifiers of the standard. The sandbox cannot pay to them. */
const otherIdentifiers = ["pan", "maskedPan", "msisdn", "other"] as const;

/** Throws if the creditor account has neither an IBAN nor a BBAN. `field` is its name in the request. */
function assertCreditorAccount(account: NewTransfer["creditorAccount"], field: string): void {
  if (account.iban !== undefined || account.bban !== undefined) return;
  const others = otherIdentifiers.filter((name) => account[name] !== undefined);
  if (others.length === 0) throw new DomainError("format-error", `${field} needs an iban or a bban.`);
  const message = `${field} must be an iban or a bban. The sandbox does not support ${others.join(", ")}.`;
  throw new DomainError("parameter-not-supported", message);
}

function assertCreditorAccounts(service: string, transfers: readonly NewTransfer[]): void {
  for (const [index, { creditorAccount }] of transfers.entries())
    assertCreditorAccount(
      creditorAccount,
      service === "bulk-payments" ? `payments.${index}.creditorAccount` : "creditorAccount",
    );
}

function toTransfer(values: GivenTransfer, product: string, currency: string): Transfer {
  const { instructedAmount, creditorAccount, creditorName } = values;
  const amount = new Big(instructedAmount.amount);
  if (amount.lte(0)) throw new DomainError("format-error", "The amount must be more than zero.");
  if (countDecimals(instructedAmount.amount) > minorUnits(instructedAmount.currency))
    throw new DomainError(
      "format-error",
      `The amount has too many decimals for ${instructedAmount.currency}.`,
      instructedAmount.amount,
    );
  if (instructedAmount.currency !== currency)
    throw new DomainError("parameter-not-consistent", `The debtor account is in ${currency}.`);
  const violation = productViolation(product, currency, creditorAccount.iban);
  if (violation !== undefined) throw new DomainError("product-invalid", violation, product);
  return {
    amount: { amount, currency },
    creditorName,
    creditorAccount,
    creditorAgent: values.creditorAgent,
    hasIncompleteAddress: values.hasIncompleteAddress,
    endToEndIdentification: values.endToEndIdentification,
    remittanceInformationUnstructured: values.remittanceInformationUnstructured,
  };
}

/** Throws if a standing order has no execution day. */
function assertPays(order: StandingOrder, system: PaymentSystem): void {
  if (nextExecutionDay(order, system, 0) === undefined)
    throw new DomainError(
      "execution-date-invalid",
      "No execution day falls between startDate and endDate.",
      "frequency, dayOfExecution and monthsOfExecution determine the execution days.",
    );
}

function assertTotal(transfers: readonly Transfer[], currency: string): void {
  const total = totalOf({ transfers });
  if (total.gt(maxAmount(currency)))
    throw new DomainError(
      "format-error",
      "The total is too large for a statement.",
      `${formatDecimalAmount(total, currency)} ${currency}`,
    );
}

const maxDaysAhead = 365;

/** Throws if the first execution day is in the past or more than a year ahead. */
function assertExecutionDay(day: string | undefined, today: string): void {
  if (day !== undefined && (day < today || day > addDays(today, maxDaysAhead)))
    throw new DomainError(
      "execution-date-invalid",
      "The execution day must be between today and one year from today.",
      day,
    );
}

function findDebtorAccount({ client, world }: Call<Initiation>, reference: AccountReference): Account {
  const account = findReferencedAccount(world.accountsOf(client), reference);
  if (!account)
    throw new DomainError("reference-unknown", "The client has no such account.", JSON.stringify(reference));
  return account;
}

/** Throws if a transfer can never be paid. In a bulk payment, execution rejects such transfers individually. */
function assertPayable(
  { world }: Pick<Call, "world">,
  service: string,
  transfers: readonly Transfer[],
): void {
  if (service === "bulk-payments") return;
  for (const transfer of transfers) {
    const refusal = refusalOf(world, transfer);
    if (refusal) throw new DomainError("format-error", refusal.text, transfer.creditorAccount.iban);
  }
}

/** Returns the fields of the request body. */
const bodyFieldsOf = ({ operation, values }: Call<Initiation>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(values).filter(([name]) => name in operation.body!.shape));

/** Returns the requested execution time. Standing orders have none: it is ignored in a document and refused in JSON. */
function requestedTime(
  { requestedAt }: Pick<PaymentInput, "requestedAt">,
  order: StandingOrder | undefined,
  document: Pain001 | undefined,
): Date | undefined {
  if (!order) return requestedAt;
  if (requestedAt && !document)
    throw new DomainError(
      "format-error",
      "A periodic payment takes startDate instead of requestedExecutionDate and requestedExecutionTime.",
    );
  return undefined;
}

/** Validates the request and returns the terms of the payment. Throws a DomainError. */
function toPaymentTerms(call: Call<Initiation>, service: string): PaymentTerms {
  const { values, client, world } = call;
  const product = values["payment-product"];
  const document = values.pain001 === undefined ? undefined : readPain001(values.pain001);
  const { asBatch, ...input } = document ? parseXmlPayment(document, service) : parseJsonPayment(values);
  const account = findDebtorAccount(call, input.debtorAccount);
  assertCreditorAccounts(service, input.transfers);
  const transfers = input.transfers.map((each) => toTransfer(each, product, account.currency));
  assertTotal(transfers, account.currency);
  assertPayable(call, service, transfers);
  const order = service === "periodic-payments" ? parseStandingOrder(values) : undefined;
  const requestedAt = requestedTime(input, order, document);
  if (order) assertPays(order, paymentSystemOf(account.currency, product));
  assertExecutionDay(order?.startDate ?? (requestedAt && dayOf(requestedAt)), dayOf(world.now));
  const rejectWithoutFunds = values["TPP-Rejection-NoFunds-Preferred"] === true;
  const content = bodyFieldsOf(call);
  return {
    client,
    service,
    product,
    account,
    transfers,
    order,
    requestedAt,
    asBatch,
    rejectWithoutFunds,
    document,
    content,
  };
}

/** Initiates a payment once per X-Request-ID. */
function initiateOnce(call: Call<Initiation>, service: string) {
  const { "payment-product": product, pain001 } = call.values;
  return respondOnce(call, { service, product, pain001, ...bodyFieldsOf(call) }, () => {
    assertStartable(call, call.world.openBanking.signatories);
    const payment = initiatePayment(call.world, toPaymentTerms(call, service));
    const { status: transactionStatus, paymentId } = payment;
    const { headers, _links } = startForNewResource(call, pathOf(payment), payment.initiation);
    return { status: 201, headers, body: { transactionStatus, paymentId, _links } } as const;
  });
}

const xml = "application/xml";

/** Returns a payment as initiated. The reading operation documents the input of the initiating one, hence the cast. */
function getPayment<Name extends "payments.get" | "payments.getBulk">(
  call: Pick<Call, "client" | "request" | "world">,
  path: PaymentPath,
): ResultOf<Declared<Name>> {
  const { document, content, status } = findPayment(call, path);
  const type = negotiateResponseType(call, [document ? xml : jsonMediaType]);
  const result: Result = document
    ? { status: 200, asText: type, body: document.text }
    : { status: 200, body: { ...content, transactionStatus: status } };
  return result as ResultOf<Declared<Name>>;
}

function getStatus(call: Call<PaymentPath>) {
  const { world } = call;
  const payment = findPayment(call, call.values);
  const { document, status } = payment;
  if (negotiateResponseType(call, document ? [jsonMediaType, xml] : [jsonMediaType]) === xml)
    return { status: 200, asText: xml, body: writePain002(payment, document!, world.now) } as const;
  const funds = status === "ACTC" && { fundsAvailable: hasSufficientFunds(world, payment) };
  return { status: 200, body: { transactionStatus: status, ...funds } } as const;
}

interface AuthorisationPath extends PaymentPath {
  readonly "payment-authorisation": OperationValues["payments.getAuthorisation"]["payment-authorisation"];
}

function findDecision(call: Call<AuthorisationPath>): { readonly decision: Decision; readonly list: string } {
  const kind = call.values["payment-authorisation"];
  const payment = findPayment(call, call.values);
  const { initiation, cancellation } = payment;
  return {
    decision: { authorisations: initiation, "cancellation-authorisations": cancellation }[kind],
    list: `${pathOf(payment)}/${kind}`,
  };
}

export const payments: BehavioursOf<"payments"> = {
  "payments.getStatus": getStatus,

  "payments.initiateBulk": (call) => initiateOnce(call, "bulk-payments"),

  "payments.startAuthorisation": (call) => {
    const { decision, list } = findDecision(call);
    return startAuthorisationResponse(call, list, decision);
  },

  "payments.listAuthorisations": (call) =>
    listAuthorisationsResponse(call.world, findDecision(call).decision),

  "payments.initiate": (call) => initiateOnce(call, call.values["payment-service"]),

  "payments.cancel": (call) => {
    const payment = findPayment(call, call.values);
    if (isUnauthorised(payment)) {
      cancelPayment(call.world, payment);
      return { status: 204 };
    }
    if (payment.status !== "ACTC")
      throw new DomainError(
        "cancellation-invalid",
        "The payment can no longer be cancelled.",
        payment.status,
      );
    payment.cancelling = true;
    const startAuthorisation = link(`${pathOf(payment)}/cancellation-authorisations`);
    return { status: 202, body: { transactionStatus: payment.status, _links: { startAuthorisation } } };
  },

  "payments.getAuthorisation": (call) => authorisationStatusResponse(call, findDecision(call).decision),

  "payments.get": (call) =>
    getPayment<"payments.get">(call, { ...call.values, "payment-service": "payments" }),

  "payments.getBulk": (call) =>
    getPayment<"payments.getBulk">(call, { ...call.values, "payment-service": "bulk-payments" }),
};
