/** Matching of returned payments with their returns. */
import { byText } from "../../values/lists";
import { compactReference, isDistinctive, compareParties, parseParty, findReferences } from "./names";

/** A transaction with the fields that are relevant for returns. */
export interface Movement {
  readonly transaction_id: string;
  readonly account_id?: string | undefined;
  /** Signed decimal text; negative for money out. */
  readonly amount: string;
  readonly currency: string;
  readonly date: string;
  /** Booking time, for the order within a day. */
  readonly booked?: string | undefined;
  readonly counterparty?: string | undefined;
  /** Transaction reference. */
  readonly reference?: string | undefined;
  /** All texts: references and remittance information. */
  readonly texts: readonly string[];
  /** True if it returns an earlier payment. */
  readonly isReturn?: boolean;
}

const negated = (amount: string): string => (amount.startsWith("-") ? amount.slice(1) : `-${amount}`);

/** Returns the key that a payment shares with its return. `amount` is that of the payment. */
const keyOf = ({ account_id, currency }: Movement, amount: string): string =>
  JSON.stringify([account_id, currency, amount]);

/** NaN if the booking time is unknown. */
const bookedAt = ({ booked }: Movement): number => Date.parse(booked ?? "");

const earliestFirst = (one: Movement, other: Movement): number =>
  byText(one.date, other.date) ||
  (bookedAt(one) || 0) - (bookedAt(other) || 0) ||
  byText(one.transaction_id, other.transaction_id);

/** True unless `one` is known to be later. Without booking times, the order within a day is unknown. */
const mayPrecede = (one: Movement, other: Movement): boolean =>
  one.date < other.date || (one.date === other.date && !(bookedAt(one) > bookedAt(other)));

const namesOwnReference = ({ texts }: Movement, reference: string | undefined): boolean => {
  const known = new Map([[compactReference(reference ?? ""), true]]);
  return !known.has("") && texts.some((text) => findReferences(text, known).length > 0);
};

const compareMovementParties = (one: Movement, other: Movement) =>
  compareParties(parseParty(one.counterparty ?? ""), parseParty(other.counterparty ?? ""));

/** True if one names the other's reference. For generic references such as "rent", the parties must not differ. */
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

/** True if the parties match and at least one has no reference. */
const isSameParty = (back: Movement, paid: Movement): boolean =>
  !(back.reference && paid.reference) && compareMovementParties(back, paid) === "same";

/**
 * Returns each returned payment with its return: same account, currency, amount and reference, opposite direction. A
 * return is matched with the latest payment before it. `nameSameItem` is true for two that name one expected item, in whatever words.
 */
export function matchReturns<T extends Movement>(
  movements: readonly T[],
  nameSameItem: (back: T, paid: T) => boolean = () => false,
): ReadonlyMap<T, T> {
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
      before.findLast((each) => namesReference(back, each) || nameSameItem(back, each)) ??
      before.findLast((each) => isSameParty(back, each));
    if (paid) found.set(paid, back);
  }
  return found;
}
