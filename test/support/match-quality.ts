/** Measures the quality of matches against labelled payments. */
import { type Match, matchPayments } from "../../core/procedures/reconcile/match";
import { labelledPayments } from "./labelled-payments";

/** Seeds; FXDESK_SEED sets others. */
export const seeds: readonly number[] = Array.from(
  { length: 40 },
  (_, index) => Number(process.env.FXDESK_SEED ?? 20_260_316) + index,
);

const key = (items: readonly number[], payments: readonly string[]): string =>
  JSON.stringify([items.toSorted((one, other) => one - other), payments.toSorted()]);

const keyOf = ({ items, payments }: Match): string =>
  key(
    items.map(({ item }) => item),
    payments.map(({ transaction_id: id }) => id),
  );

export interface MatchQuality {
  /** Descriptions of wrong matches. */
  readonly wrong: readonly unknown[];
  /** Recall: share of true matches that were found. */
  readonly found: number;
}

/** Generates labelled cases and matches them. A match is correct if it has exactly the items and payments of a case. */
export function judgeMatches(seed: number, count: number): MatchQuality {
  const { items, payments, cases } = labelledPayments(seed, count);
  const { matches } = matchPayments(items, payments, { feeTolerance: "25.00", days: 60 });
  const truths = new Set(
    cases.filter(({ payments: used }) => used.length > 0).map((each) => key(each.items, each.payments)),
  );
  const given = new Set(matches.map(keyOf));
  return {
    wrong: matches.filter((match) => !truths.has(keyOf(match))),
    found: [...truths].filter((each) => given.has(each)).length / truths.size,
  };
}
