/** Items and payments, prepared for comparison. */
import { Big } from "big.js";
import { byText, groupBy } from "../../values/lists";
import {
  compactReference,
  compareParties,
  findDates,
  findReferenceCandidates,
  findReferences,
  hasLetters,
  isDistinctive,
  namesSubReference,
  type Party,
  parseParty,
  referencePattern,
} from "./names";
import { type Movement, matchReturns } from "./returns";

/** An expected payment, for example of an invoice. */
export interface Item {
  /** Item number in the list, or line number in a file. */
  readonly item: number;
  /** Signed decimal text; negative for money out. */
  readonly amount: string;
  readonly currency: string;
  readonly reference?: string | undefined;
  readonly party?: string | undefined;
  /** Due date. */
  readonly date?: string | undefined;
}

/** A payment or a return. */
export type Payment = Movement;

interface Comparable<T> {
  readonly value: T;
  /** Absolute amount in units of the smallest decimal of all amounts. */
  readonly units: bigint;
  /** Currency and direction. Items and payments match only if both are equal. */
  readonly currencyDirection: string;
  readonly party: Party | undefined;
  /** Date in milliseconds, or undefined. */
  readonly time: number | undefined;
  /** Ambiguous ones have more than one explanation and stay open. */
  state: "undecided" | "ambiguous" | "matched";
}

export interface ComparableItem extends Comparable<Item> {
  /** Compact reference; empty if there is none. */
  readonly reference: string;
  /** Payments that name its reference, of any currency and direction. */
  readonly namedBy: ComparablePayment[];
  /** Payments whose text may be its reference or a date. */
  readonly maybeNamedBy: ComparablePayment[];
  /** Returned payments and returns that name its reference. */
  readonly namedByReturns: ComparablePayment[];
  /** Unpaid part, if it was paid in part. */
  remainder?: bigint;
}

export interface ComparablePayment extends Comparable<Payment> {
  /** Items whose references it names, of any currency and direction. */
  readonly names: ReadonlySet<ComparableItem>;
  /** True if it names a reference with the pattern of the items' but of no item, so it is for something else. */
  readonly namesUnknownReference: boolean;
  /** Numbers that may be references. */
  readonly numbers: readonly string[];
  /** The return of a returned payment, and the reverse. */
  counterpart?: ComparablePayment;
  /** The payment that it seems to repeat. */
  repeats?: ComparablePayment;
}

export type AnyComparable = ComparableItem | ComparablePayment;

export const total = (all: readonly { readonly units: bigint }[]): bigint =>
  all.reduce((sum, { units }) => sum + units, 0n);

export const earliestFirst = (
  { value: one }: ComparablePayment,
  { value: other }: ComparablePayment,
): number => byText(one.date, other.date) || byText(one.transaction_id, other.transaction_id);

export const byItemNumber = ({ value: one }: ComparableItem, { value: other }: ComparableItem): number =>
  one.item - other.item;

export const amountKey = ({ currencyDirection, units }: AnyComparable): string =>
  `${currencyDirection} ${units}`;

/** Returns a function that finds candidates of the same party. They may contain a few others. */
export function indexByParty<T extends AnyComparable>(all: readonly T[]): (each: AnyComparable) => T[] {
  const keysOf = ({ currencyDirection, party }: AnyComparable) =>
    party ? [party.key, party.compact, party.beginning].map((key) => `${currencyDirection} ${key}`) : [];
  const entries = all.flatMap((each) => keysOf(each).map((key) => ({ key, each })));
  const index = groupBy(entries, ({ key }) => key);
  return (wanted) => [
    ...new Set(keysOf(wanted).flatMap((key) => (index.get(key) ?? []).map(({ each }) => each))),
  ];
}

/** The expected amount must be at least this many times the fee. */
const minAmountToFeeRatio = 20n;

/** Prefers items of the named party, because several companies may use the same reference. */
function itemsOfParty(items: readonly ComparableItem[], party: Party | undefined): readonly ComparableItem[] {
  const own = items.filter((item) => compareParties(item.party, party) === "same");
  return own.length > 0 ? own : items;
}

export class Comparison {
  readonly items: readonly ComparableItem[];
  /** Payments without those that were returned. */
  readonly payments: readonly ComparablePayment[];
  /** Returned payments and all returns, which pay nothing. */
  readonly nonPaying: readonly ComparablePayment[];
  readonly #decimals: number;
  readonly #tolerance: bigint;

