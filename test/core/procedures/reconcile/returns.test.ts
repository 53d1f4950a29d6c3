/** Returned payments and their returns pay nothing. */
import { Big } from "big.js";
import type { Item, Payment } from "../../../../core/procedures/reconcile/comparison";
import { matchPayments } from "../../../../core/procedures/reconcile/match";
import { matchReturns } from "../../../../core/procedures/reconcile/returns";
import { availableBalance, moveMoney } from "../../../../sandbox/src/world/accounts/accounts";
import { type Books, openBooks } from "../../../support/books";

const rules = { feeTolerance: "25.00", days: 60 };

const bill: Item = {
  item: 1,
  amount: "-5731.74",
  currency: "USD",
  reference: "PO-37237",
  party: "Prairie Data LLC",
};

const paid = (id: string, date: string, values: Partial<Payment> = {}): Payment => ({
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

const returnOf = (id: string, date: string, values: Partial<Payment> = {}): Payment =>
  paid(id, date, {
    amount: "5731.74",
    isReturn: true,
    texts: ["PO-37237", "Returned payment to Prairie Data LLC"],
    ...values,
  });

const firstPayment = paid("first", "2026-11-16");
const returned = returnOf("back", "2026-11-17");
const secondPayment = paid("again", "2026-11-18");

const matchesOf = (items: readonly Item[], payments: readonly Payment[]) => {
  const { matches, openItems, openPayments } = matchPayments(items, payments, rules);
  return {
    matches: matches.map(
      ({ kind, confidence, payments: used }) =>
        `${kind}, ${confidence}: ${used.map((each) => each.transaction_id).join("+")}`,
    ),
    open: openItems.map(({ candidates }) =>
      candidates.map(({ payment, agrees, differs }) => [payment.transaction_id, agrees, differs]),
    ),
    others: openPayments.map(({ payment, repeats }) => [payment.transaction_id, repeats]),
  };
};

test("a returned payment pays nothing, and its return is a candidate", () => {
  expect(matchesOf([bill], [firstPayment, returned])).toEqual({
    matches: [],
    open: [
      [
        ["first", ["reference", "amount", "party"], ["returned"]],
        ["back", ["reference", "party"], ["direction"]],
      ],
    ],
    others: [
      ["first", undefined],
      ["back", undefined],
    ],
  });
});

test("a returned customer payment pays nothing", () => {
  const item = { ...bill, amount: "5731.74" };
  const payments = [
    { ...firstPayment, amount: "5731.74" },
    { ...returned, amount: "-5731.74" },
  ];
  const { matches, open } = matchesOf([item], payments);
  expect(matches).toEqual([]);
  expect(open.flat().map(([id]) => id)).toEqual(["first", "back"]);
});

test("a second payment after a return is not a repetition", () => {
  expect(matchesOf([bill], [secondPayment, returned, firstPayment])).toEqual({
    matches: ["one to one, certain: again"],
    open: [],
    others: [
      ["first", undefined],
      ["back", undefined],
    ],
  });
});

test("uses the booking time to find the returned payment of one day", () => {
  const day = "2026-11-16";
  const at = (hour: string) => ({ date: day, booked: `${day}T${hour}:00:00Z` });
  const payments = [paid("z", day, at("08")), returnOf("b", day, at("09")), paid("a", day, at("10"))];
  expect(matchesOf([bill], payments).matches).toEqual(["one to one, certain: a"]);
});

test("matches each return with one payment", () => {
  const second = returnOf("back again", "2026-11-19");
  expect(matchesOf([bill], [firstPayment, returned, secondPayment, second]).matches).toEqual([]);
  expect(matchesOf([bill], [firstPayment, secondPayment, second]).matches).toEqual([
    "one to one, certain: first",
  ]);
});

test("a return is not a receipt, even with the same party and amount", () => {
  const item = { item: 1, amount: "5731.74", currency: "USD", party: "Prairie Data LLC" };
  expect(matchesOf([item], [returned])).toEqual({ matches: [], open: [[]], others: [["back", undefined]] });
  const named = { ...item, reference: "PO-37237" };
  expect(matchesOf([named], [returned]).matches).toEqual([]);
});

test("a return of another amount prevents a certain match", () => {
  const less = returnOf("less", "2026-11-17", { amount: "5716.74" });
  expect(matchesOf([bill], [firstPayment, less]).matches).toEqual(["one to one, likely: first"]);
  expect(matchesOf([bill], [less, secondPayment]).matches).toEqual(["one to one, certain: again"]);
});

test.each<[string, Partial<Payment>]>([
  ["in another account", { account_id: "other" }],
  ["in another currency", { currency: "EUR" }],
  ["of another reference", { reference: "PO-37238", texts: ["PO-37238"] }],
  ["before the payment", { date: "2026-11-15" }],
  ["of another type", { isReturn: false }],
])("money %s is not a return", (_, values) => {
  expect([...matchReturns([firstPayment, returnOf("back", "2026-11-17", values)])]).toEqual([]);
});

test.each<[string, Partial<Payment>]>([
  ["names the payment in its text", { reference: "R-1", texts: ["R-1", "Return of PO-37237"] }],
  ["has no reference, and is of the same party", { reference: undefined, texts: ["Returned"] }],
])("matches a return that %s", (_, values) => {
  const other = paid("other", "2026-11-10", { counterparty: "Somebody Inc", reference: "PO-1", texts: [] });
  const found = matchReturns([other, firstPayment, returnOf("back", "2026-11-17", values)]);
  expect([...found].map(([one, two]) => [one.transaction_id, two.transaction_id])).toEqual([
    ["first", "back"],
  ]);
});

describe("with the service", () => {
  let desk: Books;
  const now = new Date("2026-11-17T09:00:00Z");
  beforeAll(async () => {
    desk = await openBooks({ now, seed: "returns", daysBehind: 1 });
  });
  afterAll(() => desk.close());

  const dollars = () =>
    desk.accounts.find(
      (account) => account.currency === "USD" && availableBalance(desk.world, account).gt(20_000),
    )!;
  const counterparty = { name: "Prairie Data LLC" };
  const pay = (amount: string, type: "debit" | "payment_returned", reference: string) => {
    const account = dollars();
    moveMoney(desk.world, account, new Big(amount), "nostro", {
      type,
      reference,
      information: type,
      counterparty,
    });
    const booked = desk.movements.findLast((each) => each.account === account.accountId)!;
    desk.control.advanceClock({ seconds: 60 });
    return booked.id;
  };
  const reconcile = async (reference: string) => {
    const calls: string[] = [];
    const client = desk.another({
      interceptors: [
        (call, next) => {
          calls.push(call.operation.name);
          return next();
        },
      ],
    });
    const result = await client.transactions.reconcile({
      items: [{ amount: "5731.74", currency: "USD", reference, party: "Prairie Data LLC" }],
      direction: "out",
      period: "2026-11-10..2026-11-20",
      accounts: [dollars().accountId],
    });
    return { ...result, reads: calls.filter((name) => name === "transactions.list").length };
  };

  test("a supplier is paid only by the second payment after a return", async () => {
    const paidOnce = pay("-5731.74", "debit", "PO-90001");
    const cameBack = pay("5731.74", "payment_returned", "PO-90001");
    const before = await reconcile("PO-90001");
    expect([before.matched, before.reads]).toEqual([[], 1]);
    expect(before.open_items).toMatchObject([
      {
        open: "-5731.74",
        candidates: [
          { transaction_id: paidOnce, differs: ["returned"] },
          { transaction_id: cameBack, differs: ["direction"] },
        ],
      },
    ]);
    const open = before.open_transactions.map(({ transaction_id: id }) => id);
    expect(open).toEqual(expect.arrayContaining([paidOnce, cameBack]));

    const paidAgain = pay("-5731.74", "debit", "PO-90001");
    const after = await reconcile("PO-90001");
    expect(after.matched).toMatchObject([
      { confidence: "certain", transactions: [{ transaction_id: paidAgain }] },
    ]);
    expect(after.open_transactions.filter(({ repeats }) => repeats !== undefined)).toEqual([]);
  });
});
