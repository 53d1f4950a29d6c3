/** Matching of payments: no wrong match, and nearly all right ones. */
import * as fc from "fast-check";
import { Big } from "big.js";
import {
  findCombinations,
  isSignificantSum,
  maxAmounts,
} from "../../../../core/procedures/reconcile/combinations";
import type { Item, Payment } from "../../../../core/procedures/reconcile/comparison";
import { matchPayments, type Matching } from "../../../../core/procedures/reconcile/match";
import {
  compactReference,
  compareParties,
  parseParty,
  findReferences,
} from "../../../../core/procedures/reconcile/names";
import { judgeMatches, seeds, shareText } from "../../../support/match-quality";

const rules = { feeTolerance: "25.00", days: 60 };

test("500 labelled cases: no wrong match, at least 90 % found", () => {
  const { wrong, found, byLabel } = judgeMatches(seeds[0]!, 500);
  console.info(shareText(byLabel));
  expect(wrong).toEqual([]);
  expect(found).toBeGreaterThanOrEqual(0.9);
});

const item = (values: Partial<Item> = {}): Item => ({
  item: 1,
  amount: "1234.56",
  currency: "EUR",
  reference: "INV-2041",
  party: "Ferme Duval SARL",
  date: "2026-03-10",
  ...values,
});

const paid = (id: string, values: Partial<Payment> = {}): Payment => ({
  transaction_id: id,
  amount: "1234.56",
  currency: "EUR",
  date: "2026-03-12",
  counterparty: "FERME DUVAL S.A.R.L.",
  texts: ["Payment INV-2041"],
  ...values,
});

/** Summarises a result for comparison. */
const summarizeMatching = ({ matches, openItems, openPayments }: Matching): string[] => [
  ...matches.map(({ kind, confidence, items, payments }) => {
    const ids = payments.map((each) => each.transaction_id).join("+");
    return `${kind}, ${confidence}: ${items.map((each) => each.item).join("+")} by ${ids}`;
  }),
  ...openItems.map((each) => `open ${each.item.item}: ${each.open}`),
  ...openPayments.map(
    ({ payment, repeats }) => `other ${payment.transaction_id}${repeats ? ` repeats ${repeats}` : ""}`,
  ),
];

const second = item({ item: 2, reference: "INV-2042", amount: "765.44" });

