/** What was paid, against what is expected. Pure: the same lists give the same matches, in whatever order they come. */
import { combinationsOf, isTellingSum, mostAmounts, mostParts } from "./combinations";
import {
  compact,
  datesIn,
  hasLetters,
  isTelling,
  likeness,
  type Likeness,
  mayBeCut,
  namesPartOf,
  type Party,
  partyOf,
  referencesIn,
  shapeOf,
  wordsLikeReferences,
} from "./names";
import { type Movement, returnsAmong } from "./returns";

/** Something that is expected to be paid: an invoice, a supplier payment. */
export interface Item {
  /** Its number in the list, or its line in a file. */
  readonly item: number;
  /** Signed decimal text; negative for money out. */
  readonly amount: string;
  readonly currency: string;
  readonly reference?: string | undefined;
  readonly party?: string | undefined;
  /** The day on which it is due or expected. */
  readonly date?: string | undefined;
}

/** What was paid, or came back. */
export type Payment = Movement;

export interface Rules {
  /** By so much a payment may be short, or a debit more, for a fee that somebody took. */
  readonly feeTolerance: string;
  /** Without a reference, a payment counts up to so many days before or after the date of an item. */
  readonly days: number;
}

export type MatchKind = "one to one" | "in parts" | "several at once" | "paid in part";
export type Confidence = "certain" | "likely";

/** Which fields agree, and how far. */
export interface Evidence {
  readonly reference: "named" | "named in part" | "not named" | "none given";
  /** What was paid less what was expected, whatever their direction; without it the amounts are equal. */
  readonly difference?: string;
  readonly party: Likeness;
  /** From the date of the item to that of the payment; of several the furthest. Not there where the item has no date. */
  readonly days?: number;
}

export interface Match {
  readonly kind: MatchKind;
  readonly confidence: Confidence;
  readonly items: readonly Item[];
  readonly payments: readonly Payment[];
  readonly evidence: Evidence;
}

/** A payment that may belong to an open item. */
export interface Candidate {
  readonly payment: Payment;
  /** What agrees, and what does not; "returned" of a payment that came back, which its return follows. */
  readonly agrees: readonly string[];
  readonly differs: readonly string[];
}

export interface OpenItem {
  readonly item: Item;
  /** What of it is not paid, signed decimal text. */
  readonly open: string;
  /** The best, at most three. */
  readonly candidates: readonly Candidate[];
}

export interface OpenPayment {
  readonly payment: Payment;
  /** The payment that it looks like a repetition of. */
  readonly repeats?: string;
}

export interface Matching {
  readonly matches: readonly Match[];
  readonly openItems: readonly OpenItem[];
  readonly openPayments: readonly OpenPayment[];
  /** Of which parties there was too much to try combinations. */
  readonly untried: readonly string[];
}

/** A fee is never more than this share of what is expected. */
const largestFee = 20n;
const mostCandidates = 3;
/** What was paid more days before it was expected may bear the same reference by chance. */
const mostDaysBefore = 366;
const dayMs = 86_400_000;

/** An item or a payment, made ready to be compared. */
interface Entry<T> {
  readonly value: T;
  /** Whole steps of the finest decimals that any amount has, without sign. */
  readonly units: bigint;
  /** Currency and direction: only what has the same of both can be a payment of something. */
  readonly lane: string;
  readonly party: Party | undefined;
  /** Of its date, in milliseconds; undefined where it has none. */
  readonly time: number | undefined;
}

interface Expected extends Entry<Item> {
  /** Written compactly; empty where there is none. */
  readonly reference: string;
}

interface Paid extends Entry<Payment> {
  /** The items whose references it names, of whatever currency and direction. */
  readonly names: ReadonlySet<Expected>;
  /** Whether it names a reference like those of the items, which none of them has: it is about something else. */
  readonly isForeign: boolean;
  /** What in it is digits alone and might be a reference. */
  readonly numbers: readonly string[];
}

const decimalsOf = (amount: string): number => amount.split(".")[1]?.length ?? 0;