  constructor(items: readonly Item[], payments: readonly Payment[], feeTolerance: string) {
    const amounts = [...items, ...payments].map(({ amount }) => amount);
    this.#decimals = Math.max(
      ...[...amounts, feeTolerance].map((amount) => amount.split(".")[1]?.length ?? 0),
    );
    this.#tolerance = this.#unitsOf(feeTolerance);
    this.items = items
      .map((value) => ({
        ...this.#toComparable(value, value.party),
        reference: compactReference(value.reference ?? ""),
        namedBy: [],
        maybeNamedBy: [],
        namedByReturns: [],
      }))
      .toSorted(byItemNumber);
    const byReference = groupBy(
      this.items.filter(({ reference }) => reference !== ""),
      ({ reference }) => reference,
    );
    const patterns = new Set(
      [...byReference.keys()].filter(isDistinctive).map(referencePattern).filter(hasLetters),
    );
    const all = payments
      .map((value) => this.#toComparablePayment(value, byReference, patterns))
      .toSorted(earliestFirst);
    const prepared = new Map(all.map((paid) => [paid.value, paid]));
    /** References that may also be dates, as 20260424 for 2026-0424. */
    const itemsByDate = ({ texts }: Payment) =>
      texts.flatMap(findDates).flatMap((date) => byReference.get(date) ?? []);
    const nameSameItem = (back: Payment, paid: Payment): boolean => {
      const [own, others] = [back, paid].map(
        (each) => new Set([...prepared.get(each)!.names, ...itemsByDate(each)]),
      );
      return [...own!].some((item) => others!.has(item));
    };
    for (const [one, other] of matchReturns(payments, nameSameItem)) {
      const [paid, back] = [prepared.get(one)!, prepared.get(other)!];
      paid.counterpart = back;
      back.counterpart = paid;
    }
    const isPaying = ({ value, counterpart }: ComparablePayment) => !value.isReturn && !counterpart;
    this.payments = all.filter(isPaying);
    this.nonPaying = all.filter((paid) => !isPaying(paid));
    for (const paid of this.nonPaying) for (const item of paid.names) item.namedByReturns.push(paid);
    for (const paid of this.payments) {
      for (const item of paid.names) item.namedBy.push(paid);
      for (const item of itemsByDate(paid.value)) if (!paid.names.has(item)) item.maybeNamedBy.push(paid);
    }
  }

  #toComparablePayment(
    value: Payment,
    byReference: ReadonlyMap<string, readonly ComparableItem[]>,
    patterns: ReadonlySet<string>,
  ): ComparablePayment {
    const { texts, counterparty } = value;
    const words = texts.flatMap(findReferenceCandidates);
    const comparable = this.#toComparable(value, counterparty);
    return {
      ...comparable,
      names: new Set(
        texts
          .flatMap((text) => findReferences(text, byReference))
          .flatMap((reference) => itemsOfParty(byReference.get(reference)!, comparable.party)),
      ),
      namesUnknownReference:
        words.some((word) => patterns.has(referencePattern(word)) && !byReference.has(word)) ||
        texts.some((text) => namesSubReference(text, byReference)),
      numbers: words.filter((word) => !hasLetters(referencePattern(word))),
    };
  }

  #toComparable<T extends Item | Payment>(value: T, party: string | undefined): Comparable<T> {
    const { amount, currency, date } = value;
    return {
      value,
      units: this.#unitsOf(amount),
      currencyDirection: `${currency} ${amount.startsWith("-") ? "out" : "in"}`,
      party: party === undefined ? undefined : parseParty(party),
      time: date === undefined ? undefined : Date.parse(date),
      state: "undecided",
    };
  }

  #unitsOf(amount: string): bigint {
    return BigInt(new Big(`${amount}e${this.#decimals}`).abs().toFixed());
  }

  formatUnits(units: bigint): string {
    return new Big(`${units}e-${this.#decimals}`).toFixed(this.#decimals);
  }

  /** True if the difference is a plausible fee: less incoming or more outgoing money than expected. */
  isFee(expected: bigint, payments: readonly ComparablePayment[]): boolean {
    const paid = total(payments);
    const fee = payments[0]!.currencyDirection.endsWith("in") ? expected - paid : paid - expected;
    return fee > 0n && fee <= this.#tolerance && fee * minAmountToFeeRatio <= expected;
  }
}