const cases: Readonly<Record<string, [Item[], Payment[], string[]]>> = {
  "a named reference and the exact amount": [[item()], [paid("a")], ["one to one, certain: 1 by a"]],
  "money out": [
    [item({ amount: "-1234.56" })],
    [paid("a", { amount: "-1234.56" }), paid("b")],
    ["one to one, certain: 1 by a", "other b"],
  ],
  "a deducted fee": [[item()], [paid("a", { amount: "1219.56" })], ["one to one, likely: 1 by a"]],
  "a part, because the difference is larger than a fee": [
    [item()],
    [paid("a", { amount: "1200.00" })],
    ["paid in part, likely: 1 by a", "open 1: 34.56"],
  ],
  "a fee added to an outgoing payment": [
    [item({ amount: "-1234.56" })],
    [paid("a", { amount: "-1249.56" })],
    ["one to one, likely: 1 by a"],
  ],
  "parts with the right sum": [
    [item()],
    [paid("a", { amount: "1000.00" }), paid("b", { amount: "234.56" })],
    ["in parts, certain: 1 by a+b"],
  ],
  "a part without a reference": [
    [item()],
    [paid("a", { amount: "1000.01" }), paid("b", { amount: "234.55", texts: ["Rest"] })],
    ["in parts, likely: 1 by a+b"],
  ],
  "one payment for two items": [
    [item(), second],
    [paid("a", { amount: "2000.00", texts: ["INV-2041 + INV-2042"] })],
    ["several at once, certain: 1+2 by a"],
  ],
  "one payment for two items that names only one": [
    [item(), item({ item: 2, reference: "INV-2042", amount: "765.43" })],
    [paid("a", { amount: "1999.99" })],
    ["several at once, likely: 1+2 by a"],
  ],
  "paid twice": [
    [item()],
    [paid("a"), paid("b", { date: "2026-03-15" })],
    ["one to one, likely: 1 by a", "other b repeats a"],
  ],
  "paid twice on one day": [[item()], [paid("a"), paid("b")], ["open 1: 1234.56", "other a", "other b"]],
  "no reference": [[item()], [paid("a", { texts: ["Danke"] })], ["one to one, likely: 1 by a"]],
  "no reference, too late": [
    [item()],
    [paid("a", { texts: [], date: "2026-06-12" })],
    ["open 1: 1234.56", "other a"],
  ],
  "no reference, two possible payments": [
    [item(), item({ item: 2, reference: "INV-2042" })],
    [paid("a", { texts: [] })],
    ["open 1: 1234.56", "open 2: 1234.56", "other a"],
  ],
  "another reference of the same kind": [
    [item()],
    [paid("a", { texts: ["Payment INV-2014"] })],
    ["open 1: 1234.56", "other a"],
  ],
  "another currency": [[item()], [paid("a", { currency: "USD" })], ["open 1: 1234.56", "other a"]],
  "a similar name": [
    [item()],
    [paid("a", { texts: [], counterparty: "Ferme Duvals SARL" })],
    ["open 1: 1234.56", "other a"],
  ],
  "another party that names the reference": [
    [item()],
    [paid("a", { counterparty: "Factoring AG" })],
    ["one to one, likely: 1 by a"],
  ],
  "the same reference from another party": [
    [item()],
    [paid("a", { counterparty: "Factoring AG", amount: "600.00" })],
    ["open 1: 1234.56", "other a"],
  ],
  "round amounts with the right sum by chance": [
    [item({ amount: "1000.00" }), item({ item: 2, reference: "INV-2042", amount: "2000.00" })],
    [paid("a", { amount: "3000.00", texts: ["Danke"] })],
    ["open 1: 1000.00", "open 2: 2000.00", "other a"],
  ],
  "two companies with the same reference": [
    [item(), item({ item: 2, party: "Berg AG" })],
    [paid("a"), paid("b", { counterparty: "Berg AG" })],
    ["one to one, certain: 1 by a", "one to one, certain: 2 by b"],
  ],
  "two payments for the same two items": [
    [item(), item({ item: 2, reference: "INV-2042", amount: "766.43" })],
    [paid("a", { amount: "2000.99", texts: [] }), paid("b", { amount: "2000.99", texts: [] })],
    ["open 1: 1234.56", "open 2: 766.43", "other a", "other b"],
  ],
  "a reference that may be a date, twice": [
    [item({ reference: "2026-0101" })],
    [paid("a", { texts: ["20260101"] }), paid("b", { texts: ["2026-0101"], date: "2026-03-20" })],
    ["open 1: 1234.56", "other a", "other b"],
  ],
  "digits, and another number of the same length": [
    [item({ reference: "12345", party: undefined })],
    [paid("a", { texts: ["Kd-Nr 12345 Rechnung 77001"] })],
    ["one to one, likely: 1 by a"],
  ],
  "digits, and other numbers of different lengths": [
    [item({ reference: "12345" })],
    [paid("a", { texts: ["Kunde 4711 Rechnung 12345 vom 12.03.2026", "Ref 770011"] })],
    ["one to one, certain: 1 by a"],
  ],
  "two numbers, both expected": [
    [item({ reference: "12345" }), item({ item: 2, reference: "77001", amount: "765.44" })],
    [paid("a", { amount: "2000.00", texts: ["12345 + 77001"] })],
    ["several at once, certain: 1+2 by a"],
  ],
  "a reference followed by a number": [
    [item()],
    [paid("a", { texts: ["INV-2041-2"] })],
    ["one to one, likely: 1 by a"],
  ],
  "a reference followed by a letter": [
    [item()],
    [paid("a", { texts: ["Payment INV 2041/A"] })],
    ["one to one, likely: 1 by a"],
  ],
  "digits followed by a letter": [
    [item({ reference: "5390075" })],
    [paid("a", { texts: ["5390075-B"] })],
    ["one to one, likely: 1 by a"],
  ],
  "an expected reference with a letter": [
    [item(), item({ item: 2, reference: "INV-2041/A" })],
    [paid("a", { texts: ["INV-2041/A"] })],
    ["one to one, certain: 2 by a", "open 1: 1234.56"],
  ],
  "a reference followed by words": [
    [item()],
    [paid("a", { texts: ["/RFB/INV-2041/KD 4711 a Duval"] })],
    ["one to one, certain: 1 by a"],
  ],
  "digits inside an account number": [
    [item({ reference: "5390075", party: undefined })],
    [paid("a", { texts: ["IBAN DE89 3704 0044 5390075"] })],
    ["open 1: 1234.56", "other a"],
  ],
  "digits inside a valid account number": [
    [item({ reference: "37040044", party: undefined })],
    [paid("a", { texts: ["von DE89 3704 0044 0532 0130 00"] })],
    ["open 1: 1234.56", "other a"],
  ],
  "digits after an account number": [
    [item({ reference: "5390075" })],
    [paid("a", { texts: ["IBAN: BE68 5390 0754 7034 5390075"] })],
    ["one to one, certain: 1 by a"],
  ],
  "a reference that looks like an account number": [
    [item({ reference: "RF18 5390 0754 7034" })],
    [paid("a", { texts: ["RF18539007547034"] })],
    ["one to one, certain: 1 by a"],
  ],
  "years before the due date": [
    [item()],
    [paid("a", { date: "2020-03-12" })],
    ["one to one, likely: 1 by a"],
  ],
  "months before the due date": [
    [item()],
    [paid("a", { date: "2025-11-12" })],
    ["one to one, certain: 1 by a"],
  ],
  "a reference that is a prefix of another": [
    [item({ reference: "INV-204" })],
    [paid("a")],
    ["open 1: 1234.56", "other a"],
  ],
};

