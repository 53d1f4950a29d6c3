/** Why items and payments match, or may match. */
import { dayMs } from "../../calendars/days";
import {
  type ComparableItem,
  type ComparablePayment,
  type Comparison,
  earliestFirst,
  type Payment,
  total,
} from "./comparison";
import { compareParties, type PartyComparison } from "./names";

/** The comparison of the fields of items and payments. */
export interface Evidence {
  readonly reference: "named" | "named in part" | "not named" | "none given";
  /** Paid minus expected amount, independent of direction. Absent if equal. */
  readonly difference?: string;
  readonly party: PartyComparison;
  /** Days from item to payment; the largest of several. Absent if the item has no date. */
  readonly days?: number;
}

/** A payment that may pay an open item. */
export interface Candidate {
  readonly payment: Payment;
  /** Fields that match and that differ. "returned" marks a returned payment; its return is the next candidate. */
  readonly agrees: readonly string[];
  readonly differs: readonly string[];
}

const maxCandidates = 3;

export function collectEvidence(
  comparison: Comparison,
  items: readonly ComparableItem[],
  payments: readonly ComparablePayment[],
): Evidence {
  const pairs = items.flatMap((item) => payments.map((paid) => [item, paid] as const));
  const named = pairs.filter(([item, paid]) => paid.names.has(item)).length;
  const hasReference = items.some(({ reference }) => reference !== "");
  const namedPart = named === pairs.length ? "named" : named > 0 ? "named in part" : "not named";
  const parties = new Set(pairs.map(([item, paid]) => compareParties(item.party, paid.party)));
  const days = pairs.flatMap(([{ time }, paid]) =>
    time === undefined ? [] : Math.round((paid.time! - time) / dayMs),
  );
  const difference = total(payments) - total(items);
  return {
    reference: hasReference ? namedPart : "none given",
    ...(difference !== 0n && { difference: comparison.formatUnits(difference) }),
    party: parties.has("different") ? "different" : parties.has("unknown") ? "unknown" : "same",
    ...(days.length > 0 && {
      days: days.reduce((one, other) => (Math.abs(other) > Math.abs(one) ? other : one)),
    }),
  };
}

/** Returns open payments that name the item, have its amount, or have its party and an amount short by a fee. */
export function findCandidates(
  comparison: Comparison,
  item: ComparableItem,
  near: readonly ComparablePayment[],
): Candidate[] {
  const compare = (paid: ComparablePayment) => {
    const isSameKind = paid.currencyDirection === item.currencyDirection;
    const party = compareParties(item.party, paid.party);
    const isExact = isSameKind && paid.units === item.units;
    return {
      paid,
      isNamed: paid.names.has(item),
      isExact,
      isNear: isExact || (isSameKind && party === "same" && comparison.isFee(item.units, [paid])),
      isSameKind,
      party,
      isReturned: paid.counterpart !== undefined && !paid.value.isReturn,
    };
  };
  return near
    .map(compare)
    .filter(({ isNamed, isNear }) => isNamed || isNear)
    .toSorted(
      (one, other) =>
        Number(other.isNamed) - Number(one.isNamed) ||
        Number(other.isExact) - Number(one.isExact) ||
        Number(other.party === "same") - Number(one.party === "same") ||
        Number(one.isReturned) - Number(other.isReturned) ||
        earliestFirst(one.paid, other.paid),
    )
    .flatMap((each) => (each.isReturned ? [each, compare(each.paid.counterpart!)] : [each]))
    .slice(0, maxCandidates)
    .map(({ paid, isNamed, isExact, isSameKind, party, isReturned }) => ({
      payment: paid.value,
      agrees: [isNamed && "reference", isExact && "amount", party === "same" && "party"].filter(
        (each) => each !== false,
      ),
      differs: [
        !isNamed && item.reference !== "" && "reference",
        !isSameKind && (paid.value.currency === item.value.currency ? "direction" : "currency"),
        isSameKind && !isExact && "amount",
        party === "different" && "party",
        isReturned && "returned",
      ].filter((each) => each !== false),
    }));
}
