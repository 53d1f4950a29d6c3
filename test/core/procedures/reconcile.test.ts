/** Matching of payments: no wrong match, nearly all right ones, and returned payments pay nothing. */
import * as fc from "fast-check";
import { Big } from "big.js";
import { maxAmounts } from "../../../core/procedures/reconcile/combinations";
import type { Item, Payment } from "../../../core/procedures/reconcile/comparison";
import { matchPayments, type Matching } from "../../../core/procedures/reconcile/match";
import { compareParties, parseParty } from "../../../core/procedures/reconcile/names";
import { availableBalance, moveMoney } from "../../../sandbox/src/world/accounts/accounts";
import { openBooks } from "../../support/books";
import { judgeMatches, seeds } from "../../support/match-quality";

const rules = { feeTolerance: "25.00", days: 60 };

test("500 labelled cases: no wrong match, at least 90 % found", () => {
  const { wrong, found } = judgeMatches(seeds[0]!, 500);
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

const cases: Readonly<Record<string, [Item[], Payment[], string[]]>> = {
  "a named reference and the exact amount": [[item()], [paid("a")], ["one to one, certain: 1 by a"]],
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
  "a part without a reference": [
    [item()],
    [paid("a", { amount: "1000.01" }), paid("b", { amount: "234.55", texts: ["Rest"] })],
    ["in parts, likely: 1 by a+b"],
  ],
  "one payment for two items that names only one": [
    [item(), item({ item: 2, reference: "INV-2042", amount: "765.43" })],
    [paid("a", { amount: "1999.99" })],
    ["several at once, likely: 1+2 by a"],
  ],
  "paid twice on one day": [[item()], [paid("a"), paid("b")], ["open 1: 1234.56", "other a", "other b"]],
  "no reference, two possible payments": [
    [item(), item({ item: 2, reference: "INV-2042" })],
    [paid("a", { texts: [] })],
    ["open 1: 1234.56", "open 2: 1234.56", "other a"],
  ],
  "another party that names the reference": [
    [item()],
    [paid("a", { counterparty: "Factoring AG" })],
    ["one to one, likely: 1 by a"],
  ],
  "a reference that may be a date, twice": [
    [item({ reference: "2026-0101" })],
    [paid("a", { texts: ["20260101"] }), paid("b", { texts: ["2026-0101"], date: "2026-03-20" })],
    ["open 1: 1234.56", "other a", "other b"],
  ],
  "an expected reference with a letter": [
    [item(), item({ item: 2, reference: "INV-2041/A" })],
    [paid("a", { texts: ["INV-2041/A"] })],
    ["one to one, certain: 2 by a", "open 1: 1234.56"],
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
};

test.each(Object.entries(cases))("%s", (_, [items, payments, expected]) => {
  expect(summarizeMatching(matchPayments(items, payments, rules))).toEqual(expected);
});

test.each([
  ["12345", "Kd-Nr 12345 Rechnung 77001", "likely"],
  ["12345", "Kunde 4711 Rechnung 12345 vom 12.03.2026 Ref 770011", "certain"],
  ["INV-2041", "INV-2041-2", "likely"],
  ["INV-2041", "Payment INV 2041/A", "likely"],
  ["INV-2041", "/RFB/INV-2041/KD 4711 a Duval", "certain"],
  ["5390075", "5390075-B", "likely"],
  ["5390075", "IBAN: BE68 5390 0754 7034 5390075", "certain"],
  ["5390075", "IBAN DE89 3704 0044 5390075", undefined],
  ["37040044", "von DE89 3704 0044 0532 0130 00", undefined],
  ["RF18 5390 0754 7034", "RF18539007547034", "certain"],
  ["INV-204", "Payment INV-2041", undefined],
  ["INV-2041", "Payment XINV-2041", undefined],
])("the reference %s in the text %j is %s", (reference, text, confidence) => {
  // Without the party, an amount alone matches nothing.
  const payment = paid("a", { texts: [text], ...(confidence === undefined && { counterparty: undefined }) });
  const { matches } = matchPayments([item({ reference })], [payment], rules);
  expect(matches.map((each) => each.confidence)).toEqual(confidence === undefined ? [] : [confidence]);
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

describe("a returned payment", () => {
  const bill = item({
    amount: "-5731.74",
    currency: "USD",
    reference: "PO-37237",
    party: "Prairie Data LLC",
    date: undefined,
  });
  const sent = (id: string, date: string, values: Partial<Payment> = {}): Payment => ({
    transaction_id: id,
    account_id: "one",
    amount: "-5731.74",
    currency: "USD",
    date,
    counterparty: "Prairie Data LLC",
    reference: "PO-37237",
    texts: ["PO-37237", "Payment to Prairie Data LLC"],
    ...values,
  });
  const back = (id: string, date: string, values: Partial<Payment> = {}): Payment =>
    sent(id, date, { amount: "5731.74", isReturn: true, texts: ["PO-37237", "Returned payment"], ...values });
  const [first, returned, second] = [
    sent("first", "2026-11-16"),
    back("back", "2026-11-17"),
    sent("again", "2026-11-18"),
  ];
  const day = "2026-11-16";
  const at = (hour: string) => ({ booked: `${day}T${hour}:00:00Z` });
  const income = { ...bill, amount: "5731.74" };
  const nothing = (...others: string[]) => ["open 1: -5731.74", ...others];

  test.each<[name: string, Item, Payment[], string[]]>([
    ["pays nothing", bill, [first, returned], nothing("other first", "other back")],
    [
      "from a customer pays nothing",
      income,
      [sent("first", day, { amount: "5731.74" }), back("back", "2026-11-17", { amount: "-5731.74" })],
      ["open 1: 5731.74", "other first", "other back"],
    ],
    [
      "is not repeated by the next one",
      bill,
      [second, returned, first],
      ["one to one, certain: 1 by again", "other first", "other back"],
    ],
    [
      "of one day is found by the booking time",
      bill,
      [sent("z", day, at("08")), back("b", day, at("09")), sent("a", day, at("10"))],
      ["one to one, certain: 1 by a", "other b", "other z"],
    ],
    [
      "has one return",
      bill,
      [first, returned, second, back("back again", "2026-11-19")],
      nothing("other first", "other back", "other again", "other back again"),
    ],
    ["is no receipt", income, [returned], ["open 1: 5731.74", "other back"]],
    [
      "of another amount prevents a certain match",
      bill,
      [first, back("less", "2026-11-17", { amount: "5716.74" })],
      ["one to one, likely: 1 by first", "other less"],
    ],
    [
      "with the payment named in its text pays nothing",
      bill,
      [first, back("back", "2026-11-17", { reference: "R-1", texts: ["R-1", "Return of PO-37237"] })],
      nothing("other first", "other back"),
    ],
    [
      "pays nothing if its return names the same item in other words",
      bill,
      [
        sent("first", day, { reference: "Invoice PO-37237", texts: ["Invoice PO-37237"] }),
        back("back", "2026-11-17", { reference: "RETURN PO-37237", texts: ["RETURN PO-37237"] }),
      ],
      nothing("other first", "other back"),
    ],
    [
      "without a reference, of the same party, pays nothing",
      bill,
      [first, back("back", "2026-11-17", { reference: undefined, texts: ["Returned"] })],
      nothing("other first", "other back"),
    ],
  ])("%s", (_, expected, payments, outcome) => {
    expect(summarizeMatching(matchPayments([expected], payments, rules))).toEqual(outcome);
  });

  test.each<[string, Partial<Payment>]>([
    ["in another account", { account_id: "other" }],
    ["in another currency", { currency: "EUR" }],
    ["of another reference", { reference: "PO-37238", texts: ["PO-37238"] }],
    ["before the payment", { date: "2026-11-15" }],
    ["of another type", { isReturn: false }],
  ])("is not returned by money %s", (_, values) => {
    const { matches } = matchPayments([bill], [first, back("back", "2026-11-17", values)], rules);
    expect(matches).toHaveLength(1);
  });

  test("is recognised at the service, and the next payment pays", async () => {
    const { client, control, world, accounts } = await openBooks({
      now: new Date("2026-11-17T09:00:00Z"),
      daysBehind: 1,
    });
    const account = accounts.find(
      (each) => each.currency === "USD" && availableBalance(world, each).gt(20_000),
    )!;
    const pay = (amount: string, type: "debit" | "payment_returned") => {
      const facts = { type, reference: "PO-90001", information: type };
      moveMoney(world, account, new Big(amount), "nostro", { ...facts, counterparty: { name: "Prairie" } });
      control.advanceClock({ seconds: 60 });
    };
    const reconcile = () =>
      client.transactions.reconcile({
        items: [{ amount: "5731.74", currency: "USD", reference: "PO-90001", party: "Prairie" }],
        direction: "out",
        period: "2026-11-10..2026-11-20",
        accounts: [account.accountId],
      });
    pay("-5731.74", "debit");
    pay("5731.74", "payment_returned");
    expect(await reconcile()).toMatchObject({
      matched: [],
      open_items: [{ open: "-5731.74", candidates: [{ differs: ["returned"] }, { differs: ["direction"] }] }],
    });
    pay("-5731.74", "debit");
    expect(await reconcile()).toMatchObject({ matched: [{ confidence: "certain" }], open_items: [] });
  });
});
