/** Payments that came back, and what brought each of them back. */
import { compactReference, isDistinctive, compareParties, parseParty, findReferences } from "./names";

/** A movement of money, as far as it tells whether it came back. */
export interface Movement {
  readonly transaction_id: string;
  readonly account_id?: string | undefined;
  /** Signed decimal text; negative for money out. */
  readonly amount: string;
  readonly currency: string;
  readonly date: string;
  /** The time of booking, which orders those of one day. */
  readonly booked?: string | undefined;
  readonly counterparty?: string | undefined;
  /** The one that it carries. */
  readonly reference?: string | undefined;
  /** Whatever it says of itself: references, remittance text. */
  readonly texts: readonly string[];
  /** Whether it brings a payment back, and so is none itself. */
  readonly isReturn?: boolean;
}

const negated = (amount: string): string => (amount.startsWith("-") ? amount.slice(1) : `-${amount}`);

/** Only what has the same can be a payment and its return; `amount` is that of the payment. */
const keyOf = ({ account_id, currency }: Movement, amount: string): string =>
  JSON.stringify([account_id, currency, amount]);

/** NaN where nobody says when. */
const bookedAt = ({ booked }: Movement): number => Date.parse(booked ?? "");

const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

const earliestFirst = (one: Movement, other: Movement): number =>
  byText(one.date, other.date) ||
  (bookedAt(one) || 0) - (bookedAt(other) || 0) ||
  byText(one.transaction_id, other.transaction_id);

/** Of one day, any may have been first where nobody says when they were booked. */
const mayPrecede = (one: Movement, other: Movement): boolean =>
  one.date < other.date || (one.date === other.date && !(bookedAt(one) > bookedAt(other)));

const namesOwnReference = ({ texts }: Movement, reference: string | undefined): boolean => {
  const known = new Map([[compactReference(reference ?? ""), true]]);
  return !known.has("") && texts.some((text) => findReferences(text, known).length > 0);
};

const compareMovementParties = (one: Movement, other: Movement) =>
  compareParties(parseParty(one.counterparty ?? ""), parseParty(other.counterparty ?? ""));

/** Whether one of both names the reference of the other; of one such as "rent" the party must not be another. */
const namesReference = (back: Movement, paid: Movement): boolean =>
  [
    [back, paid],
    [paid, back],
  ].some(
    ([one, other]) =>
      namesOwnReference(one!, other!.reference) &&
      (isDistinctive(compactReference(other!.reference!)) ||
        compareMovementParties(back, paid) !== "different"),
  );

/** Without a reference, of the same party. */
const isSameParty = (back: Movement, paid: Movement): boolean =>
  !(back.reference && paid.reference) && compareMovementParties(back, paid) === "same";

/**
 * The payments that came back, each with its return: of the same account, currency, amount and reference, in the other
 * direction. A return brings back one payment, the last one before it.
 */
export function matchReturns<T extends Movement>(movements: readonly T[]): ReadonlyMap<T, T> {
  const returns = movements.filter(({ isReturn }) => isReturn).toSorted(earliestFirst);
  const payments = new Map<string, T[]>(returns.map((back) => [keyOf(back, negated(back.amount)), []]));
  for (const each of movements.toSorted(earliestFirst))
    if (!each.isReturn) payments.get(keyOf(each, each.amount))?.push(each);
  const found = new Map<T, T>();
  for (const back of returns) {
    const before = payments
      .get(keyOf(back, negated(back.amount)))!
      .filter((paid) => !found.has(paid) && mayPrecede(paid, back));
    const paid =
      before.findLast((each) => namesReference(back, each)) ??
      before.findLast((each) => isSameParty(back, each));
    if (paid) found.set(paid, back);
  }
  return found;
}
