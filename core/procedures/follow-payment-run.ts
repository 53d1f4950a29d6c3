/** payments.followRun: the state of each payment of a run, with the reason in words where one was refused or returned. */
import { z } from "zod";
import { Big } from "big.js";
import { invalidInputError } from "../call/call-errors";
import type { EarlierCall } from "../call/response";
import { addDays, dayOf } from "../calendars";
import { byText } from "../values/lists";
import { existingPaymentProduct, PaymentId } from "../contract/payment-input";
import { json } from "../spec/declare";
import { FormatError } from "../files/format-error";
import { type PaymentStatusReport, readPain002, type ReportedPayment } from "../files/pain002";
import { FxdeskError } from "../spec/errors";
import { accountOperations, selectAccounts } from "./accounts";
import { fetchTransactions, type Transaction, valueDayOf } from "./fetch-all-transactions";
import { paymentStatusMeanings } from "./follow-payment";
import { attempt, type Context, procedure } from "./procedure";
import { currencyField, flagField, optionalTextField, textField } from "./result-fields";
import {
  type EarlierPayment,
  listInitiations,
  namesPayment,
  paymentsOfBody,
  toEarlierPayment,
} from "./payment-run-history";

const name = "payments.followRun";
const daysRead = 90;

const RunPayment = z
  .object({
    payee: textField("Name of the payee."),
    iban: textField("IBAN of the payee."),
    amount: textField("Amount, decimal text."),
    currency: currencyField,
    reference: optionalTextField("Reference, if given."),
    state: z
      .enum(["waiting", "paid", "refused", "returned", "unknown"])
      .describe(
        "`returned`: paid, and the money came back; `unknown`: never send it again before its state is known.",
      ),
    description: textField("State in words, with the reason."),
    code: optionalTextField("Reason code of the bank."),
    returned_by: optionalTextField("Transaction that returned the payment."),
  })
  .meta({ id: "RunPayment", description: "One payment of a run and its state." });

type RunPayment = z.output<typeof RunPayment>;
type State = Pick<RunPayment, "state" | "description" | "code">;

const FollowedRun = z
  .object({
    run: optionalTextField("ID of the run."),
    paymentId: optionalTextField("Payment ID of the bulk payment, once it was initiated."),
    status: textField("Status as the service reports it, or the state of the request."),
    description: textField("State of the whole run in words."),
    final: flagField("True if no state changes any more, except that a paid one may be returned."),
    payments: z.array(RunPayment).describe("The payments of the run."),
    messages: z.array(z.string()).describe("Messages of the service, such as its check of the payees."),
    not_checked: z.array(z.string()).describe("What could not be read, with the reason."),
  })
  .meta({ id: "FollowedRun", description: "A payment run and the state of each payment." });

type FollowedRun = z.output<typeof FollowedRun>;

const toRunPayment = (
  { payee, iban, amount, currency, texts: [reference] }: EarlierPayment,
  state: State,
): RunPayment => ({
  payee,
  iban,
  amount,
  currency,
  ...(reference !== undefined && { reference }),
  ...state,
});

/** States of a request without a payment of the service, in words. */
const requestStates: Readonly<Record<string, State>> = {
  waiting: { state: "waiting", description: "Waits for release by a person. Nothing was sent." },
  released: { state: "waiting", description: "Released and not sent yet." },
  unknown: {
    state: "unknown",
    description:
      "May have been sent, and its outcome is unknown. Do not send it again: search the service for it.",
  },
};
const inProgress = { ...requestStates.unknown!, description: "Being sent now. Do not send it again." };
const unclear: State = {
  state: "unknown",
  description: "The status report does not say for certain which payment each of its statuses is of.",
};
const notSent: State = { state: "refused", description: "Nothing was sent." };

function describeRequest({ state }: EarlierCall): State {
  if (state === "intended" || state === "sent") return inProgress;
  return requestStates[state] ?? notSent;
}

function stateOf(status: string, reported: ReportedPayment | undefined): State {
  const { code, meaning: known, text, action } = reported?.reasons[0] ?? {};
  const unknownCode = code === undefined ? undefined : `Reason ${code}.`;
  const reason = [known ?? unknownCode, text, action].filter(Boolean).join(" ");
  const [meaning = "The status is not in the contract.", waitsFor] = paymentStatusMeanings[status] ?? [];
  const withCode = (state: State["state"], description: string): State => ({
    state,
    description,
    ...(code !== undefined && { code }),
  });
  if (status === "RJCT" || status === "CANC") return withCode("refused", `Not paid. ${reason}`.trim());
  if (status === "ACSC" || status === "ACCC") return withCode("paid", meaning);
  if (status === "PART" || !paymentStatusMeanings[status])
    return withCode("unknown", "The service does not say whether this payment was made.");
  return withCode("waiting", `${meaning} It waits for ${waitsFor}. ${reason}`.trim());
}

