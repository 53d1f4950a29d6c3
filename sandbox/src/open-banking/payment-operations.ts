/** Payment initiation. Contract: payment initiation, rows 1 to 9. */
import type { OperationValues } from "@fxdesk/toolkit/operations";
import { minorUnits } from "@fxdesk/toolkit/formats";
import { Big } from "big.js";
import type { BehavioursOf, Call, Declared } from "../behaviour";
import type { Result, ResultOf } from "../result";
import { json } from "../http";
import { DomainError } from "../world/domain-error";
import type { Account } from "../world/accounts/account";
import { largest, written } from "../world/money/currencies";
import { addDays, dayOf } from "../world/calendar/days";
import type { PaymentSystem } from "../world/calendar/systems";
import { typeFor } from "./accept";
import {
  authorisationList,
  authorisationOfNew,
  authorisationStarted,
  authorisationStatus,
  checkBeginning,
  link,
} from "./authorisation";
import type { Decision } from "../world/open-banking/decision";
import {
  type Asked,
  askedInJson,
  askedInXml,
  type Initiation,
  type NewTransfer,
  orderIn,
} from "./initiation";
import { type Pain001, readPain001 } from "../world/open-banking/pain001";
import { pain002 } from "./pain002";
import {
  isUnauthorised,
  type Payment,
  type PaymentTerms,
  totalOf,
  type Transfer,
} from "../world/open-banking/payment";
import { cancel, hasFunds, initiate, isPayable } from "../world/open-banking/paying";
import { type AccountReference, referredTo } from "../world/open-banking/references";
import { productViolation, systemFor } from "../world/open-banking/products";
import { once } from "./repeats";
import { dayFrom, type StandingOrder } from "../world/open-banking/standing-order";

const pathOf = ({ service, product, paymentId }: Payment) => `/v1/${service}/${product}/${paymentId}`;

interface Named {
  readonly "payment-service": string;
  readonly "payment-product": string;
  readonly paymentId: string;
}

/** The client's payment with an id, at the service and product it was initiated with. */
function paymentOf({ client, world }: Pick<Call, "client" | "world">, named: Named): Payment {
  const payment = world.openBanking.payments.get(named.paymentId);
  const isIt =
    payment?.client === client &&
    payment.service === named["payment-service"] &&
    payment.product === named["payment-product"];
  if (!isIt) throw new DomainError("resource-unknown", "There is no such payment.", named.paymentId);
  return payment;
}

/** Decimals as they are written: 1.500 has three. */
const decimalsIn = (amount: string) => (amount.split(".")[1] ?? "").length;

/** By what else the standard lets an account be named: no account that the sandbox can pay to has one. */
const otherIdentifiers = ["pan", "maskedPan", "msisdn", "other"] as const;

/** Refuses an account that money cannot be paid to. `field` is what the caller calls it. */
function checkCreditorAccount(account: NewTransfer["creditorAccount"], field: string): void {
  if (account.iban !== undefined || account.bban !== undefined) return;
  const others = otherIdentifiers.filter((name) => account[name] !== undefined);
  if (others.length === 0) throw new DomainError("format-error", `${field} needs an iban or a bban.`);
  const message = `${field} must be an iban or a bban: the sandbox pays to no ${others.join(", ")}.`;
  throw new DomainError("parameter-not-supported", message);
}

function checkCreditorAccounts(service: string, transfers: readonly NewTransfer[]): void {
  for (const [index, { creditorAccount }] of transfers.entries())
    checkCreditorAccount(
      creditorAccount,
      service === "bulk-payments" ? `payments.${index}.creditorAccount` : "creditorAccount",
    );
}

function transferFrom(values: NewTransfer, product: string, currency: string): Transfer {
  const { instructedAmount, creditorAccount, creditorName } = values;
  const amount = new Big(instructedAmount.amount);
  if (amount.lte(0)) throw new DomainError("format-error", "The amount must be more than nothing.");
  if (decimalsIn(instructedAmount.amount) > minorUnits(instructedAmount.currency))
    throw new DomainError(
      "format-error",
      `The amount has more decimals than ${instructedAmount.currency}.`,
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
    endToEndIdentification: values.endToEndIdentification,
    remittanceInformationUnstructured: values.remittanceInformationUnstructured,
  };
}

/** Refuses an order that never pays. */
function checkDays(order: StandingOrder, system: PaymentSystem): void {
  if (dayFrom(order, system, 0) === undefined)
    throw new DomainError(
      "execution-date-invalid",
      "There is no day of execution from startDate to endDate.",
      "Their days are those of frequency, dayOfExecution and monthsOfExecution.",
    );
}

function checkTotal(transfers: readonly Transfer[], currency: string): void {
  const total = totalOf({ transfers });
  if (total.gt(largest(currency)))
    throw new DomainError(
      "format-error",
      "The total is more than a statement can carry.",
      `${written(total, currency)} ${currency}`,
    );
}

/** How far ahead a payment can be asked for. */
const mostDaysAhead = 365;

/** No payment is made in the past, or begins later than a year from now. */
function checkDay(day: string | undefined, today: string): void {
  if (day !== undefined && (day < today || day > addDays(today, mostDaysAhead)))
    throw new DomainError("execution-date-invalid", "The day of execution is not within a year.", day);
}

function debtorAccount({ client, world }: Call<Initiation>, reference: AccountReference): Account {
  const account = referredTo(world.accountsOf(client), reference);
  if (!account)
    throw new DomainError("reference-unknown", "The client has no such account.", JSON.stringify(reference));
  return account;
}