const unitsOf = (amount: string, decimals: number): bigint => {
  const [whole, part = ""] = amount.replace("-", "").split(".");
  return BigInt(whole! + part.padEnd(decimals, "0"));
};

const laneOf = ({ currency, amount }: { readonly currency: string; readonly amount: string }): string =>
  `${currency} ${amount.startsWith("-") ? "out" : "in"}`;

const total = (all: readonly { readonly units: bigint }[]): bigint =>
  all.reduce((sum, { units }) => sum + units, 0n);

const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

const earliestFirst = ({ value: one }: Paid, { value: other }: Paid): number =>
  byText(one.date, other.date) || byText(one.transaction_id, other.transaction_id);

const firstFirst = ({ value: one }: Expected, { value: other }: Expected): number => one.item - other.item;

/** Adds to the list of a key. */
function push<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

/** Companies may use the same references: those of the one that is named, where there are any. */
function ofParty(items: readonly Expected[], name: string | undefined): readonly Expected[] {
  const party = name === undefined ? undefined : partyOf(name);
  const own = items.filter((item) => likeness(item.party, party) === "same");
  return own.length > 0 ? own : items;
}

const amountKey = ({ lane, units }: Expected | Paid): string => `${lane} ${units}`;

/** Payments that no match has, as they are looked for. */
interface OpenPayments {
  readonly byAmount: ReadonlyMap<string, readonly Paid[]>;
  readonly byParty: ByParty<Paid>;
}

function openPaymentsFrom(payments: readonly Paid[]): OpenPayments {
  const byAmount = new Map<string, Paid[]>();
  for (const paid of payments) push(byAmount, amountKey(paid), paid);
  return { byAmount, byParty: new ByParty(payments) };
}

/** One attempt to explain payments by items. */
interface Explanation {
  readonly kind: MatchKind;
  readonly items: readonly Expected[];
  readonly payments: readonly Paid[];
}

/** Items or payments by lane and party. */
class ByParty<T extends Expected | Paid> {
  readonly #byKey = new Map<string, T[]>();
  readonly #cut = new Map<string, T[]>();
  readonly #all = new Map<string, T[]>();

