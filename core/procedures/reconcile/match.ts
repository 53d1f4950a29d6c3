/** Matching of payments with expected items. Deterministic and independent of the order of the lists. */
import { dayMs } from "../../calendars/days";
import { byText, groupBy } from "../../values/lists";
import { findCombinations, isSignificantSum, maxAmounts, maxParts } from "./combinations";
import {
  amountKey,
  type AnyComparable,
  byItemNumber,
  type ComparableItem,
  type ComparablePayment,
  Comparison,
  earliestFirst,
  indexByParty,
  type Item,
  type Payment,
  total,
} from "./comparison";
import { type Candidate, collectEvidence, type Evidence, findCandidates } from "./evidence";
import { compareParties, hasLetters, isDistinctive, referencePattern } from "./names";

interface MatchingRules {
  /** Maximum fee by which a credit may be lower, or a debit higher, than expected. */
  readonly feeTolerance: string;
  /** Maximum number of days between item and payment, if no reference matches. */
  readonly days: number;
}

export interface Match {
  readonly kind: "one to one" | "in parts" | "several at once" | "paid in part";
  readonly confidence: "certain" | "likely";
  readonly items: readonly Item[];
  readonly payments: readonly Payment[];
  readonly evidence: Evidence;
}

export interface Matching {
  readonly matches: readonly Match[];
  readonly openItems: readonly {
    readonly item: Item;
    /** Unpaid amount, signed decimal text. */
    readonly open: string;
    /** The best candidates, at most three. */
    readonly candidates: readonly Candidate[];
  }[];
  readonly openPayments: readonly {
    readonly payment: Payment;
    /** Transaction ID of the payment that it seems to repeat. */
    readonly repeats?: string;
  }[];
  /** Parties with too many amounts to try combinations. */
  readonly untried: readonly string[];
}

/** Earlier payments may have the same reference by chance. */
const maxDaysBefore = 366;

/** A possible match of payments with items. */
interface Explanation {
  readonly kind: Match["kind"];
  readonly items: readonly ComparableItem[];
  readonly payments: readonly ComparablePayment[];
}

/** True if a payment of the item's currency and direction names it. */
const isNamed = (item: ComparableItem, paid: ComparablePayment): boolean =>
  item.currencyDirection === paid.currencyDirection && paid.names.has(item);

const isUndecided = ({ state }: AnyComparable): boolean => state === "undecided";

function markAmbiguous(all: Iterable<AnyComparable>): void {
  for (const each of all) if (each.state === "undecided") each.state = "ambiguous";
}

/** Yields connected groups of items and the payments that name them. */
function* groupByNames(all: readonly ComparableItem[]) {
  const seen = new Set<ComparableItem>();
  for (const first of all) {
    if (seen.has(first)) continue;
    const [items, payments] = [new Set([first]), new Set<ComparablePayment>()];
    for (const item of items)
      for (const paid of item.namedBy)
        if (isNamed(item, paid)) {
          payments.add(paid);
          for (const other of paid.names) if (isNamed(other, paid)) items.add(other);
        }
    for (const item of items) seen.add(item);
    if (payments.size > 0)
      yield { items: [...items].toSorted(byItemNumber), payments: [...payments].toSorted(earliestFirst) };
  }
}

/** True if a payment names a reference that is not the item's. */
function namesOther(
  { reference }: ComparableItem,
  { namesUnknownReference, numbers }: ComparablePayment,
): boolean {
  if (namesUnknownReference) return true;
  const pattern = referencePattern(reference);
  const isOther = (number: string) => number.replace(" ", "") !== reference.replace(" ", "");
  return (
    !hasLetters(pattern) && numbers.some((number) => referencePattern(number) === pattern && isOther(number))
  );
}

/** True if a payment contains another number with the pattern of the items' references. */
function hasOtherNumber(items: readonly ComparableItem[], { numbers, names }: ComparablePayment): boolean {
  const named = new Set([...names].map(({ reference }) => reference));
  const patterns = new Set(items.map(({ reference }) => referencePattern(reference)));
  return numbers.some((number) => patterns.has(referencePattern(number)) && !named.has(number));
}

/** True if a later return without a matching payment names the item: it may return a part. */
const mayBeReturned = (item: ComparableItem, payments: readonly ComparablePayment[]): boolean =>
  item.namedByReturns.some(
    (back) =>
      back.value.isReturn &&
      back.currencyDirection !== item.currencyDirection &&
      !back.counterpart &&
      payments.some(({ value }) => value.date <= back.value.date),
  );

