/** Payment initiation. Contract: payment initiation, rows 1 to 9. */
import { Big } from "big.js";
import type { BehavioursOf, Call, Result } from "../behaviour";
import { Refusal } from "../refusal";
import { fits } from "../world/currencies";
import { addDays, dayOf } from "../world/days";
import {
  authorisationList,
  authorisationOfNew,
  authorisationStarted,
  authorisationStatus,
  type Decision,
  link,
} from "./authorisation";
import {
  atExecutionHour,
  cancel,
  hasFunds,
  initiate,
  isPayable,
  type Payment,
  type Transfer,
} from "./payment";
import { referredTo } from "./references";
import type { StandingOrder } from "./standing-order";

type Behaviours = BehavioursOf<"payments">;
type ValuesFor<Name extends keyof Behaviours> = Parameters<Behaviours[Name]>[0]["values"];

/** What initiates a payment, of whatever service. */
type Initiation = Omit<ValuesFor<"payments.initiate">, "payment-service">;
/** What a credit is made from: the body of a single payment, or an element of a bulk. */
type NewTransfer = NonNullable<Initiation["payments"]>[number];

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
  if (!isIt) throw new Refusal(403, "RESOURCE_UNKNOWN", "There is no such payment.", named.paymentId);
  return payment;
}

/** Products that pay in euro, between IBANs. */
const euroProducts = /^(instant-)?sepa-|^target-2-/;

function transferFrom(values: NewTransfer, product: string, currency: string): Transfer {
  const { instructedAmount, creditorAccount, creditorName } = values;
  const amount = new Big(instructedAmount.amount);
  if (amount.lte(0)) throw new Refusal(400, "FORMAT_ERROR", "The amount must be more than nothing.");
  if (!fits(amount, instructedAmount.currency))
    throw new Refusal(400, "FORMAT_ERROR", "The amount has too many digits.", instructedAmount.amount);
  if (instructedAmount.currency !== currency)
    throw new Refusal(400, "PARAMETER_NOT_CONSISTENT", `The debtor account is in ${currency}.`);
  if (euroProducts.test(product) && (currency !== "EUR" || creditorAccount.iban === undefined))
    throw new Refusal(403, "PRODUCT_INVALID", "The product pays euro to an IBAN.", product);
  return {
    amount: { amount, currency },
    creditorName,
    creditorAccount,
    creditorAgent: values.creditorAgent,
    endToEndIdentification: values.endToEndIdentification,
    remittanceInformationUnstructured: values.remittanceInformationUnstructured,
  };
}

function standingOrder(values: Initiation): StandingOrder {
  const { startDate, frequency, monthsOfExecution } = values;
  if (frequency === "MonthlyVariable" && !monthsOfExecution?.length)
    throw new Refusal(400, "FORMAT_ERROR", "MonthlyVariable needs monthsOfExecution.");
  return { ...values, startDate: startDate!, frequency: frequency! };
}

function requestedTime({ requestedExecutionDate: day, requestedExecutionTime: time }: Initiation) {
  if (time !== undefined) return new Date(time);
  return day === undefined ? undefined : atExecutionHour(day);
}

/** How far ahead a payment can be asked for. */
const mostDaysAhead = 365;

/** No payment is made in the past, or begins later than a year from now. */
function checkDay(day: string | undefined, today: string): void {
  if (day !== undefined && (day < today || day > addDays(today, mostDaysAhead)))
    throw new Refusal(400, "EXECUTION_DATE_INVALID", "The day of execution is not within a year.", day);
}

function debtorAccount({ values, client, world }: Call<Initiation>) {
  const account = referredTo(world.accountsOf(client), values.debtorAccount);
  if (!account)
    throw new Refusal(
      400,
      "RESOURCE_UNKNOWN",
      "The client has no such account.",
      JSON.stringify(values.debtorAccount),
    );
  return account;
}

/** The transfers of a payment. In a bulk, what cannot be paid is left for the execution to reject. */
function transfersOf({ values }: Call<Initiation>, product: string, currency: string): Transfer[] {
  if (values.payments) return values.payments.map((each) => transferFrom(each, product, currency));
  const transfer = transferFrom(values as NewTransfer, product, currency);
  if (!isPayable(transfer.creditorAccount))
    throw new Refusal(400, "FORMAT_ERROR", "The creditor's IBAN is not one.", transfer.creditorAccount.iban);
  return [transfer];
}

/** The body as the caller wrote it. */
const contentOf = ({ operation, values }: Call<Initiation>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(values).filter(([name]) => name in operation.body!.shape));

function initiated(call: Call<Initiation>, service: string): Result {
  const { values, client, world } = call;
  const product = values["payment-product"];
  if (product.startsWith("pain.001-"))
    throw new Refusal(404, "PRODUCT_UNKNOWN", "The sandbox takes payments in JSON only.", product);
  const account = debtorAccount(call);
  const transfers = transfersOf(call, product, account.currency);
  const order = service === "periodic-payments" ? standingOrder(values) : undefined;
  const requestedAt = requestedTime(values);
  checkDay(order?.startDate ?? (requestedAt && dayOf(requestedAt)), dayOf(world.now));
  const payment = initiate(world, {
    client,
    service,
    product,
    account,
    transfers,
    order,
    requestedAt,
    asBatch: values.batchBookingPreferred === true,
    rejectWithoutFunds: values["TPP-Rejection-NoFunds-Preferred"] === true,
    content: contentOf(call),
  });
  const { status: transactionStatus, paymentId } = payment;
  const { headers, _links } = authorisationOfNew(call, pathOf(payment), payment.initiation);
  return { status: 201, headers, body: { transactionStatus, paymentId, _links } };
}

function readBack(call: Pick<Call, "client" | "world">, named: Named): Result {
  const { content, status } = paymentOf(call, named);
  return { status: 200, body: { ...content, transactionStatus: status } };
}

interface Authorised extends Named {
  readonly "payment-authorisation": "authorisations" | "cancellation-authorisations";
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

export const payments: Behaviours = {
  "payments.getStatus": (call) => {
    const payment = paymentOf(call, call.values);
    const { status } = payment;
    const funds = status === "ACTC" && { fundsAvailable: hasFunds(call.world, payment) };
    return { status: 200, body: { transactionStatus: status, ...funds } };
  },

  "payments.initiateBulk": (call) => initiated(call, "bulk-payments"),

  "payments.startAuthorisation": (call) => {
    const { decision, list } = decisionOf(call);
    return authorisationStarted(call, list, decision);
  },

  "payments.listAuthorisations": (call) => authorisationList(call.world, decisionOf(call).decision),

  "payments.initiate": (call) => initiated(call, call.values["payment-service"]),

  "payments.cancel": (call) => {
    const payment = paymentOf(call, call.values);
    if (payment.status === "RCVD") {
      cancel(call.world, payment);
      return { status: 204 };
    }
    if (payment.status !== "ACTC")
      throw new Refusal(
        405,
        "CANCELLATION_INVALID",
        "The payment can no longer be cancelled.",
        payment.status,
      );
    payment.cancelling = true;
    const startAuthorisation = link(`${pathOf(payment)}/cancellation-authorisations`);
    return { status: 202, body: { transactionStatus: payment.status, _links: { startAuthorisation } } };
  },

  "payments.getAuthorisation": (call) => authorisationStatus(call, decisionOf(call).decision),

  "payments.get": (call) => readBack(call, { ...call.values, "payment-service": "payments" }),

  "payments.getBulk": (call) => readBack(call, { ...call.values, "payment-service": "bulk-payments" }),
};