/**
 * Finds the reported status of each payment by its end-to-end ID, because reports have an order of their own. `unclear` if a status
 * may be that of the payment, or of another one.
 */
function assignStatuses(
  reported: readonly ReportedPayment[],
  payments: readonly EarlierPayment[],
): readonly (ReportedPayment | "unclear" | undefined)[] {
  const names = ({ endToEndId }: ReportedPayment, { texts }: EarlierPayment) =>
    endToEndId !== undefined && texts.includes(endToEndId);
  const areEqual = reported.every(({ status }) => status === reported[0]?.status);
  if (reported.length === payments.length && areEqual) return reported;
  const named = new Map(reported.map((each) => [each, payments.filter((payment) => names(each, payment))]));
  const isClear = [...named.values()].every(({ length }) => length === 1);
  return payments.map((payment) => {
    const own = reported.filter((each) => named.get(each)!.includes(payment));
    if (own.length === 1 && named.get(own[0]!)!.length === 1) return own[0];
    return own.length === 0 && isClear ? undefined : "unclear";
  });
}

/** Reads a status report; undefined if it cannot be read. */
const readReport = (document: string): Promise<PaymentStatusReport | undefined> =>
  readPain002(document).catch((error: unknown) => {
    if (error instanceof FormatError) return undefined;
    throw error;
  });

/** Reads the transactions since the run, or returns why they are not known. */
async function readTransactions(context: Context) {
  const today = dayOf(new Date());
  return attempt(context, async () => {
    const period = { from: addDays(today, -daysRead), to: today };
    const accounts = await selectAccounts(context.client, {});
    return fetchTransactions(context, accounts, { period, direction: undefined }, (all) => all);
  });
}

/** Returns the transactions of this direction that name a payment, oldest first. */
const matching = (
  transactions: ReadonlySet<Transaction>,
  payment: EarlierPayment,
  direction: string,
): Transaction[] =>
  [...transactions]
    .filter(
      (each) =>
        each.credit_debit_indicator?.toLowerCase() === direction &&
        each.amount.currency === payment.currency &&
        new Big(each.amount.amount).eq(payment.amount) &&
        namesPayment(toEarlierPayment(each), payment),
    )
    .toSorted((one, other) => byText(valueDayOf(one), valueDayOf(other)));

/**
 * Corrects the states by the account: a debit that names a payment paid it, a credit after it returned it. Those before the run or
 * after a further debit belong to other attempts to pay the same.
 */
function withTransactions(
  payments: readonly EarlierPayment[],
  states: readonly State[],
  transactions: readonly Transaction[],
  since: string | undefined,
): RunPayment[] {
  const left = new Set(transactions);
  return payments.map((payment, index) => {
    const state = states[index]!;
    if (state.state !== "paid" && state.state !== "unknown") return toRunPayment(payment, state);
    const [credits, debits] = [matching(left, payment, "credit"), matching(left, payment, "debit")];
    const own = since === undefined ? debits.at(-1) : debits.find((each) => valueDayOf(each) >= since);
    const from = own ? valueDayOf(own) : (since ?? "");
    const next = debits.find((each) => valueDayOf(each) > from && each !== own);
    const back = credits.find(
      (each) => valueDayOf(each) >= from && (!next || valueDayOf(each) <= valueDayOf(next)),
    );
    // No transaction stands for two payments.
    for (const used of [own, back]) if (used) left.delete(used);
    if (back) {
      const returned =
        `returned on ${valueDayOf(back)}. ${back.additional_transaction_information ?? ""}`.trim();
      const isOfAnother = valueDayOf(back) === since && debits.some((each) => valueDayOf(each) < since);
      return {
        ...toRunPayment(
          payment,
          isOfAnother
            ? {
                state: "unknown",
                description: `This payment, or an earlier one of the same, was ${returned}`,
              }
            : { state: "returned", description: `Paid, and ${returned}` },
        ),
        returned_by: back.transaction_id,
      };
    }
    return toRunPayment(
      payment,
      state.state === "unknown" && own
        ? { state: "paid", description: "Paid: the account shows its debit." }
        : state,
    );
  });
}

type Product = z.output<(typeof existingPaymentProduct)["payment-product"]>;