class Matcher {
  readonly #comparison: Comparison;
  readonly #items: readonly ComparableItem[];
  readonly #payments: readonly ComparablePayment[];
  readonly #matches: Match[] = [];
  readonly #untried = new Set<string>();

  constructor(
    items: readonly Item[],
    payments: readonly Payment[],
    private readonly rules: MatchingRules,
  ) {
    this.#comparison = new Comparison(items, payments, rules.feeTolerance);
    this.#items = this.#comparison.items;
    this.#payments = this.#comparison.payments;
  }

  match(): Matching {
    for (const { items, payments } of groupByNames(this.#items)) this.#matchGroup(items, payments);
    this.#matchUnnamed();
    this.#matchCombinations();
    this.#matchPartPayments();
    const open = [
      ...this.#payments.filter(({ state }) => state !== "matched"),
      ...this.#comparison.nonPaying,
    ];
    return {
      matches: this.#matches.toSorted(({ items: [one] }, { items: [other] }) => one!.item - other!.item),
      openItems: this.#openItems(open.filter(({ value }) => !value.isReturn)),
      openPayments: open.toSorted(earliestFirst).map(({ value: payment, repeats }) => ({
        payment,
        ...(repeats && { repeats: repeats.value.transaction_id }),
      })),
      untried: [...this.#untried].toSorted(byText),
    };
  }

  // Matching by reference.

  #matchGroup(items: readonly ComparableItem[], payments: readonly ComparablePayment[]): void {
    const nameAll = payments.every((paid) => items.every((item) => paid.names.has(item)));
    const areOneReference = items.every(({ reference }) => reference === items[0]!.reference);
    if (items.length === 1) this.#matchSingleItem(items[0]!, payments);
    else if (areOneReference) this.#matchByAmount(items, payments);
    else if (nameAll) this.#matchSeveralItems(items, payments);
    else markAmbiguous([...items, ...payments]);
  }

  /** Matches payments that all name one item. */
  #matchSingleItem(item: ComparableItem, payments: readonly ComparablePayment[]): void {
    const items = [item];
    const unsure = item.maybeNamedBy.filter((paid) => this.#mayPay(item, paid));
    if (unsure.length > 0) return markAmbiguous([item, ...payments, ...unsure]);
    const kind = payments.length === 1 ? "one to one" : "in parts";
    const paid = total(payments);
    if (paid === item.units) this.#accept({ kind, items, payments });
    else if (this.#matchFirst("one to one", items, payments)) return;
    else if (this.#comparison.isFee(item.units, payments)) this.#accept({ kind, items, payments });
    else if (paid > item.units && payments.length > 1) this.#matchSubset(item, payments);
  }

  /** Selects a subset if payments of more than the item's amount name it. */
  #matchSubset(item: ComparableItem, payments: readonly ComparablePayment[]): void {
    const parts = payments.length > maxAmounts ? [] : findCombinations(payments, item.units, 2);
    if (parts.length === 1) this.#accept({ kind: "in parts", items: [item], payments: parts[0]! }, "likely");
    else markAmbiguous([item, ...payments]);
  }

  /** Matches the first of several payments of the whole amount, with or without a fee. The others are repetitions. */
  #matchFirst(
    kind: Match["kind"],
    items: readonly ComparableItem[],
    payments: readonly ComparablePayment[],
  ): boolean {
    const expected = total(items);
    const exact = payments.filter(({ units }) => units === expected);
    const near =
      exact.length > 0 ? exact : payments.filter((paid) => this.#comparison.isFee(expected, [paid]));
    const [first, second] = near;
    if (!first || payments.length === 1) return false;
    if (second?.value.date === first.value.date) markAmbiguous([...items, ...payments]);
    else if (this.#accept({ kind, items, payments: [first] }, "likely"))
      for (const paid of near.slice(1)) paid.repeats = first;
    return true;
  }

  /** Matches payments that each name the same items. */
  #matchSeveralItems(items: readonly ComparableItem[], payments: readonly ComparablePayment[]): void {
    const kind = "several at once";
    const [expected, paid] = [total(items), total(payments)];
    if (payments.length > 1) {
      if (!this.#matchFirst(kind, items, payments)) markAmbiguous([...items, ...payments]);
    } else if (paid === expected || this.#comparison.isFee(expected, payments))
      this.#accept({ kind, items, payments });
    else if (paid < expected) markAmbiguous([...items, ...payments]);
  }

  /** Matches items with the same reference by amount. */
  #matchByAmount(items: readonly ComparableItem[], payments: readonly ComparablePayment[]): void {
    if (payments.length === 1 && payments[0]!.units === total(items)) {
      this.#accept({ kind: "several at once", items, payments });
      return;
    }
    for (const item of items) {
      const same = payments.filter(({ units }) => units === item.units);
      const isOnly = items.every((other) => other === item || other.units !== item.units);
      if (same.length === 1 && isOnly)
        this.#accept({ kind: "one to one", items: [item], payments: same }, "likely");
    }
    markAmbiguous([...items, ...payments]);
  }

  // Matching without references.

  /** True if a payment is of the item's party and near in time. */
  #isNear(item: ComparableItem, paid: ComparablePayment): boolean {
    return (
      compareParties(item.party, paid.party) === "same" &&
      (item.time === undefined || Math.abs(paid.time! - item.time) <= this.rules.days * dayMs)
    );
  }

  /** True if a payment may pay an item that it does not name: same party, near in time, and no other reference. */
  #mayPay(item: ComparableItem, paid: ComparablePayment): boolean {
    return (
      item.currencyDirection === paid.currencyDirection && this.#isNear(item, paid) && !namesOther(item, paid)
    );
  }

  /** Matches one payment with one item by party and amount, if the pair is unique. */
  #matchUnnamed(): void {
    const unnamed = this.#payments.filter((paid) => paid.names.size === 0 && isUndecided(paid));
    const byAmount = groupBy(unnamed, amountKey);
    const pairs = this.#items
      .filter((item) => isUndecided(item) && item.namedBy.length === 0)
      .map((item) => ({
        kind: "one to one" as const,
        items: [item],
        payments: (byAmount.get(amountKey(item)) ?? []).filter((paid) => this.#mayPay(item, paid)),
      }))
      .filter(({ payments }) => payments.length > 0);
    this.#acceptUnique(pairs, ({ payments }) => payments.length === 1);
  }

  /** Matches combinations with the right sum, if no other explanation uses the same items or payments. */
  #matchCombinations(): void {
    const doubtful = new Set<AnyComparable>();
    const items = this.#items.filter(isUndecided);
    const payments = this.#payments.filter(isUndecided);
    const [itemsFor, paymentsFor] = [indexByParty(items), indexByParty(payments)];
    const found = [
      ...payments.flatMap((paid) => this.#severalAtOnce(paid, itemsFor(paid), doubtful)),
      ...items.flatMap((item) => this.#inParts(item, paymentsFor(item), doubtful)),
    ];
    this.#acceptUnique(found, (each) => ![...each.items, ...each.payments].some((one) => doubtful.has(one)));
    markAmbiguous(doubtful);
  }

  /** Accepts explanations whose items and payments appear in no other one. The others are ambiguous. */
  #acceptUnique(all: readonly Explanation[], isAcceptable: (each: Explanation) => boolean): void {
    const uses = groupBy<AnyComparable, AnyComparable>(
      all.flatMap(({ items, payments }) => [...items, ...payments]),
      (used) => used,
    );
    for (const each of all) {
      const used = [...each.items, ...each.payments];
      if (isAcceptable(each) && used.every((one) => uses.get(one)!.length === 1)) this.#accept(each);
      else markAmbiguous(used);
    }
  }

  /** Finds items that one payment pays together: those it names, and others of the same party. */
  #severalAtOnce(
    paid: ComparablePayment,
    items: readonly ComparableItem[],
    doubtful: Set<AnyComparable>,
  ): Explanation[] {
    const named = [...paid.names];
    const isClear =
      !paid.namesUnknownReference && named.every((item) => isNamed(item, paid) && isUndecided(item));
    if (!isClear) return [];
    const mayPayToo = (item: ComparableItem) =>
      named.length === 0 ? this.#mayPay(item, paid) : !paid.names.has(item) && this.#isNear(item, paid);
    const others = items.filter((item) => item.namedBy.length === 0 && mayPayToo(item));
    return this.#sums(paid, named, others, doubtful).map((all) => ({
      kind: "several at once",
      items: all.toSorted(byItemNumber),
      payments: [paid],
    }));
  }

  /** Finds payments that pay one item together: those that name it, and others of the same party without a reference. */
  #inParts(
    item: ComparableItem,
    payments: readonly ComparablePayment[],
    doubtful: Set<AnyComparable>,
  ): Explanation[] {
    const named = item.namedBy.filter((paid) => isNamed(item, paid));
    if (!named.every((paid) => isUndecided(paid) && paid.names.size === 1)) return [];
    const others = payments.filter((paid) => paid.names.size === 0 && this.#mayPay(item, paid));
    return this.#sums(item, named, others, doubtful).map((all) => ({
      kind: "in parts",
      items: [item],
      payments: all.toSorted(earliestFirst),
    }));
  }

  /**
   * Finds combinations with the sum of `whole` that contain all of `needed`. Adds ambiguous or insignificant ones to
   * `doubtful`.
   */
  #sums<T extends AnyComparable>(
    whole: AnyComparable,
    needed: readonly T[],
    others: readonly T[],
    doubtful: Set<AnyComparable>,
  ): T[][] {
    const rest = whole.units - total(needed);
    if (rest <= 0n || needed.length + others.length < 2 || others.length === 0) return [];
    if (others.length > maxAmounts) {
      this.#untried.add(whole.party!.name);
      return [];
    }
    const [minCount, maxCount] = [Math.max(1, 2 - needed.length), maxParts - needed.length];
    const found = findCombinations(others, rest, minCount, maxCount);
    if (found.length === 1 && isSignificantSum(others, rest, minCount, maxCount))
      return [[...needed, ...found[0]!]];
    if (found.length > 0) for (const each of [whole, ...needed, ...found.flat()]) doubtful.add(each);
    return [];
  }

  /** Matches payments that name an item but pay only a part. The remainder stays open. */
  #matchPartPayments(): void {
    for (const item of this.#items) {
      const payments = item.namedBy.filter((paid) => isNamed(item, paid));
      const paid = total(payments);
      const isClear =
        isUndecided(item) && payments.every((each) => isUndecided(each) && each.names.size === 1);
      const isSame = payments.every(
        (each) => !each.namesUnknownReference && compareParties(item.party, each.party) !== "different",
      );
      if (payments.length === 0 || !isClear || !isSame || paid >= item.units) continue;
      item.remainder = item.units - paid;
      this.#accept({ kind: "paid in part", items: [item], payments });
    }
  }

  // Results.

  /**
   * Records a match. A payment of another party, or with an unknown reference, is accepted only if the amount is exact.
   * Returns false if it was not accepted.
   */
  #accept({ kind, items, payments }: Explanation, confidence?: Match["confidence"]): boolean {
    const evidence = collectEvidence(this.#comparison, items, payments);
    const isForeign = evidence.party === "different" || payments.some((paid) => paid.namesUnknownReference);
    if (isForeign && evidence.difference !== undefined) {
      markAmbiguous([...items, ...payments]);
      return false;
    }
    const isCertain =
      evidence.reference === "named" &&
      evidence.difference === undefined &&
      !isForeign &&
      !payments.some((paid) => hasOtherNumber(items, paid)) &&
      (evidence.days ?? 0) >= -maxDaysBefore &&
      items.every((item) => isDistinctive(item.reference) && !mayBeReturned(item, payments));
    this.#matches.push({
      kind,
      confidence: confidence ?? (isCertain ? "certain" : "likely"),
      items: items.map(({ value }) => value),
      payments: payments.map(({ value }) => value),
      evidence,
    });
    for (const each of [...items, ...payments]) each.state = "matched";
    return true;
  }

  /** Returns the open items with their candidates among the open payments. */
  #openItems(payments: readonly ComparablePayment[]): Matching["openItems"] {
    const byAmount = groupBy(payments, amountKey);
    const paymentsFor = indexByParty(payments);
    return this.#items
      .filter(({ state, remainder }) => state !== "matched" || remainder !== undefined)
      .map((item) => {
        const open = item.remainder ?? item.units;
        const near = new Set([
          ...item.namedBy.filter(({ state }) => state !== "matched"),
          ...item.namedByReturns.filter(({ value, counterpart }) => !value.isReturn && counterpart),
          ...(byAmount.get(amountKey(item)) ?? []),
          ...paymentsFor(item),
        ]);
        return {
          item: item.value,
          open: this.#comparison.formatUnits(item.value.amount.startsWith("-") ? -open : open),
          candidates: item.remainder === undefined ? findCandidates(this.#comparison, item, [...near]) : [],
        };
      });
  }
}

/**
 * Matches payments with items: one to one, in parts, several at once, less a fee, or partly paid. A match is `certain` if the
 * payments name the references and the amounts are exact, otherwise `likely`. If several explanations are possible, none is
 * chosen and the items get candidates. Every payment and item is in at most one match.
 *
 * Combinations have at most 5 parts out of at most 12 amounts of a party; `untried` names parties with more. Returned
 * payments and their returns pay nothing and stay open.
 */
export const matchPayments = (
  items: readonly Item[],
  payments: readonly Payment[],
  rules: MatchingRules,
): Matching => new Matcher(items, payments, rules).match();