/** In a bulk, what cannot be paid is left for the execution to reject. */
function checkPayable(service: string, transfers: readonly Transfer[]): void {
  const wrong = transfers.find(({ creditorAccount }) => !isPayable(creditorAccount));
  if (wrong && service !== "bulk-payments")
    throw new DomainError("format-error", "The creditor's IBAN is not one.", wrong.creditorAccount.iban);
}

/** The body as the caller wrote it. */
const contentOf = ({ operation, values }: Call<Initiation>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(values).filter(([name]) => name in operation.body!.shape));

/** The time asked for. A standing order has none: that of its document says nothing, and JSON may not ask for one. */
function timeAsked(
  { requestedAt }: Pick<Asked, "requestedAt">,
  order: StandingOrder | undefined,
  document: Pain001 | undefined,
): Date | undefined {
  if (!order) return requestedAt;
  if (requestedAt && !document)
    throw new DomainError("format-error", "A periodic payment has startDate, and no day or time requested.");
  return undefined;
}

/** What is asked for, or a DomainError of what cannot be done. */
function termsOf(call: Call<Initiation>, service: string): PaymentTerms {
  const { values, client, world } = call;
  const product = values["payment-product"];
  const document = values.pain001 === undefined ? undefined : readPain001(values.pain001);
  const { asBatch, ...asked } = document ? askedInXml(document, service) : askedInJson(values);
  const account = debtorAccount(call, asked.debtorAccount);
  checkCreditorAccounts(service, asked.transfers);
  const transfers = asked.transfers.map((each) => transferFrom(each, product, account.currency));
  checkTotal(transfers, account.currency);
  checkPayable(service, transfers);
  const order = service === "periodic-payments" ? orderIn(values) : undefined;
  const requestedAt = timeAsked(asked, order, document);
  if (order) checkDays(order, systemFor(product, account.currency));
  checkDay(order?.startDate ?? (requestedAt && dayOf(requestedAt)), dayOf(world.now));
  const rejectWithoutFunds = values["TPP-Rejection-NoFunds-Preferred"] === true;
  const content = contentOf(call);
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

/** Begins a payment. The same call made again begins nothing. */
function initiated(call: Call<Initiation>, service: string) {
  const { "payment-product": product, pain001 } = call.values;
  return once(call, { service, product, pain001, ...contentOf(call) }, () => {
    checkBeginning(call, call.world.openBanking.signatories);
    const payment = initiate(call.world, termsOf(call, service));
    const { status: transactionStatus, paymentId } = payment;
    const { headers, _links } = authorisationOfNew(call, pathOf(payment), payment.initiation);
    return { status: 201, headers, body: { transactionStatus, paymentId, _links } } as const;
  });
}

const xml = "application/xml";

/** As it was initiated: the operation that reads it documents what the one that initiates it has taken. */
function readBack<Name extends "payments.get" | "payments.getBulk">(
  call: Pick<Call, "client" | "request" | "world">,
  named: Named,
): ResultOf<Declared<Name>> {
  const { document, content, status } = paymentOf(call, named);
  const type = typeFor(call, [document ? xml : json]);
  const result: Result = document
    ? { status: 200, asText: type, body: document.text }
    : { status: 200, body: { ...content, transactionStatus: status } };
  return result as ResultOf<Declared<Name>>;
}

function statusOf(call: Call<Named>) {
  const { world } = call;
  const payment = paymentOf(call, call.values);
  const { document, status } = payment;
  if (typeFor(call, document ? [json, xml] : [json]) === xml)
    return { status: 200, asText: xml, body: pain002(payment, document!, world.now) } as const;
  const funds = status === "ACTC" && { fundsAvailable: hasFunds(world, payment) };
  return { status: 200, body: { transactionStatus: status, ...funds } } as const;
}

interface Authorised extends Named {
  readonly "payment-authorisation": OperationValues["payments.getAuthorisation"]["payment-authorisation"];
}

function decisionOf(call: Call<Authorised>): { readonly decision: Decision; readonly list: string } {
  const kind = call.values["payment-authorisation"];
  const payment = paymentOf(call, call.values);
  const { initiation, cancellation } = payment;
  return {
    decision: { authorisations: initiation, "cancellation-authorisations": cancellation }[kind],
    list: `${pathOf(payment)}/${kind}`,
  };
}

export const payments: BehavioursOf<"payments"> = {
  "payments.getStatus": statusOf,

  "payments.initiateBulk": (call) => initiated(call, "bulk-payments"),

  "payments.startAuthorisation": (call) => {
    const { decision, list } = decisionOf(call);
    return authorisationStarted(call, list, decision);
  },

  "payments.listAuthorisations": (call) => authorisationList(call.world, decisionOf(call).decision),

  "payments.initiate": (call) => initiated(call, call.values["payment-service"]),

  "payments.cancel": (call) => {
    const payment = paymentOf(call, call.values);
    if (isUnauthorised(payment)) {
      cancel(call.world, payment);
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

  "payments.getAuthorisation": (call) => authorisationStatus(call, decisionOf(call).decision),

  "payments.get": (call) => readBack<"payments.get">(call, { ...call.values, "payment-service": "payments" }),

  "payments.getBulk": (call) =>
    readBack<"payments.getBulk">(call, { ...call.values, "payment-service": "bulk-payments" }),
};