async function readPayments(
  context: Context,
  paymentId: string,
  product: Product,
  { run, at }: { readonly run?: string; readonly at: number | undefined },
): Promise<FollowedRun> {
  const { payments: calls } = context.client;
  const address = { "payment-product": product, paymentId };
  const status = await calls.getStatus({ "payment-service": "bulk-payments", ...address });
  const content = await calls.getBulk(address);
  const payments = paymentsOfBody(typeof content === "string" ? content : JSON.stringify(content)) ?? [];
  const notChecked: string[] =
    payments.length === 0 ? ["not checked: the payments, which cannot be read."] : [];
  const isDocument = product.startsWith("pain.001-");
  const report = isDocument
    ? await attempt(context, () =>
        calls.getStatus({ "payment-service": "bulk-payments", ...address, Accept: "application/xml" }),
      )
    : undefined;
  const read = typeof report === "string" ? await readReport(report) : undefined;
  if (isDocument && !read) notChecked.push("not checked: the status report, which cannot be read.");
  const { transactionStatus } = status;
  const isOfPayment = ({ level }: ReportedPayment) => level === "payment";
  const whole = read?.payments.find((each) => !isOfPayment(each));
  const assigned = assignStatuses(read?.payments.filter(isOfPayment) ?? [], payments);
  const states = assigned.map((own) =>
    own === "unclear" ? unclear : stateOf(own?.status ?? transactionStatus, own ?? whole),
  );
  const transactions = await readTransactions(context);
  const unread =
    transactions instanceof FxdeskError
      ? [transactions.message]
      : transactions.gaps.map(({ reason }) => reason);
  notChecked.push(...unread.map((reason) => `not checked: returned payments: ${reason}`));
  const followed = withTransactions(
    payments,
    states,
    transactions instanceof FxdeskError ? [] : transactions.transactions,
    payments[0]?.executionDate ?? (at === undefined ? undefined : dayOf(at)),
  );
  const count = (state: State["state"]) => followed.filter((each) => each.state === state).length;
  const counts = (["paid", "waiting", "refused", "returned", "unknown"] as const).flatMap((state) =>
    count(state) === 0 ? [] : [`${count(state)} ${state}`],
  );
  const messages = [status.psuMessage, ...(status.tppMessage ?? []).map(({ text }) => text)];
  return {
    ...(run !== undefined && { run }),
    paymentId,
    status: transactionStatus,
    description: `${followed.length} payments: ${counts.join(", ")}.`,
    final: count("waiting") + count("unknown") === 0,
    payments: followed,
    messages: messages.filter((text) => text !== undefined),
    not_checked: notChecked,
  };
}

/** Returns the newest request of a run that the caller may see. Throws InvalidInput if there is none. */
async function findRequest(context: Context, run: string): Promise<EarlierCall> {
  const { calls } = await listInitiations(context, new Date());
  const own = calls.filter(({ key, isOwn }) => isOwn && key === run);
  const [found] = own.toSorted((one, other) => other.at - one.at);
  if (found) return found;
  throw invalidInputError({ name }, [
    { field: "run", message: "is not a run that this connection has requested in the last 90 days" },
  ]);
}

/** Returns when a payment was initiated; undefined if this store does not know. */
async function timeOf(context: Context, paymentId: string): Promise<number | undefined> {
  const found = await listInitiations(context, new Date()).catch(() => undefined);
  return found?.calls.find(({ identity }) => identity === paymentId)?.at;
}

async function followRequest(context: Context, run: string): Promise<FollowedRun> {
  const request = await findRequest(context, run);
  const { state, identity, target, body, at } = request;
  const product = /\/bulk-payments\/([^/?]+)/.exec(target ?? "")?.[1];
  if (state === "done" && identity !== undefined && product !== undefined)
    return readPayments(context, identity, product as Product, { run, at });
  const described = describeRequest(request);
  const payments = paymentsOfBody(body);
  return {
    run,
    status: state,
    description: described.description,
    final: described === notSent,
    payments: (payments ?? []).map((each) => toRunPayment(each, described)),
    messages: [],
    not_checked: payments ? [] : ["not checked: the payments, which the journal no longer has."],
  };
}

export const followRun = procedure({
  name,
  tool: "follow_payment_run",
  title: "Follow payment run",
  icon: "font-awesome/fa-map-signs",
  summary:
    "Returns the state of each payment of a run: waiting, paid, refused with the reason, returned or unknown. For a single payment, use payments.follow.",
  keywords: ["track", "rejected", "returned", "pain.002", "Zahlungslauf verfolgen", "Rückläufer"],
  effect: "read",
  uses: ["payments.getStatus", "payments.getBulk", ...accountOperations, "transactions.list"],
  input: {
    run: z
      .string()
      .min(1)
      .optional()
      .meta({ title: "Run", description: "ID of the run, from payments.initiateRun." }),
    paymentId: PaymentId.optional(),
    "payment-product": existingPaymentProduct["payment-product"].optional(),
  },
  rules: [
    {
      kind: "exactly-one",
      fields: ["run", "paymentId"],
      description: "Exactly one of run and paymentId must be given.",
    },
    {
      kind: "needed-unless",
      fields: ["payment-product"],
      unless: { run: "given" },
      description: "payment-product is required with paymentId.",
    },
  ],
  resultList: "payments",
  output: json(FollowedRun, "The run and the state of each payment."),
  run: async (context, { run, paymentId, "payment-product": product }) =>
    run === undefined
      ? readPayments(context, paymentId!, product!, { at: await timeOf(context, paymentId!) })
      : followRequest(context, run),
});
