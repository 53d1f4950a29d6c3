/**
 * The calls, releases and orders in the recorded stores, and how they came to be. A name describes the case, and
 * is also its key, so that recordings can be read without this file.
 */
import type { Values } from "@fxdesk/toolkit/operations";
import type { PlannedResponse } from "../support/witness-server";
import type { RecordedCall } from "./outcomes";
import { uuid } from "./seeded-calls";

export interface StoredCall extends RecordedCall {
  readonly name: string;
  /** The same call with other terms, which must conflict. */
  readonly otherInput: Values;
  /** Response to its request when the store was recorded. */
  readonly fate: PlannedResponse;
  /** True if nothing was done for the call, so that its key, or its release, is good for one request. */
  readonly isFree: boolean;
}

const sepa = { "payment-product": "sepa-credit-transfers" };
const debtorAccount = { iban: "DE52000000000012345678" };
const credit = (creditorName: string) => ({
  instructedAmount: { currency: "EUR", amount: "12.50" },
  creditorAccount: { iban: "NL13TEST0123456789" },
  creditorName,
});

export const responding = (status: number, body: object = {}): PlannedResponse => ({
  kind: "respond",
  status,
  body: JSON.stringify(body),
  as: "length",
});

const inputs = {
  "trades.book": (name: string, isOther: boolean): Values => ({
    quote_id: `q ${name}`,
    reason: isOther ? "payment_for_goods" : "other",
    ...(!name.includes("without reference") && { reference: `INV ${name}` }),
  }),
  "payments.initiate": (name: string, isOther: boolean): Values => ({
    ...sepa,
    "payment-service": "payments",
    debtorAccount,
    ...credit(isOther ? "Other Supplies" : "Example Supplies"),
    endToEndIdentification: name.slice(0, 35),
  }),
  "payments.initiateBulk": (name: string, isOther: boolean): Values => ({
    ...sepa,
    debtorAccount,
    payments: [{ ...credit(isOther ? "Other Supplies" : "Example Supplies"), endToEndIdentification: name }],
  }),
  // Not a money call, so only its release keeps it from being sent twice, and no journal entry.
  "accountDetails.updateAlias": (name: string, isOther: boolean): Values => ({
    account_details_id: "d-1",
    alias: isOther ? "Other" : name,
  }),
};

const success = (operation: string, name: string): PlannedResponse =>
  responding(operation.startsWith("accountDetails") ? 200 : 201, {
    trade_id: `t ${name}`,
    paymentId: `p ${name}`,
  });

/** The response to the call if it is sent when the recording is replayed. */
export const laterFate = ({ operation, name }: StoredCall): PlannedResponse =>
  success(operation, `${name}, sent later`);

function stored(
  operation: keyof typeof inputs,
  name: string,
  fate: PlannedResponse = success(operation, name),
  isFree = false,
): StoredCall {
  const call = { name, operation, id: uuid(name), fate, isFree };
  const input = inputs[operation](name, false);
  const key = name.includes("without key") ? {} : { key: name };
  return { ...call, ...key, input, otherInput: inputs[operation](name, true) };
}

const free = true;
const reset: PlannedResponse = { kind: "reset" };

/** Calls without a policy, which only the journal knows. */
export const journalCalls: readonly StoredCall[] = [
  stored("payments.initiate", "done"),
  stored("trades.book", "done without key"),
  stored("payments.initiate", "done and erased"),
  stored("payments.initiate", "rejected", responding(422)),
  stored("trades.book", "rejected and erased", responding(409)),
  stored("payments.initiate", "rejected before it was looked at", responding(403), free),
  stored("payments.initiate", "not sent for want of a token", reset, free),
  stored("payments.initiate", "unknown", reset),
  stored("payments.initiate", "unknown after 408", responding(408)),
  stored("trades.book", "unknown booking", reset),
  stored("trades.book", "unknown booking without reference", reset),
  stored("trades.book", "recovered booking", reset),
  stored("trades.book", "resolved as done", reset),
  stored("payments.initiate", "resolved as rejected", reset),
  stored("payments.initiate", "resolved as not-sent", reset, free),
  stored("payments.initiate", "process died before sending", reset, free),
  stored("payments.initiate", "process died after sending", { kind: "silence" }),
];

/** Calls under a policy that requires a release. Those that are free were approved and not sent yet. */
export const releasedCalls: readonly StoredCall[] = [
  stored("payments.initiate", "waiting"),
  stored("payments.initiate", "waiting without key"),
  stored("payments.initiateBulk", "approved by one of two"),
  stored("payments.initiate", "approved", undefined, free),
  stored("payments.initiate", "approved without key", undefined, free),
  stored("payments.initiateBulk", "approved by two", undefined, free),
  stored("trades.book", "approved booking without key", undefined, free),
  stored("payments.initiate", "approved and raced for", undefined, free),
  stored("accountDetails.updateAlias", "approved change", undefined, free),
  stored("accountDetails.updateAlias", "approved change without key and raced for", undefined, free),
  stored("accountDetails.updateAlias", "used change"),
  stored("payments.initiate", "refused"),
  stored("payments.initiate", "cancelled"),
  stored("payments.initiate", "used"),
  stored("trades.book", "used booking without key"),
  stored("payments.initiate", "used and unknown", reset),
  stored("payments.initiate", "used and rejected", responding(422)),
  stored("payments.initiate", "expired while waiting"),
  stored("payments.initiate", "expired after approval"),
];

/** Orders by name, each with the state in which it is recorded. */
export const orders = {
  "order waiting": "waiting",
  "order approved": "released",
  "order refused": "refused",
  "order cancelled": "cancelled",
  "order expired": "expired",
  "order booked": "booked",
  "order unknown": "unknown",
} as const;

export const orderInput = (name: string, valid_until: string) => ({
  trade_type: "spot",
  buy_currency: "USD",
  sell_currency: "EUR",
  fixed_side: "sell" as const,
  amount: "1000",
  worst_rate: "1.05",
  rate_symbol: "EURUSD",
  reason: "other",
  reference: name,
  valid_until,
});

/** A quote that is inside every order. */
export const quote = {
  quote_id: "q order",
  quoted_rate: 1.1,
  quoted_rate_symbol: "EURUSD",
  inverse_rate: 0.909,
  inverse_rate_symbol: "USDEUR",
  buy_amount: 1100,
  buy_currency: "USD",
  sell_amount: 1000,
  sell_currency: "EUR",
  value_date: "2100-01-05",
  book_trade: "",
};

/** A booked order as the service shows it. */
export const trade = (reference: string) => ({
  trade_id: `t ${reference}`,
  trade_type: "spot",
  status: "created",
  buy_currency: "USD",
  buy_amount: 1100,
  sell_currency: "EUR",
  sell_amount: 1000,
  rate: 1.1,
  rate_symbol: "EURUSD",
  parent_trade_id: null,
  order_date: "2026-01-02",
  maturity_date: "2100-01-05",
  beneficiaries: [],
  fee_currency: "EUR",
  fee_amount: 0,
  synthetic: false,
  trade_receipt: "https://example.com/receipt",
  reference,
});