test.each(Object.entries(cases))("%s", (_, [items, payments, expected]) => {
  expect(summarizeMatching(matchPayments(items, payments, rules))).toEqual(expected);
});

test("returns evidence for matches and candidates for open items", () => {
  const items = [item(), item({ item: 2, reference: "INV-3000", amount: "50.00", date: undefined })];
  const payments = [
    paid("a", { amount: "1224.56" }),
    paid("b", { amount: "50.00", texts: ["INV-3000"], currency: "USD" }),
    paid("c", { amount: "50.00", texts: [], counterparty: "Somebody" }),
  ];
  const { matches, openItems } = matchPayments(items, payments, rules);
  expect(matches.map(({ evidence }) => evidence)).toEqual([
    { reference: "named", difference: "-10.00", party: "same", days: 2 },
  ]);
  expect(
    openItems.map(({ candidates }) =>
      candidates.map(({ payment, ...rest }) => [payment.transaction_id, rest]),
    ),
  ).toEqual([
    [
      ["b", { agrees: ["reference", "party"], differs: ["currency"] }],
      ["c", { agrees: ["amount"], differs: ["reference", "party"] }],
    ],
  ]);
});

test("names parties with too many amounts for combinations", () => {
  const items = Array.from({ length: maxAmounts + 1 }, (_, index) =>
    item({ item: index + 1, reference: `INV-${3_000 + index}`, amount: `${100 + index}.17` }),
  );
  const { matches, untried } = matchPayments(items, [paid("a", { amount: "201.34", texts: [] })], rules);
  expect([matches, untried]).toEqual([[], ["FERME DUVAL S.A.R.L."]]);
});

describe("for random lists", () => {
  const few = <T>(...values: T[]) => fc.constantFrom(...values);
  const amounts = few("100.00", "200.00", "300.00", "12.34", "56.78", "69.12", "-100.00", "-12.34", "90.00");
  const parties = few("Duval SARL", "DUVAL", "Duvals SARL", "Müller & Co. KG", undefined);
  const dates = fc.integer({ min: 1, max: 28 }).map((day) => `2026-03-${String(day).padStart(2, "0")}`);
  const references = few("INV-1001", "INV-1002", "INV-100", "2026-0101", "77", undefined);
  const lists = fc.record({
    items: fc.array(
      fc.record({
        amount: amounts,
        currency: few("EUR", "USD"),
        reference: references,
        party: parties,
        date: fc.option(dates, { nil: undefined }),
      }),
      { maxLength: 8 },
    ),
    payments: fc.array(
      fc.record({
        amount: amounts,
        currency: few("EUR", "USD"),
        counterparty: parties,
        date: dates,
        reference: references,
        isReturn: few(false, false, false, true),
        texts: fc.array(
          fc.array(references, { maxLength: 3 }).map((all) => all.join(" ")),
          { maxLength: 2 },
        ),
      }),
      { maxLength: 8 },
    ),
  });
  const numbered = lists.map(({ items, payments }) => ({
    items: items.map((each, index) => ({ ...each, item: index + 1 })),
    payments: payments.map((each, index) => ({ ...each, transaction_id: `t${index}` })),
  }));
  const runs = Number(process.env.FXDESK_RUNS ?? 300);

  test("matches nothing twice, loses nothing, and certain matches are exact", () => {
    fc.assert(
      fc.property(numbered, ({ items, payments }) => {
        const { matches, openItems, openPayments } = matchPayments(items, payments, rules);
        const matched = matches.flatMap((match) => match.items.map((each) => each.item));
        const part = matches.filter(({ kind }) => kind === "paid in part").flatMap((match) => match.items);
        const open = openItems.map((each) => each.item.item);
        expect(new Set(matched).size).toBe(matched.length);
        expect([...matched, ...open].toSorted((one, other) => one - other)).toEqual(
          [...items.map((each) => each.item), ...part.map((each) => each.item)].toSorted(
            (one, other) => one - other,
          ),
        );
        const used = matches.flatMap((match) => match.payments.map((each) => each.transaction_id));
        expect([...used, ...openPayments.map(({ payment }) => payment.transaction_id)].toSorted()).toEqual(
          payments.map((each) => each.transaction_id).toSorted(),
        );
        for (const match of matches) {
          const sum = (all: readonly { amount: string }[]) =>
            all.reduce((total, each) => total.plus(each.amount), new Big(0));
          const difference = sum(match.payments).abs().minus(sum(match.items).abs());
          expect(difference.eq(match.evidence.difference ?? 0)).toBe(true);
          if (match.confidence === "certain")
            expect([match.evidence.reference, match.evidence.difference]).toEqual(["named", undefined]);
          expect(new Set([...match.items, ...match.payments].map(({ currency }) => currency)).size).toBe(1);
          expect(match.payments.some(({ isReturn }) => isReturn)).toBe(false);
        }
      }),
      { numRuns: runs },
    );
  });

  test("is independent of their order", () => {
    fc.assert(
      fc.property(
        numbered.chain(({ items, payments }) =>
          fc.tuple(
            fc.constant({ items, payments }),
            fc.shuffledSubarray(items, { minLength: items.length }),
            fc.shuffledSubarray(payments, { minLength: payments.length }),
          ),
        ),
        ([{ items, payments }, otherItems, otherPayments]) => {
          expect(matchPayments(otherItems, otherPayments, rules)).toEqual(
            matchPayments(items, payments, rules),
          );
        },
      ),
      { numRuns: runs },
    );
  });

  test.each(["alike", "unlike"])("matches hundreds of %s entries quickly", (which) => {
    const own = (index: number) => (which === "alike" ? {} : { amount: `${1_000 + index}.17` });
    const items = Array.from({ length: 400 }, (_, index) =>
      item({ item: index, reference: `INV-${5_000 + index}`, ...own(index) }),
    );
    const payments = items.map((_, index) => paid(`t${index}`, { texts: ["Danke"], ...own(index + 500) }));
    const begin = process.cpuUsage();
    expect(matchPayments(items, payments, rules).openItems).toHaveLength(400);
    expect(process.cpuUsage(begin).user).toBeLessThan(5_000_000);
  });
});