  constructor(all: readonly T[]) {
    for (const each of all) {
      if (!each.party) continue;
      push(this.#all, each.lane, each);
      if (mayBeCut(each.party)) push(this.#cut, each.lane, each);
      else push(this.#byKey, `${each.lane} ${each.party.key}`, each);
    }
  }

  /** What may be of the same party, in the order in which it was given; few others are among it. */
  near({ lane, party }: Expected | Paid): readonly T[] {
    if (!party) return [];
    if (mayBeCut(party)) return this.#all.get(lane) ?? [];
    return [...(this.#byKey.get(`${lane} ${party.key}`) ?? []), ...(this.#cut.get(lane) ?? [])];
  }
}

class Matcher {
  readonly #decimals: number;
  readonly #tolerance: bigint;
  readonly #items: readonly Expected[];
  readonly #payments: readonly Paid[];
  /** Payments that came back, each with its return. */
  readonly #returns: ReadonlyMap<Paid, Paid>;
  /** What pays nothing: they, and all returns. */
  readonly #idle: readonly Paid[];
  readonly #idlyNamedBy = new Map<Expected, Paid[]>();
  /** What is in no match. */
  readonly #free: Set<Expected | Paid>;
  /** What more than one explanation fits: it stays open. */
  readonly #contested = new Set<Expected | Paid>();
  readonly #namedBy = new Map<Expected, Paid[]>();
  /** By payments of which nobody can tell whether they name it or a date. */
  readonly #maybeNamedBy = new Map<Expected, Paid[]>();
  readonly #matches: Match[] = [];
  readonly #rests = new Map<Expected, bigint>();
  readonly #repeats = new Map<Paid, Paid>();
  readonly #untried = new Set<string>();

  constructor(
    items: readonly Item[],
    payments: readonly Payment[],
    private readonly rules: Rules,
  ) {
    const amounts = [...items, ...payments].map(({ amount }) => amount);
    this.#decimals = Math.max(0, ...[...amounts, rules.feeTolerance].map(decimalsOf));
    this.#tolerance = unitsOf(rules.feeTolerance, this.#decimals);
    this.#items = items
      .map((value) => ({ ...this.#entry(value, value.party), reference: compact(value.reference ?? "") }))
      .toSorted(firstFirst);
    const byReference = new Map<string, Expected[]>();
    for (const each of this.#items) if (each.reference !== "") push(byReference, each.reference, each);
    const shapes = new Set([...byReference.keys()].filter(isTelling).map(shapeOf).filter(hasLetters));
    const all = payments
      .map((value) => {
        const words = value.texts.flatMap(wordsLikeReferences);
        return {
          ...this.#entry(value, value.counterparty),
          names: new Set(
            value.texts
              .flatMap((text) => referencesIn(text, byReference))
              .flatMap((reference) => ofParty(byReference.get(reference)!, value.counterparty)),
          ),
          isForeign:
            words.some((word) => shapes.has(shapeOf(word)) && !byReference.has(word)) ||
            value.texts.some((text) => namesPartOf(text, byReference)),
          numbers: words.filter((word) => !hasLetters(shapeOf(word))),
        };
      })
      .toSorted(earliestFirst);
    const returns = returnsAmong(payments);
    const paidFor = new Map(all.map((paid) => [paid.value, paid]));
    this.#returns = new Map([...returns].map(([one, back]) => [paidFor.get(one)!, paidFor.get(back)!]));
    const isIdle = ({ value }: Paid) => value.isReturn === true || returns.has(value);
    this.#idle = all.filter(isIdle);
    this.#payments = all.filter((paid) => !isIdle(paid));
    for (const paid of this.#idle) for (const each of paid.names) push(this.#idlyNamedBy, each, paid);
    for (const paid of this.#payments) {
      for (const each of paid.names) push(this.#namedBy, each, paid);
      for (const each of paid.value.texts.flatMap(datesIn).flatMap((date) => byReference.get(date) ?? []))
        if (!paid.names.has(each)) push(this.#maybeNamedBy, each, paid);
    }
    this.#free = new Set([...this.#items, ...this.#payments]);
  }

  #entry<T extends Item | Payment>(value: T, party: string | undefined): Entry<T> {
    return {
      value,
      units: unitsOf(value.amount, this.#decimals),
      lane: laneOf(value),
      party: party === undefined ? undefined : partyOf(party),
      time: value.date === undefined ? undefined : Date.parse(value.date),
    };
  }

  run(): Matching {
    for (const group of this.#groups()) this.#settleGroup(group);
    this.#settleUnnamed();
    this.#settleCombinations();
    this.#settleInPart();
    const open = [...this.#payments.filter((paid) => this.#free.has(paid)), ...this.#idle];
    const known = openPaymentsFrom(open.filter(({ value }) => !value.isReturn));
    return {
      matches: this.#matches.toSorted(({ items: [one] }, { items: [other] }) => one!.item - other!.item),
      openItems: this.#items
        .filter((item) => this.#free.has(item) || this.#rests.has(item))
        .map((item) => this.#openItem(item, known)),
      openPayments: open.toSorted(earliestFirst).map((paid) => this.#openPayment(paid)),
      untried: [...this.#untried].toSorted(byText),
    };
  }

  // What names references.

  #isNamed(item: Expected, paid: Paid): boolean {
    return item.lane === paid.lane && paid.names.has(item);
  }

  /** Items and payments that hang together because the payments name the items. */
  *#groups(): Generator<{ items: Expected[]; payments: Paid[] }> {
    const seen = new Set<Expected>();
    for (const first of this.#items) {
      if (seen.has(first)) continue;
      seen.add(first);
      const [items, payments] = [[first], new Set<Paid>()];
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
        yield { items: items.toSorted(firstFirst), payments: [...payments].toSorted(earliestFirst) };
    }
  }

  #settleGroup({ items, payments }: { items: Expected[]; payments: Paid[] }): void {
    const nameAll = payments.every((paid) => items.every((item) => paid.names.has(item)));
    const areOneReference = items.every(({ reference }) => reference === items[0]!.reference);
    if (items.length === 1) this.#settleOne(items[0]!, payments);
    else if (areOneReference) this.#settleByAmount(items, payments);
    else if (nameAll) this.#settleSeveral(items, payments);
    else this.#contest(items, payments);
  }

  /** Payments that all name one item. */
  #settleOne(item: Expected, payments: readonly Paid[]): void {
    const items = [item];
    const unsure = (this.#maybeNamedBy.get(item) ?? []).filter((paid) => this.#mayPay(item, paid));
    if (unsure.length > 0) return this.#contest(items, [...payments, ...unsure]);
    const kind = payments.length === 1 ? "one to one" : "in parts";
    if (total(payments) === item.units) this.#accept({ kind, items, payments });
    else if (this.#settleFirst("one to one", items, payments)) return;
    else if (this.#isFee(item.units, payments)) this.#accept({ kind, items, payments });
    else if (total(payments) > item.units && payments.length > 1) this.#settleSome(item, payments);
  }

  /** More payments name an item than it needs. */
  #settleSome(item: Expected, payments: readonly Paid[]): void {
    const parts = payments.length > mostAmounts ? [] : this.#combinations(payments, item.units);
    if (parts.length === 1) this.#accept({ kind: "in parts", items: [item], payments: parts[0]! }, "likely");
    else this.#contest([item], payments);
  }

  #combinations<T extends { readonly units: bigint }>(all: readonly T[], sum: bigint): T[][] {
    const units = all.map((each) => each.units);
    return combinationsOf(units, sum, 2).map((places) => places.map((place) => all[place]!));
  }

  /** The first of several payments that are each as much as the items, or short by a fee: others like it repeat it. */
  #settleFirst(kind: MatchKind, items: readonly Expected[], payments: readonly Paid[]): boolean {
    const wanted = total(items);
    const exact = payments.filter(({ units }) => units === wanted);
    const near = exact.length > 0 ? exact : payments.filter((paid) => this.#isFee(wanted, [paid]));
    const [first, second] = near;
    if (!first || payments.length === 1) return false;
    if (second && second.value.date === first.value.date) {
      this.#contest(items, payments);
      return true;
    }
    const isAccepted = this.#accept({ kind, items, payments: [first] }, "likely");
    if (isAccepted) for (const paid of near.slice(1)) this.#repeats.set(paid, first);
    return true;
  }

  /** Payments that each name the same several items. */
  #settleSeveral(items: readonly Expected[], payments: readonly Paid[]): void {
    const [first] = payments;
    const wanted = total(items);
    const isWhole = first!.units === wanted || this.#isFee(wanted, [first!]);
    if (payments.length > 1) {
      if (!this.#settleFirst("several at once", items, payments)) this.#contest(items, payments);
    } else if (isWhole) this.#accept({ kind: "several at once", items, payments });
    else if (first!.units < wanted) this.#contest(items, payments);
  }

  /** Items of one reference, which only their amounts tell apart. */
  #settleByAmount(items: readonly Expected[], payments: readonly Paid[]): void {
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
    this.#contest(items, payments);
  }

  // What names no reference.

  #isNear(item: Expected, paid: Paid): boolean {
    return item.time === undefined || Math.abs(paid.time! - item.time) <= this.rules.days * dayMs;
  }

  /** Whether a payment that does not name an item may still be for it: of the same party, near it, about nothing else. */
  #mayPay(item: Expected, paid: Paid): boolean {
    return (
      item.lane === paid.lane &&
      likeness(item.party, paid.party) === "same" &&
      this.#isNear(item, paid) &&
      !this.#namesOther(item, paid)
    );
  }

  /** Whether a payment names another reference than that of the item, as far as that can be told. */
  #namesOther({ reference }: Expected, { isForeign, numbers }: Paid): boolean {
    if (isForeign) return true;
    const shape = shapeOf(reference);
    const isOther = (number: string) => number.replace(" ", "") !== reference.replace(" ", "");
    return !hasLetters(shape) && numbers.some((number) => shapeOf(number) === shape && isOther(number));
  }

  readonly #isUntouched = (each: Expected | Paid): boolean =>
    this.#free.has(each) && !this.#contested.has(each);

  /** One payment for one item: the same party, the same amount, and nothing else that it could be. */
  #settleUnnamed(): void {
    const byAmount = new Map<string, Paid[]>();
    for (const paid of this.#payments)
      if (paid.names.size === 0 && this.#isUntouched(paid)) push(byAmount, amountKey(paid), paid);
    const pairs = this.#items
      .filter((item) => this.#isUntouched(item) && !this.#namedBy.has(item))
      .map((item) => ({
        item,
        payments: (byAmount.get(amountKey(item)) ?? []).filter((paid) => this.#mayPay(item, paid)),
      }));
    const times = new Map<Paid, number>();
    for (const { payments } of pairs)
      for (const paid of payments) times.set(paid, (times.get(paid) ?? 0) + 1);
    for (const { item, payments } of pairs) {
      if (payments.length === 0) continue;
      if (payments.length === 1 && times.get(payments[0]!) === 1)
        this.#accept({ kind: "one to one", items: [item], payments });
      else this.#contest([item], payments);
    }
  }

  /** Several items or several payments that add up, where no other explanation shares any of them. */
  #settleCombinations(): void {
    const doubtful = new Set<Expected | Paid>();
    const items = this.#items.filter(this.#isUntouched);
    const payments = this.#payments.filter(this.#isUntouched);
    const [itemsOf, paymentsOf] = [new ByParty(items), new ByParty(payments)];
    const found = [
      ...payments.flatMap((paid) => this.#severalAtOnce(paid, itemsOf.near(paid), doubtful)),
      ...items.flatMap((item) => this.#inParts(item, paymentsOf.near(item), doubtful)),
    ];
    const uses = new Map<Expected | Paid, number>();
    for (const each of found)
      for (const used of [...each.items, ...each.payments]) uses.set(used, (uses.get(used) ?? 0) + 1);
    for (const each of found) {
      const used = [...each.items, ...each.payments];
      if (used.every((one) => uses.get(one) === 1 && !doubtful.has(one))) this.#accept(each);
      else for (const one of used) this.#contested.add(one);
    }
    for (const each of doubtful) this.#contested.add(each);
  }

  /** The items that one payment is for together: those it names, and others of the same party. */
  #severalAtOnce(paid: Paid, items: readonly Expected[], doubtful: Set<Expected | Paid>): Explanation[] {
    const named = [...paid.names];
    const isClear =
      !paid.isForeign && named.every((item) => item.lane === paid.lane && this.#isUntouched(item));
    if (!isClear) return [];
    const others = items.filter(
      (item) => !paid.names.has(item) && !this.#namedBy.has(item) && this.#mayPayBesides(item, paid),
    );
    return this.#sums(paid, named, others, doubtful).map((all) => ({
      kind: "several at once",
      items: all.toSorted(firstFirst),
      payments: [paid],
    }));
  }

  /** A payment that names one item may be for another one, too. */
  #mayPayBesides(item: Expected, paid: Paid): boolean {
    return paid.names.size === 0
      ? this.#mayPay(item, paid)
      : likeness(item.party, paid.party) === "same" && this.#isNear(item, paid);
  }

  /** The payments that pay one item together: those that name it, and others of the same party that name nothing. */
  #inParts(item: Expected, payments: readonly Paid[], doubtful: Set<Expected | Paid>): Explanation[] {
    const named = (this.#namedBy.get(item) ?? []).filter((paid) => this.#isNamed(item, paid));
    if (!named.every((paid) => this.#isUntouched(paid) && paid.names.size === 1)) return [];
    const others = payments.filter((paid) => paid.names.size === 0 && this.#mayPay(item, paid));
    return this.#sums(item, named, others, doubtful).map((all) => ({
      kind: "in parts",
      items: [item],
      payments: all.toSorted(earliestFirst),
    }));
  }

  /** What adds up to an amount, with all that must be among it; where chance may do so, or in two ways, it is doubtful. */
  #sums<T extends Expected | Paid>(
    whole: Expected | Paid,
    needed: readonly T[],
    others: readonly T[],
    doubtful: Set<Expected | Paid>,
  ): readonly (readonly T[])[] {
    const rest = whole.units - total(needed);
    if (rest <= 0n || needed.length + others.length < 2 || others.length === 0) return [];
    if (others.length > mostAmounts) {
      this.#untried.add(whole.party!.name);
      return [];
    }
    const units = others.map((each) => each.units);
    const [least, most] = [Math.max(1, 2 - needed.length), mostParts - needed.length];
    const found = combinationsOf(units, rest, least, most).map((places) =>
      places.map((place) => others[place]!),
    );
    if (found.length === 1 && isTellingSum(units, rest, least, most)) return [[...needed, ...found[0]!]];
    if (found.length > 0) for (const each of [whole, ...needed, ...found.flat()]) doubtful.add(each);
    return [];
  }

  /** Payments that name an item and are less than it: the rest stays open. */
  #settleInPart(): void {
    for (const item of this.#items) {
      const payments = (this.#namedBy.get(item) ?? []).filter((paid) => this.#isNamed(item, paid));
      const isClear =
        [item, ...payments].every(this.#isUntouched) && payments.every(({ names }) => names.size === 1);
      const isSame = payments.every(
        (paid) => !paid.isForeign && likeness(item.party, paid.party) !== "different",
      );
      if (payments.length === 0 || !isClear || !isSame || total(payments) >= item.units) continue;
      this.#rests.set(item, item.units - total(payments));
      this.#accept({ kind: "paid in part", items: [item], payments });
    }
  }

  // What comes of it.

  /** Whether payments miss what is expected by a fee: money in is less, money out is more. */
  #isFee(expected: bigint, payments: readonly Paid[]): boolean {
    const paid = total(payments);
    const fee = payments[0]!.lane.endsWith("in") ? expected - paid : paid - expected;
    return fee > 0n && fee <= this.#tolerance && fee * largestFee <= expected;
  }

  #contest(items: readonly Expected[], payments: readonly Paid[]): void {
    for (const each of [...items, ...payments]) this.#contested.add(each);
  }

  /**
   * Somebody else may pay for a company, and a payment may name more than what is expected: but then the amount is exact, or
   * it is about something else.
   */
  #accept({ kind, items, payments }: Explanation, confidence?: Confidence): boolean {
    const evidence = this.#evidence(items, payments);
    const isForeign = payments.some((paid) => paid.isForeign);
    if ((evidence.party === "different" || isForeign) && evidence.difference !== undefined) {
      this.#contest(items, payments);
      return false;
    }
    const isCertain =
      evidence.reference === "named" &&
      evidence.difference === undefined &&
      evidence.party !== "different" &&
      !isForeign &&
      !payments.some((paid) => this.#hasOtherNumber(items, paid)) &&
      (evidence.days ?? 0) >= -mostDaysBefore &&
      items.every((item) => isTelling(item.reference) && !this.#isPerhapsBack(item, payments));
    this.#matches.push({
      kind,
      confidence: confidence ?? (isCertain ? "certain" : "likely"),
      items: items.map(({ value }) => value),
      payments: payments.map(({ value }) => value),
      evidence,
    });
    for (const each of [...items, ...payments]) this.#free.delete(each);
    return true;
  }

  /** Whether a payment has a number, beside those it names, that looks like the references of the items. */
  #hasOtherNumber(items: readonly Expected[], { numbers, names }: Paid): boolean {
    const named = new Set([...names].map(({ reference }) => reference));
    const shapes = new Set(items.map(({ reference }) => shapeOf(reference)));
    return numbers.some((number) => shapes.has(shapeOf(number)) && !named.has(number));
  }

  /** Whether a later return names an item, and brings no payment of its amount back: perhaps a part of these. */
  #isPerhapsBack(item: Expected, payments: readonly Paid[]): boolean {
    const known = new Set(this.#returns.values());
    return (this.#idlyNamedBy.get(item) ?? []).some(
      (back) =>
        back.value.isReturn &&
        back.lane !== item.lane &&
        !known.has(back) &&
        payments.some(({ value }) => value.date <= back.value.date),
    );
  }

  #evidence(items: readonly Expected[], payments: readonly Paid[]): Evidence {
    const pairs = items.flatMap((item) => payments.map((paid) => [item, paid] as const));
    const named = pairs.filter(([item, paid]) => paid.names.has(item)).length;
    const hasReference = items.some(({ reference }) => reference !== "");
    const parties = new Set(pairs.map(([item, paid]) => likeness(item.party, paid.party)));
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
      ...(difference !== 0n && { difference: this.#text(difference) }),
      party: parties.has("different") ? "different" : parties.has("unknown") ? "unknown" : "same",
      ...(days.length > 0 && {
        days: days.reduce((one, other) => (Math.abs(other) > Math.abs(one) ? other : one)),
      }),
    };
  }

  #daysBetween(item: Expected, paid: Paid): number[] {
    return item.time === undefined ? [] : [Math.round((paid.time! - item.time) / dayMs)];
  }

  #text(units: bigint): string {
    const digits = String(units < 0n ? -units : units).padStart(this.#decimals + 1, "0");
    const at = digits.length - this.#decimals;
    const sign = units < 0n ? "-" : "";
    return sign + (this.#decimals === 0 ? digits : `${digits.slice(0, at)}.${digits.slice(at)}`);
  }

  #openItem(item: Expected, { byAmount, byParty }: OpenPayments): OpenItem {
    const open = this.#rests.get(item) ?? item.units;
    const signed = item.value.amount.startsWith("-") ? -open : open;
    const near = new Set([
      ...(this.#namedBy.get(item) ?? []).filter((paid) => this.#free.has(paid)),
      ...(this.#idlyNamedBy.get(item) ?? []).filter((paid) => this.#returns.has(paid)),
      ...(byAmount.get(amountKey(item)) ?? []),
      ...byParty.near(item),
    ]);
    return {
      item: item.value,
      open: this.#text(signed),
      candidates: this.#rests.has(item) ? [] : this.#candidates(item, [...near]),
    };
  }

  /** Open payments that name the item, or have its amount, or its party and an amount that misses it by a fee. */
  #candidates(item: Expected, near: readonly Paid[]): Candidate[] {
    const compared = (paid: Paid) => {
      const isSameLane = paid.lane === item.lane;
      const party = likeness(item.party, paid.party);
      const isNamed = paid.names.has(item);
      const isExact = isSameLane && paid.units === item.units;
      const isNear = isExact || (isSameLane && party === "same" && this.#isFee(item.units, [paid]));
      const back = this.#returns.get(paid);
      return { paid, party, isNamed, isExact, isNear, isSameLane, back };
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
      .slice(0, mostCandidates)
      .map(({ paid, party, isNamed, isExact, isSameLane, back }) => ({
        payment: paid.value,
        agrees: [isNamed && "reference", isExact && "amount", party === "same" && "party"].filter(
          (each) => each !== false,
        ),
        differs: [
          !isNamed && item.reference !== "" && "reference",
          !isSameLane && (paid.value.currency === item.value.currency ? "direction" : "currency"),
          isSameLane && !isExact && "amount",
          party === "different" && "party",
          back !== undefined && "returned",
        ].filter((each) => each !== false),
      }));
  }

  #openPayment(paid: Paid): OpenPayment {
    const first = this.#repeats.get(paid);
    return { payment: paid.value, ...(first && { repeats: first.value.transaction_id }) };
  }
}

/**
 * Finds out which payments are for which items: one for one, in parts, several at once, short by a fee, or a part of it.
 * `certain` where the payments name the references and the amounts are exact, `likely` where it is a guess; where more than
 * one explanation fits, none is chosen, and the items have candidates. No payment and no item is in two matches.
 *
 * Combinations are looked for among at most 12 amounts of one party, of at most 5 parts: `untried` names the parties with
 * more. A payment that came back pays nothing, nor does what brought it back: both are open.
 */
export const matchPayments = (items: readonly Item[], payments: readonly Payment[], rules: Rules): Matching =>
  new Matcher(items, payments, rules).run();
