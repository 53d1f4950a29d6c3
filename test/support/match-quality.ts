/** Measures the quality of matches against labelled payments. */
import { type Match, matchPayments } from "../../core/procedures/reconcile/match";
import { type LabelledCase, labelledPayments } from "./labelled-payments";

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
  readonly byLabel: ReadonlyMap<string, { readonly found: number; readonly all: number }>;
}

const shareOf = (all: readonly { readonly found: number; readonly all: number }[]): number =>
  all.reduce((sum, { found }) => sum + found, 0) / all.reduce((sum, share) => sum + share.all, 0);

/** Generates labelled cases and matches them. A match is correct if it has exactly the items and payments of a case. */
export function judgeMatches(seed: number, count: number): MatchQuality {
  const { items, payments, cases } = labelledPayments(seed, count);
  const { matches } = matchPayments(items, payments, { feeTolerance: "25.00", days: 60 });
  const isPaid = (each: LabelledCase) => each.payments.length > 0;
  const truths = new Set(cases.filter(isPaid).map((each) => key(each.items, each.payments)));
  const given = new Set(matches.map(keyOf));
  const byLabel = new Map<string, { found: number; all: number }>();
  for (const each of cases.filter(isPaid)) {
    const share = byLabel.get(each.label) ?? { found: 0, all: 0 };
    share.all += 1;
    if (given.has(key(each.items, each.payments))) share.found += 1;
    byLabel.set(each.label, share);
  }
  const labelOf = (number: number) => cases.find((each) => each.items.includes(number))?.label;
  return {
    wrong: matches
      .filter((match) => !truths.has(keyOf(match)))
      .map((match) => ({ label: labelOf(match.items[0]!.item), ...match })),
    found: shareOf([...byLabel.values()]),
    byLabel,
  };
}

export const shareText = (byLabel: MatchQuality["byLabel"]): string =>
  [...byLabel].map(([label, share]) => `${label}: ${share.found} of ${share.all}`).join("\n");