test.each([
  ["Ferme Duval SARL", "FERME DUVAL S.A.R.L.", "same"],
  ["Ferme Duval SARL", "Ferme Duval", "same"],
  ["Müller & Co. KG", "MUELLER UND CO KG", "same"],
  ["Ada Lindqvist", "Lindqvist Ada", "same"],
  ["Harbour Textiles Limited", "Harbour Textiles Ltd.", "same"],
  ["Gesellschaft für elektrische Anlagen Nord", "Gesellschaft für elektrische Anlage", "same"],
  ["Nordwind Handel GmbH", "Nordwind Handels GmbH", "different"],
  ["Nordwind GmbH", "Nordwind AG", "different"],
  ["Nordwind Handel", "Nordwind", "different"],
  ["", "Nordwind", "unknown"],
] as const)("%s and %s: %s", (one, other, expected) => {
  expect(compareParties(parseParty(one), parseParty(other))).toBe(expected);
  expect(compareParties(parseParty(other), parseParty(one))).toBe(expected);
});

test.each([
  ["Payment INV-2041", ["INV2041"]],
  ["inv 2041/2042", ["INV2041"]],
  ["INV2041 thank you", ["INV2041"]],
  ["INV-20411", []],
  ["XINV-2041", []],
  ["INV-20-41", ["INV2041"]],
  ["77", ["77"]],
  ["room 77", []],
  ["2026-0101", ["2026 0101"]],
  ["on 2026-01-01", []],
  ["on 20260101", []],
])("%s contains the references %j", (text, expected) => {
  const known = new Map(
    ["INV-2041", "INV-20", "77", "2026-0101"].map((each) => [compactReference(each), true]),
  );
  expect(findReferences(text, known)).toEqual(expected);
});

test("finds all combinations", () => {
  const unitsOf = (amounts: bigint[]) => amounts.map((units) => ({ units }));
  const places = (amounts: bigint[], sum: bigint) =>
    findCombinations(unitsOf(amounts), sum, 2).map((all) => all.map(({ units }) => units));
  expect(places([1n, 2n, 4n], 6n)).toEqual([[2n, 4n]]);
  expect(places([1n, 2n, 4n], 4n)).toEqual([]);
  expect(places([1n, 2n, 3n, 4n], 5n)).toHaveLength(2);
  expect(() =>
    places(
      Array.from({ length: maxAmounts + 1 }, () => 1n),
      2n,
    ),
  ).toThrow(RangeError);
  expect(isSignificantSum(unitsOf([123_456n, 76_543n]), 199_999n, 2)).toBe(true);
  expect(isSignificantSum(unitsOf([100_000n, 200_000n]), 300_000n, 2)).toBe(false);
});
