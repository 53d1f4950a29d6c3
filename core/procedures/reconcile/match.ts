/** Matching of payments with expected items. Deterministic and independent of the order of the lists. */
import { findCombinations, isSignificantSum, maxAmounts, maxParts } from "./combinations";
import {
  compactReference,
  findDates,
  hasLetters,
  isDistinctive,
  compareParties,
  type PartyComparison,
  mayBeTruncated,
  namesSubReference,
  type Party,
  parseParty,
  findReferences,
  referencePattern,
  findReferenceCandidates,
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

export interface MatchingRules {
  /** Maximum fee by which a credit may be lower, or a debit higher, than expected. */
  readonly feeTolerance: string;
  /** Maximum number of days between item and payment, if no reference matches. */
  readonly days: number;
}

export type MatchKind = "one to one" | "in parts" | "several at once" | "paid in part";
export type Confidence = "certain" | "likely";

/** The comparison of the fields of items and payments. */
export interface Evidence {
  readonly reference: "named" | "named in part" | "not named" | "none given";
  /** Paid minus expected amount, independent of direction. Absent if equal. */
  readonly difference?: string;
  readonly party: PartyComparison;
  /** Days from item to payment; the largest of several. Absent if the item has no date. */
  readonly days?: number;
}

export interface Match {
  readonly kind: MatchKind;
  readonly confidence: Confidence;
  readonly items: readonly Item[];
  readonly payments: readonly Payment[];
  readonly evidence: Evidence;
}

/** A payment that may pay an open item. */
export interface Candidate {
  readonly payment: Payment;
  /** Fields that match and that differ. "returned" marks a returned payment; its return is the next candidate. */
  readonly agrees: readonly string[];
  readonly differs: readonly string[];
}

export interface OpenItem {
  readonly item: Item;
  /** Unpaid amount, signed decimal text. */
  readonly open: string;
  /** The best candidates, at most three. */
  readonly candidates: readonly Candidate[];
}

export interface OpenPayment {
  readonly payment: Payment;
  /** Transaction ID of the payment that it seems to repeat. */
  readonly repeats?: string;
}

export interface Matching {
  readonly matches: readonly Match[];
  readonly openItems: readonly OpenItem[];
  readonly openPayments: readonly OpenPayment[];
  /** Parties with too many amounts to try combinations. */
  readonly untried: readonly string[];
}

/** The expected amount must be at least this many times the fee. */
const minAmountToFeeRatio = 20n;
const maxCandidates = 3;
/** Earlier payments may have the same reference by chance. */
const maxDaysBefore = 366;
const dayMs = 86_400_000;

/** An item or payment with precomputed fields for comparison. */
interface Comparable<T> {
  readonly value: T;
  /** Absolute amount in units of the smallest decimal of all amounts. */
  readonly units: bigint;
  /** Currency and direction. Items and payments match only if both are equal. */
  readonly currencyDirection: string;
  readonly party: Party | undefined;
  /** Date in milliseconds, or undefined. */
  readonly time: number | undefined;
}

interface ComparableItem extends Comparable<Item> {
  /** Compact reference; empty if there is none. */
  readonly reference: string;
}

interface ComparablePayment extends Comparable<Payment> {
  /** Items whose references it names, of any currency and direction. */
  readonly names: ReadonlySet<ComparableItem>;
  /** True if it names a reference with the pattern of the items' but of no item, so it is for something else. */
  readonly namesUnknownReference: boolean;
  /** Numbers that may be references. */
  readonly numbers: readonly string[];
}

const decimalsOf = (amount: string): number => amount.split(".")[1]?.length ?? 0;

const unitsOf = (amount: string, decimals: number): bigint => {
  const [whole, part = ""] = amount.replace("-", "").split(".");
  return BigInt(whole! + part.padEnd(decimals, "0"));
};

const currencyDirectionOf = ({
  currency,
  amount,
}: {
  readonly currency: string;
  readonly amount: string;
}): string => `${currency} ${amount.startsWith("-") ? "out" : "in"}`;

const total = (all: readonly { readonly units: bigint }[]): bigint =>
  all.reduce((sum, { units }) => sum + units, 0n);

const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

const earliestFirst = ({ value: one }: ComparablePayment, { value: other }: ComparablePayment): number =>
  byText(one.date, other.date) || byText(one.transaction_id, other.transaction_id);

const byItemNumber = ({ value: one }: ComparableItem, { value: other }: ComparableItem): number =>
  one.item - other.item;

function addToList<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

/** Prefers items of the named party, because several companies may use the same reference. */
function itemsOfParty(items: readonly ComparableItem[], name: string | undefined): readonly ComparableItem[] {
  const party = name === undefined ? undefined : parseParty(name);
  const own = items.filter((item) => compareParties(item.party, party) === "same");
  return own.length > 0 ? own : items;
}

const amountKey = ({ currencyDirection, units }: ComparableItem | ComparablePayment): string =>
  `${currencyDirection} ${units}`;

/** Unmatched payments, indexed by amount and party. */
interface OpenPaymentIndex {
  readonly byAmount: ReadonlyMap<string, readonly ComparablePayment[]>;
  readonly byParty: PartyIndex<ComparablePayment>;
}

function indexOpenPayments(payments: readonly ComparablePayment[]): OpenPaymentIndex {
  const byAmount = new Map<string, ComparablePayment[]>();
  for (const paid of payments) addToList(byAmount, amountKey(paid), paid);
  return { byAmount, byParty: new PartyIndex(payments) };
}

/** A possible match of payments with items. */
interface Explanation {
  readonly kind: MatchKind;
  readonly items: readonly ComparableItem[];
  readonly payments: readonly ComparablePayment[];
}

/** Items or payments, indexed by currency, direction and party. */
class PartyIndex<T extends ComparableItem | ComparablePayment> {
  readonly #byKey = new Map<string, T[]>();
  readonly #truncated = new Map<string, T[]>();
  readonly #all = new Map<string, T[]>();

  constructor(all: readonly T[]) {
    for (const each of all) {
      if (!each.party) continue;
      addToList(this.#all, each.currencyDirection, each);
      if (mayBeTruncated(each.party)) addToList(this.#truncated, each.currencyDirection, each);
      else addToList(this.#byKey, `${each.currencyDirection} ${each.party.key}`, each);
    }
  }

  /** Returns candidates of the same party in their original order. May contain a few others. */
  candidatesFor({ currencyDirection, party }: ComparableItem | ComparablePayment): readonly T[] {
    if (!party) return [];
    if (mayBeTruncated(party)) return this.#all.get(currencyDirection) ?? [];
    return [
      ...(this.#byKey.get(`${currencyDirection} ${party.key}`) ?? []),
      ...(this.#truncated.get(currencyDirection) ?? []),
    ];
  }
}

class Matcher {
  readonly #decimals: number;
  readonly #tolerance: bigint;
  readonly #items: readonly ComparableItem[];
  readonly #payments: readonly ComparablePayment[];
  /** Returned payments with their returns. */
  readonly #returns: ReadonlyMap<ComparablePayment, ComparablePayment>;
  /** Returned payments and all returns. */
  readonly #nonPaying: readonly ComparablePayment[];
  readonly #namedByNonPaying = new Map<ComparableItem, ComparablePayment[]>();
  readonly #unmatched: Set<ComparableItem | ComparablePayment>;
  /** Items and payments with more than one explanation, which stay open. */
  readonly #ambiguous = new Set<ComparableItem | ComparablePayment>();
  readonly #namedBy = new Map<ComparableItem, ComparablePayment[]>();
  /** Payments whose text may be the item's reference or a date. */
  readonly #maybeNamedBy = new Map<ComparableItem, ComparablePayment[]>();
  readonly #matches: Match[] = [];
  readonly #remainders = new Map<ComparableItem, bigint>();
  readonly #repeats = new Map<ComparablePayment, ComparablePayment>();
  readonly #untried = new Set<string>();

  constructor(
    items: readonly Item[],
    payments: readonly Payment[],
    private readonly rules: MatchingRules,
  ) {
    const amounts = [...items, ...payments].map(({ amount }) => amount);
    this.#decimals = Math.max(0, ...[...amounts, rules.feeTolerance].map(decimalsOf));
    this.#tolerance = unitsOf(rules.feeTolerance, this.#decimals);
    this.#items = items
      .map((value) => ({
        ...this.#toComparable(value, value.party),
        reference: compactReference(value.reference ?? ""),
      }))
      .toSorted(byItemNumber);
    const byReference = new Map<string, ComparableItem[]>();
    for (const each of this.#items) if (each.reference !== "") addToList(byReference, each.reference, each);
    const shapes = new Set(
      [...byReference.keys()].filter(isDistinctive).map(referencePattern).filter(hasLetters),
    );
    const all = payments
      .map((value) => {
        const words = value.texts.flatMap(findReferenceCandidates);
        return {
          ...this.#toComparable(value, value.counterparty),
          names: new Set(
            value.texts
              .flatMap((text) => findReferences(text, byReference))
              .flatMap((reference) => itemsOfParty(byReference.get(reference)!, value.counterparty)),
          ),
          namesUnknownReference:
            words.some((word) => shapes.has(referencePattern(word)) && !byReference.has(word)) ||
            value.texts.some((text) => namesSubReference(text, byReference)),
          numbers: words.filter((word) => !hasLetters(referencePattern(word))),
        };
      })
      .toSorted(earliestFirst);
    const returns = matchReturns(payments);
    const paidFor = new Map(all.map((paid) => [paid.value, paid]));
    this.#returns = new Map([...returns].map(([one, back]) => [paidFor.get(one)!, paidFor.get(back)!]));
    const isNonPaying = ({ value }: ComparablePayment) => value.isReturn === true || returns.has(value);
    this.#nonPaying = all.filter(isNonPaying);
    this.#payments = all.filter((paid) => !isNonPaying(paid));
    for (const paid of this.#nonPaying)
      for (const each of paid.names) addToList(this.#namedByNonPaying, each, paid);
    for (const paid of this.#payments) {
      for (const each of paid.names) addToList(this.#namedBy, each, paid);
      for (const each of paid.value.texts.flatMap(findDates).flatMap((date) => byReference.get(date) ?? []))
        if (!paid.names.has(each)) addToList(this.#maybeNamedBy, each, paid);
    }
    this.#unmatched = new Set([...this.#items, ...this.#payments]);
  }

  #toComparable<T extends Item | Payment>(value: T, party: string | undefined): Comparable<T> {
    return {
      value,
      units: unitsOf(value.amount, this.#decimals),
      currencyDirection: currencyDirectionOf(value),
      party: party === undefined ? undefined : parseParty(party),
      time: value.date === undefined ? undefined : Date.parse(value.date),
    };
  }

  match(): Matching {
    for (const group of this.#groups()) this.#matchGroup(group);
    this.#matchUnnamed();
    this.#matchCombinations();
    this.#matchPartPayments();
    const open = [...this.#payments.filter((paid) => this.#unmatched.has(paid)), ...this.#nonPaying];
    const known = indexOpenPayments(open.filter(({ value }) => !value.isReturn));
    return {
      matches: this.#matches.toSorted(({ items: [one] }, { items: [other] }) => one!.item - other!.item),
      openItems: this.#items
        .filter((item) => this.#unmatched.has(item) || this.#remainders.has(item))
        .map((item) => this.#openItem(item, known)),
      openPayments: open.toSorted(earliestFirst).map((paid) => this.#openPayment(paid)),
      untried: [...this.#untried].toSorted(byText),
    };
  }

  // Matching by reference.

  #isNamed(item: ComparableItem, paid: ComparablePayment): boolean {
    return item.currencyDirection === paid.currencyDirection && paid.names.has(item);
  }

  /** Yields connected groups of items and the payments that name them. */
  *#groups(): Generator<{ items: ComparableItem[]; payments: ComparablePayment[] }> {
    const seen = new Set<ComparableItem>();
    for (const first of this.#items) {
      if (seen.has(first)) continue;
      seen.add(first);
      const [items, payments] = [[first], new Set<ComparablePayment>()];
      for (const item of items)
        for (const paid of this.#namedBy.get(item) ?? []) {
          if (!this.#isNamed(item, paid)) continue;
          payments.add(paid);
          for (const other of paid.names)
            if (this.#isNamed(other, paid) && !seen.has(other)) {
              seen.add(other);
              items.push(other);
            }
        }
      if (payments.size > 0)
        yield { items: items.toSorted(byItemNumber), payments: [...payments].toSorted(earliestFirst) };
    }
  }

  #matchGroup({ items, payments }: { items: ComparableItem[]; payments: ComparablePayment[] }): void {
    const nameAll = payments.every((paid) => items.every((item) => paid.names.has(item)));
    const areOneReference = items.every(({ reference }) => reference === items[0]!.reference);
    if (items.length === 1) this.#matchSingleItem(items[0]!, payments);
    else if (areOneReference) this.#matchByAmount(items, payments);
    else if (nameAll) this.#matchSeveralItems(items, payments);
    else this.#markAmbiguous(items, payments);
  }

  /** Matches payments that all name one item. */
  #matchSingleItem(item: ComparableItem, payments: readonly ComparablePayment[]): void {
    const items = [item];
    const unsure = (this.#maybeNamedBy.get(item) ?? []).filter((paid) => this.#mayPay(item, paid));
    if (unsure.length > 0) return this.#markAmbiguous(items, [...payments, ...unsure]);
    const kind = payments.length === 1 ? "one to one" : "in parts";
    if (total(payments) === item.units) this.#accept({ kind, items, payments });
    else if (this.#matchFirst("one to one", items, payments)) return;
    else if (this.#isFee(item.units, payments)) this.#accept({ kind, items, payments });
    else if (total(payments) > item.units && payments.length > 1) this.#matchSubset(item, payments);
  }

  /** Selects a subset if payments of more than the item's amount name it. */
  #matchSubset(item: ComparableItem, payments: readonly ComparablePayment[]): void {
    const parts = payments.length > maxAmounts ? [] : this.#combinations(payments, item.units);
    if (parts.length === 1) this.#accept({ kind: "in parts", items: [item], payments: parts[0]! }, "likely");
    else this.#markAmbiguous([item], payments);
  }

  #combinations<T extends { readonly units: bigint }>(all: readonly T[], sum: bigint): T[][] {
    const units = all.map((each) => each.units);
    return findCombinations(units, sum, 2).map((places) => places.map((place) => all[place]!));
  }

  /** Matches the first of several payments of the whole amount, with or without a fee. The others are repetitions. */
  #matchFirst(
    kind: MatchKind,
    items: readonly ComparableItem[],
    payments: readonly ComparablePayment[],
  ): boolean {
    const expectedTotal = total(items);
    const exact = payments.filter(({ units }) => units === expectedTotal);
    const near = exact.length > 0 ? exact : payments.filter((paid) => this.#isFee(expectedTotal, [paid]));
    const [first, second] = near;
    if (!first || payments.length === 1) return false;
    if (second && second.value.date === first.value.date) {
      this.#markAmbiguous(items, payments);
      return true;
    }
    const isAccepted = this.#accept({ kind, items, payments: [first] }, "likely");
    if (isAccepted) for (const paid of near.slice(1)) this.#repeats.set(paid, first);
    return true;
  }

  /** Matches payments that each name the same items. */
  #matchSeveralItems(items: readonly ComparableItem[], payments: readonly ComparablePayment[]): void {
    const [first] = payments;
    const expectedTotal = total(items);
    const isWhole = first!.units === expectedTotal || this.#isFee(expectedTotal, [first!]);
    if (payments.length > 1) {
      if (!this.#matchFirst("several at once", items, payments)) this.#markAmbiguous(items, payments);
    } else if (isWhole) this.#accept({ kind: "several at once", items, payments });
    else if (first!.units < expectedTotal) this.#markAmbiguous(items, payments);
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
    this.#markAmbiguous(items, payments);
  }

  // Matching without references.

  #isWithinDays(item: ComparableItem, paid: ComparablePayment): boolean {
    return item.time === undefined || Math.abs(paid.time! - item.time) <= this.rules.days * dayMs;
  }

  /** True if a payment may pay an item that it does not name: same party, near in time, and no other reference. */
  #mayPay(item: ComparableItem, paid: ComparablePayment): boolean {
    return (
      item.currencyDirection === paid.currencyDirection &&
      compareParties(item.party, paid.party) === "same" &&
      this.#isWithinDays(item, paid) &&
      !this.#namesOther(item, paid)
    );
  }

  /** True if a payment names a reference that is not the item's. */
  #namesOther({ reference }: ComparableItem, { namesUnknownReference, numbers }: ComparablePayment): boolean {
    if (namesUnknownReference) return true;
    const shape = referencePattern(reference);
    const isOther = (number: string) => number.replace(" ", "") !== reference.replace(" ", "");
    return (
      !hasLetters(shape) && numbers.some((number) => referencePattern(number) === shape && isOther(number))
    );
  }

  readonly #isUndecided = (each: ComparableItem | ComparablePayment): boolean =>
    this.#unmatched.has(each) && !this.#ambiguous.has(each);

  /** Matches one payment with one item by party and amount, if the pair is unique. */
  #matchUnnamed(): void {
    const byAmount = new Map<string, ComparablePayment[]>();
    for (const paid of this.#payments)
      if (paid.names.size === 0 && this.#isUndecided(paid)) addToList(byAmount, amountKey(paid), paid);
    const pairs = this.#items
      .filter((item) => this.#isUndecided(item) && !this.#namedBy.has(item))
      .map((item) => ({
        item,
        payments: (byAmount.get(amountKey(item)) ?? []).filter((paid) => this.#mayPay(item, paid)),
      }));
    const times = new Map<ComparablePayment, number>();
    for (const { payments } of pairs)
      for (const paid of payments) times.set(paid, (times.get(paid) ?? 0) + 1);
    for (const { item, payments } of pairs) {
      if (payments.length === 0) continue;
      if (payments.length === 1 && times.get(payments[0]!) === 1)
        this.#accept({ kind: "one to one", items: [item], payments });
      else this.#markAmbiguous([item], payments);
    }
  }

  /** Matches combinations with the right sum, if no other explanation uses the same items or payments. */
  #matchCombinations(): void {
    const doubtful = new Set<ComparableItem | ComparablePayment>();
    const items = this.#items.filter(this.#isUndecided);
    const payments = this.#payments.filter(this.#isUndecided);
    const [itemsOf, paymentsOf] = [new PartyIndex(items), new PartyIndex(payments)];
    const found = [
      ...payments.flatMap((paid) => this.#severalAtOnce(paid, itemsOf.candidatesFor(paid), doubtful)),
      ...items.flatMap((item) => this.#inParts(item, paymentsOf.candidatesFor(item), doubtful)),
    ];
    const uses = new Map<ComparableItem | ComparablePayment, number>();
    for (const each of found)
      for (const used of [...each.items, ...each.payments]) uses.set(used, (uses.get(used) ?? 0) + 1);
    for (const each of found) {
      const used = [...each.items, ...each.payments];
      if (used.every((one) => uses.get(one) === 1 && !doubtful.has(one))) this.#accept(each);
      else for (const one of used) this.#ambiguous.add(one);
    }
    for (const each of doubtful) this.#ambiguous.add(each);
  }

  /** Finds items that one payment pays together: those it names, and others of the same party. */
  #severalAtOnce(
    paid: ComparablePayment,
    items: readonly ComparableItem[],
    doubtful: Set<ComparableItem | ComparablePayment>,
  ): Explanation[] {
    const named = [...paid.names];
    const isClear =
      !paid.namesUnknownReference &&
      named.every((item) => item.currencyDirection === paid.currencyDirection && this.#isUndecided(item));
    if (!isClear) return [];
    const others = items.filter(
      (item) => !paid.names.has(item) && !this.#namedBy.has(item) && this.#mayPayBesides(item, paid),
    );
    return this.#sums(paid, named, others, doubtful).map((all) => ({
      kind: "several at once",
      items: all.toSorted(byItemNumber),
      payments: [paid],
    }));
  }

  /** True if a payment may pay an item in addition to those that it names. */
  #mayPayBesides(item: ComparableItem, paid: ComparablePayment): boolean {
    return paid.names.size === 0
      ? this.#mayPay(item, paid)
      : compareParties(item.party, paid.party) === "same" && this.#isWithinDays(item, paid);
  }

  /**
   * Finds payments that pay one item together: those that name it, and others of the same party without a reference.
   */
  #inParts(
    item: ComparableItem,
    payments: readonly ComparablePayment[],
    doubtful: Set<ComparableItem | ComparablePayment>,
  ): Explanation[] {
    const named = (this.#namedBy.get(item) ?? []).filter((paid) => this.#isNamed(item, paid));
    if (!named.every((paid) => this.#isUndecided(paid) && paid.names.size === 1)) return [];
    const others = payments.filter((paid) => paid.names.size === 0 && this.#mayPay(item, paid));
    return this.#sums(item, named, others, doubtful).map((all) => ({
      kind: "in parts",
      items: [item],
      payments: all.toSorted(earliestFirst),
    }));
  }

  /**
   * Finds combinations with the sum of `whole` that contain all of `needed`. Marks ambiguous or insignificant ones as
   * doubtful.
   */
  #sums<T extends ComparableItem | ComparablePayment>(
    whole: ComparableItem | ComparablePayment,
    needed: readonly T[],
    others: readonly T[],
    doubtful: Set<ComparableItem | ComparablePayment>,
  ): readonly (readonly T[])[] {
    const rest = whole.units - total(needed);
    if (rest <= 0n || needed.length + others.length < 2 || others.length === 0) return [];
    if (others.length > maxAmounts) {
      this.#untried.add(whole.party!.name);
      return [];
    }
    const units = others.map((each) => each.units);
    const [minCount, maxCount] = [Math.max(1, 2 - needed.length), maxParts - needed.length];
    const found = findCombinations(units, rest, minCount, maxCount).map((places) =>
      places.map((place) => others[place]!),
    );
    if (found.length === 1 && isSignificantSum(units, rest, minCount, maxCount))
      return [[...needed, ...found[0]!]];
    if (found.length > 0) for (const each of [whole, ...needed, ...found.flat()]) doubtful.add(each);
    return [];
  }

  /** Matches payments that name an item but pay only a part. The remainder stays open. */
  #matchPartPayments(): void {
    for (const item of this.#items) {
      const payments = (this.#namedBy.get(item) ?? []).filter((paid) => this.#isNamed(item, paid));
      const isClear =
        [item, ...payments].every(this.#isUndecided) && payments.every(({ names }) => names.size === 1);
      const isSame = payments.every(
        (paid) => !paid.namesUnknownReference && compareParties(item.party, paid.party) !== "different",
      );
      if (payments.length === 0 || !isClear || !isSame || total(payments) >= item.units) continue;
      this.#remainders.set(item, item.units - total(payments));
      this.#accept({ kind: "paid in part", items: [item], payments });
    }
  }

  // Results.

  /** True if the difference is a plausible fee: less incoming or more outgoing money than expected. */
  #isFee(expected: bigint, payments: readonly ComparablePayment[]): boolean {
    const paid = total(payments);
    const fee = payments[0]!.currencyDirection.endsWith("in") ? expected - paid : paid - expected;
    return fee > 0n && fee <= this.#tolerance && fee * minAmountToFeeRatio <= expected;
  }

  #markAmbiguous(items: readonly ComparableItem[], payments: readonly ComparablePayment[]): void {
    for (const each of [...items, ...payments]) this.#ambiguous.add(each);
  }

  /**
   * Records a match. A payment of another party, or with an unknown reference, is accepted only if the amount is exact.
   * Returns false if it was not accepted.
   */
  #accept({ kind, items, payments }: Explanation, confidence?: Confidence): boolean {
    const evidence = this.#evidence(items, payments);
    const isForeign = payments.some((paid) => paid.namesUnknownReference);
    if ((evidence.party === "different" || isForeign) && evidence.difference !== undefined) {
      this.#markAmbiguous(items, payments);
      return false;
    }
    const isCertain =
      evidence.reference === "named" &&
      evidence.difference === undefined &&
      evidence.party !== "different" &&
      !isForeign &&
      !payments.some((paid) => this.#hasOtherNumber(items, paid)) &&
      (evidence.days ?? 0) >= -maxDaysBefore &&
      items.every((item) => isDistinctive(item.reference) && !this.#mayBeReturned(item, payments));
    this.#matches.push({
      kind,
      confidence: confidence ?? (isCertain ? "certain" : "likely"),
      items: items.map(({ value }) => value),
      payments: payments.map(({ value }) => value),
      evidence,
    });
    for (const each of [...items, ...payments]) this.#unmatched.delete(each);
    return true;
  }

  /** True if a payment contains another number with the pattern of the items' references. */
  #hasOtherNumber(items: readonly ComparableItem[], { numbers, names }: ComparablePayment): boolean {
    const named = new Set([...names].map(({ reference }) => reference));
    const shapes = new Set(items.map(({ reference }) => referencePattern(reference)));
    return numbers.some((number) => shapes.has(referencePattern(number)) && !named.has(number));
  }

  /** True if a later return without a matching payment names the item: it may return a part. */
  #mayBeReturned(item: ComparableItem, payments: readonly ComparablePayment[]): boolean {
    const known = new Set(this.#returns.values());
    return (this.#namedByNonPaying.get(item) ?? []).some(
      (back) =>
        back.value.isReturn &&
        back.currencyDirection !== item.currencyDirection &&
        !known.has(back) &&
        payments.some(({ value }) => value.date <= back.value.date),
    );
  }

  #evidence(items: readonly ComparableItem[], payments: readonly ComparablePayment[]): Evidence {
    const pairs = items.flatMap((item) => payments.map((paid) => [item, paid] as const));
    const named = pairs.filter(([item, paid]) => paid.names.has(item)).length;
    const hasReference = items.some(({ reference }) => reference !== "");
    const parties = new Set(pairs.map(([item, paid]) => compareParties(item.party, paid.party)));
    const days = pairs.flatMap(([item, paid]) => this.#daysBetween(item, paid));
    const difference = total(payments) - total(items);
    return {
      reference: !hasReference
        ? "none given"
        : named === pairs.length
          ? "named"
          : named > 0
            ? "named in part"
            : "not named",
      ...(difference !== 0n && { difference: this.#formatUnits(difference) }),
      party: parties.has("different") ? "different" : parties.has("unknown") ? "unknown" : "same",
      ...(days.length > 0 && {
        days: days.reduce((one, other) => (Math.abs(other) > Math.abs(one) ? other : one)),
      }),
    };
  }

  #daysBetween(item: ComparableItem, paid: ComparablePayment): number[] {
    return item.time === undefined ? [] : [Math.round((paid.time! - item.time) / dayMs)];
  }

  #formatUnits(units: bigint): string {
    const digits = String(units < 0n ? -units : units).padStart(this.#decimals + 1, "0");
    const at = digits.length - this.#decimals;
    const sign = units < 0n ? "-" : "";
    return sign + (this.#decimals === 0 ? digits : `${digits.slice(0, at)}.${digits.slice(at)}`);
  }

  #openItem(item: ComparableItem, { byAmount, byParty }: OpenPaymentIndex): OpenItem {
    const open = this.#remainders.get(item) ?? item.units;
    const signed = item.value.amount.startsWith("-") ? -open : open;
    const near = new Set([
      ...(this.#namedBy.get(item) ?? []).filter((paid) => this.#unmatched.has(paid)),
      ...(this.#namedByNonPaying.get(item) ?? []).filter((paid) => this.#returns.has(paid)),
      ...(byAmount.get(amountKey(item)) ?? []),
      ...byParty.candidatesFor(item),
    ]);
    return {
      item: item.value,
      open: this.#formatUnits(signed),
      candidates: this.#remainders.has(item) ? [] : this.#candidates(item, [...near]),
    };
  }

  /** Returns open payments that name the item, have its amount, or have its party and an amount short by a fee. */
  #candidates(item: ComparableItem, near: readonly ComparablePayment[]): Candidate[] {
    const compared = (paid: ComparablePayment) => {
      const isSameCurrencyDirection = paid.currencyDirection === item.currencyDirection;
      const party = compareParties(item.party, paid.party);
      const isNamed = paid.names.has(item);
      const isExact = isSameCurrencyDirection && paid.units === item.units;
      const isNear =
        isExact || (isSameCurrencyDirection && party === "same" && this.#isFee(item.units, [paid]));
      const back = this.#returns.get(paid);
      return { paid, party, isNamed, isExact, isNear, isSameCurrencyDirection, back };
    };
    return near
      .map(compared)
      .filter(({ isNamed, isNear }) => isNamed || isNear)
      .toSorted(
        (one, other) =>
          Number(other.isNamed) - Number(one.isNamed) ||
          Number(other.isExact) - Number(one.isExact) ||
          Number(other.party === "same") - Number(one.party === "same") ||
          Number(one.back !== undefined) - Number(other.back !== undefined) ||
          earliestFirst(one.paid, other.paid),
      )
      .flatMap((each) => (each.back ? [each, compared(each.back)] : [each]))
      .slice(0, maxCandidates)
      .map(({ paid, party, isNamed, isExact, isSameCurrencyDirection, back }) => ({
        payment: paid.value,
        agrees: [isNamed && "reference", isExact && "amount", party === "same" && "party"].filter(
          (each) => each !== false,
        ),
        differs: [
          !isNamed && item.reference !== "" && "reference",
          !isSameCurrencyDirection &&
            (paid.value.currency === item.value.currency ? "direction" : "currency"),
          isSameCurrencyDirection && !isExact && "amount",
          party === "different" && "party",
          back !== undefined && "returned",
        ].filter((each) => each !== false),
      }));
  }

  #openPayment(paid: ComparablePayment): OpenPayment {
    const first = this.#repeats.get(paid);
    return { payment: paid.value, ...(first && { repeats: first.value.transaction_id }) };
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
