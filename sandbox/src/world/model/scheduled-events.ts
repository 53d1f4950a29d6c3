/** Future events in order of time, among them recurring business and planned trades. */
import type { Big } from "big.js";
import type { Account, AccountDetails } from "./account";
import type { Consent } from "./consent";
import type { Decision } from "./decision";
import type { Payment, Transfer } from "./payment";
import type { Trade, TradePayment, Beneficiary } from "./trade";
import type { Counterparty, House, Movement } from "../ledger/ledger";
import type { TradeType, TradePaymentStatus } from "../common/enumerations";

/**
 * Frequent payments from customers or to suppliers. `aDay` is the probability per business day, `typical` the typical
 * amount.
 */
export interface FrequentPayments {
  readonly kind: "receipts" | "payments";
  readonly account: Account;
  readonly aDay: number;
  readonly typical: number;
}

/** A payment on a day of each month, or the next business day. */
export interface MonthlyPayment {
  readonly kind: "monthly";
  readonly account: Account;
  readonly day: number;
  readonly name: string;
  readonly amount: Big;
  /** Prefix of the reference. */
  readonly code: string;
  readonly to: Beneficiary | undefined;
  readonly house: House;
}

/** Monthly interest on the balance of an account. */
export interface Interest {
  readonly kind: "interest";
  readonly account: Account;
  /** Annual rate, as a fraction. */
  readonly rate: string;
}

export type Recurring = FrequentPayments | MonthlyPayment | Interest;

/** An outgoing payment, made only if the balance suffices. */
export interface Outgoing {
  readonly account: Account;
  readonly amount: Big;
  readonly house: House;
  readonly reference: string;
  readonly endToEnd?: true;
  readonly information: string;
  readonly counterparty?: Counterparty | undefined;
}

/** A supplier payment that may be returned. */
export interface SupplierPayment extends Outgoing {
  readonly counterparty: Counterparty;
  /** Time of the return, if any. */
  readonly backAt: Date | undefined;
}

/** Follow-up step of a planned trade. */
export type PlanStep =
  /** Funds a share of the amount sold, if the balance suffices. */
  | { readonly kind: "fund"; readonly share: number }
  /** Allocates a share of the amount bought to a supplier. Default: the rest. */
  | { readonly kind: "set-aside"; readonly share?: number | undefined; readonly status?: TradePaymentStatus }
  /** Draws part of a forward, settling two days later. */
  | { readonly kind: "draw"; readonly amount: number }
  | { readonly kind: "cancel" };

export interface TradePlan {
  readonly type: Exclude<TradeType, "drawdown">;
  readonly buy: string;
  readonly sell: string;
  /** In the currency sold. */
  readonly amount: number;
  readonly bookedOn: string;
  /** Default: the spot date. */
  readonly maturesOn?: string;
  readonly synthetic?: boolean;
  readonly reference?: string;
  readonly afterwards?: readonly (readonly [at: Date, step: PlanStep])[];
}

/** Kinds of events and their arguments. */
export interface EventArguments {
  readonly "trade-matures": [trade: Trade];
  readonly "trade-is-fixed": [trade: Trade];
  readonly "margin-is-watched": [trade: Trade];
  readonly "fee-is-collected": [trade: Trade];
  readonly "quote-is-forgotten": [quoteId: string];
  readonly "beneficiary-is-validated": [trade: Trade, payment: TradePayment];
  readonly "trade-payment-is-executed": [trade: Trade, payment: TradePayment];
  readonly "trade-payment-completes": [trade: Trade, payment: TradePayment];
  readonly "details-are-confirmed": [details: AccountDetails];
  readonly "decision-lapses": [decision: Decision];
  readonly "consent-expires": [consent: Consent];
  readonly "payment-settles": [payment: Payment, daysLeft: number];
  readonly "payment-is-executed": [payment: Payment];
  readonly "transfer-is-returned": [payment: Payment, transfer: Transfer];
  /** `number` counts the execution days of the order, from 0. */
  readonly "standing-order-pays": [payment: Payment, number: number];
  readonly "response-is-forgotten": [key: string];
  readonly "day-begins": [business: readonly Recurring[], day: string];
  readonly "money-comes-in": [account: Account, amount: Big, movement: Omit<Movement, "type" | "endToEnd">];
  readonly "money-goes-out": [outgoing: Outgoing];
  readonly "supplier-is-paid": [payment: SupplierPayment];
  readonly "money-comes-back": [payment: SupplierPayment];
  readonly "interest-is-paid": [interest: Interest, day: string];
  readonly "plan-is-booked": [plan: TradePlan];
  readonly "plan-goes-on": [trade: Trade, step: PlanStep];
}

/** A future event, as plain data so that it can be saved with the rest of the state. */
export type ScheduledEvent = {
  readonly [Kind in keyof EventArguments]: {
    /** Milliseconds since 1970. */
    readonly at: number;
    readonly kind: Kind;
    readonly args: EventArguments[Kind];
  };
}[keyof EventArguments];

/** Pending events and the current time. */
export interface ScheduledEventsState {
  readonly time: Date;
  /** In order of execution. */
  readonly events: readonly ScheduledEvent[];
}

/** Returns the index of the first event after a time. */
function indexAfter(events: readonly ScheduledEvent[], time: number): number {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (events[middle]!.at > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

export class ScheduledEvents {
  readonly #events: ScheduledEvent[];
  #time: Date;

  constructor({ time, events }: ScheduledEventsState = { time: new Date(0), events: [] }) {
    this.#time = time;
    this.#events = [...events];
  }

  get state(): ScheduledEventsState {
    return { time: this.#time, events: this.#events };
  }

  /** Due time of the event being handled, else the time of the last run; never decreases. */
  get time(): Date {
    return this.#time;
  }

  /** Schedules an event. Events with the same time run in the order of scheduling. */
  schedule<Kind extends keyof EventArguments>(time: Date, kind: Kind, ...args: EventArguments[Kind]): void {
    const at = time.getTime();
    this.#events.splice(indexAfter(this.#events, at), 0, { at, kind, args } as ScheduledEvent);
  }

  /** Runs all events due by `until`, including those that they schedule. */
  runUntil(until: Date, handleEvent: (event: ScheduledEvent) => void): void {
    const end = until.getTime();
    while (this.#events.length > 0 && this.#events[0]!.at <= end) {
      const event = this.#events.shift()!;
      if (event.at > this.#time.getTime()) this.#time = new Date(event.at);
      handleEvent(event);
    }
    if (until > this.#time) this.#time = until;
  }
}
