/** Rules for payments to creditors that the policy does not list, and limits of single requesters. */
import type { CallOptions, FxdeskClient } from "@fxdesk/toolkit";
import { pain001 } from "../../sandbox/open-banking/documents";
import { sampleInput } from "../../support/samples";
import {
  createReleaseFixture,
  people,
  type PolicyInput,
  type ReleaseFixture,
  sampleOrder,
} from "./release-fixture";

const [landlord, supplier, stranger] = [
  "DE12500105170648489890",
  "NL13TEST0123456789",
  "BE68539007547034",
] as const;
const policy: PolicyInput = {
  people: [...people],
  creditors: [
    { name: "Landlord", account: "de12 5001 0517 0648 4898 90" },
    { name: "Supplier", account: supplier },
  ],
  rules: [{ creditors: "unknown", from: ["anna"] }],
};

let place: ReleaseFixture;
let client: FxdeskClient;
let single: Record<string, unknown>;
beforeAll(async () => {
  place = await createReleaseFixture({ policy });
  client = place.client();
  single = await sampleInput("payments.initiate", client);
});
beforeEach(() => place.setPolicy(policy));

let inputs = 0;
const outcomeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "sent",
    ({ code }: { code: string }) => code,
  );
const reference = () => `E-${(inputs += 1)}`;
const nextWeek = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);

const pay = (creditorAccount: unknown, more: object = {}) =>
  client.payments.initiate({
    ...single,
    creditorAccount,
    endToEndIdentification: reference(),
    ...more,
  } as never);
const standingOrder = { "payment-service": "periodic-payments", startDate: nextWeek, frequency: "Monthly" };
const payAll = (ibans: readonly string[], options: CallOptions = {}) => {
  const { instructedAmount, creditorName, debtorAccount } = single;
  const payments = ibans.map((iban) => ({
    instructedAmount,
    creditorName,
    creditorAccount: { iban },
    endToEndIdentification: reference(),
  }));
  return client.payments.initiateBulk(
    {
      "payment-product": "sepa-credit-transfers",
      "TPP-Redirect-URI": "https://app.example/done",
      debtorAccount,
      payments,
    } as never,
    options,
  );
};
const debtor = () => (single.debtorAccount as { iban: string }).iban;
const send = (accounts: readonly string[], options: CallOptions = {}) =>
  client.payments.initiateBulk(
    {
      "payment-product": "pain.001-sepa-credit-transfers",
      "TPP-Redirect-URI": "https://app.example/done",
      pain001: pain001({
        debtor: debtor(),
        day: nextWeek,
        transfers: accounts.map((account) => ({ account, reference: reference() })),
      }),
    } as never,
    options,
  );
const iban = (number: string) => `<Id><IBAN>${number}</IBAN></Id>`;

const calls: readonly [string, "known" | "unknown", () => Promise<unknown>][] = [
  ["a payment", "known", () => pay({ iban: landlord })],
  ["a payment to another account", "unknown", () => pay({ iban: stranger })],
  ["a payment to a number that is no IBAN", "unknown", () => pay({ bban: landlord })],
  ["a payment with a second number", "unknown", () => pay({ iban: landlord, bban: "123456789" })],
  ["a standing order", "known", () => pay({ iban: supplier }, standingOrder)],
  ["a standing order to another account", "unknown", () => pay({ iban: stranger }, standingOrder)],
  ["a bulk payment", "known", () => payAll([landlord, supplier])],
  ["a bulk payment with one other account", "unknown", () => payAll([landlord, stranger, supplier])],
  ["a document", "known", () => send([iban(landlord), iban(supplier)])],
  ["a document with one other account", "unknown", () => send([iban(landlord), iban(stranger)])],
  ["a document with an account without IBAN", "unknown", () => send(["<Id><Othr><Id>7</Id></Othr></Id>"])],
  [
    "a booking of a trade",
    "known",
    async () => client.trades.book((await sampleInput("trades.book", client)) as never),
  ],
  [
    "an undeclared call",
    "unknown",
    () => client.request({ method: "POST", path: "/beneficiaries", body: {} }),
  ],
];
test.each(calls)("%s has a creditor that is %s", async (_, creditor, call) => {
  expect(await outcomeOf(call())).toBe(creditor === "known" ? "sent" : "release_needed");
});

test("an order of a trade has no creditor, and a cancellation no known one", async () => {
  const { state } = await client.orders.order(sampleOrder());
  expect(state).toBe("released");
  const { paymentId } = await client.payments.initiate({
    ...single,
    creditorAccount: { iban: landlord },
  } as never);
  const cancellation = {
    "payment-service": "payments",
    "payment-product": "sepa-credit-transfers",
    paymentId,
  };
  expect(await outcomeOf(client.payments.cancel(cancellation as never))).toBe("release_needed");
});

test("a rule for creditors says nothing about trades: where releases are required, each needs one", async () => {
  const { state } = await client.orders.order(sampleOrder(), { release: "needed" });
  expect(state).toBe("waiting");
});

test("a rule for unknown creditors needs a list, and applies together with amounts", async () => {
  const { creditors: _, ...withoutList } = policy;
  await place.setPolicy(withoutList);
  expect(await outcomeOf(pay({ iban: landlord }))).toBe("release_refused");
  await place.setPolicy({ ...policy, creditors: [{ name: "A", account: "1234" }] });
  expect(await outcomeOf(pay({ iban: landlord }))).toBe("release_refused");
  await place.setPolicy({
    ...policy,
    amounts: { currency: "EUR" },
    rules: [{ creditors: "unknown", above: "100" }],
  });
  const amount = (text: string) => ({ instructedAmount: { currency: "EUR", amount: text } });
  expect(await outcomeOf(pay({ iban: stranger }, amount("99.00")))).toBe("sent");
  expect(await outcomeOf(pay({ iban: stranger }, amount("101.00")))).toBe("release_needed");
  expect(await outcomeOf(pay({ iban: landlord }, amount("101.00")))).toBe("sent");
});

test("the list of the policy at the time of the call decides", async () => {
  const input = { ...single, creditorAccount: { iban: landlord }, endToEndIdentification: reference() };
  await place.setPolicy({ ...policy, creditors: [{ name: "Supplier", account: supplier }] });
  expect(await outcomeOf(client.payments.initiate(input as never))).toBe("release_needed");
  await place.setPolicy(policy);
  expect(await outcomeOf(client.payments.initiate(input as never))).toBe("sent");
});

test("a requester has lower limits than others, for a request and for a day", async () => {
  await place.setPolicy({
    people: [...people],
    amounts: { currency: "EUR" },
    limits: { perRequesterPerDay: "1000", requesters: { carl: { perTrade: "100", perDay: "150" } } },
  });
  const spend = (actor: string, amount: string) =>
    outcomeOf(
      place.client({ as: actor }).payments.initiate({
        ...single,
        endToEndIdentification: reference(),
        instructedAmount: { currency: "EUR", amount },
      } as never),
    );
  expect(await spend("carl", "100.01")).toBe("release_refused");
  expect(await spend("carl", "100.00")).toBe("sent");
  expect(await spend("carl", "50.01")).toBe("release_refused");
  expect(await spend("carl", "50.00")).toBe("sent");
  expect(await spend("dora", "1000.00")).toBe("sent");
  expect(await spend("dora", "0.01")).toBe("release_refused");
  await place.setPolicy({
    people: ["anna"],
    amounts: { currency: "EUR" },
    limits: { requesters: { carl: { perDay: "1" } } },
  });
  expect(await spend("anna", "1.00")).toBe("release_refused");
});

test("the first payments to an account are marked for those who decide", async () => {
  const shown: Parameters<NonNullable<CallOptions["confirmRelease"]>>[0]["description"][] = [];
  const confirmRelease: CallOptions["confirmRelease"] = async ({ description }) => {
    shown.push(description);
    return true;
  };
  /** Requests two payments. Returns which of their accounts were marked. */
  const marked = async (ask: typeof payAll | typeof send, accounts: readonly string[]) => {
    expect(await outcomeOf(ask(accounts, { confirmRelease }))).toBe("release_needed");
    const { columns, rows } = shown.at(-1)!.tables[0]!;
    const first = columns.indexOf("First payment");
    return rows.map((row) => row[first] ?? "");
  };
  const [paid, unpaid] = ["FR1420041010050500013M02606", "GB29NWBK60161331926819"] as const;
  await place.setPolicy({
    people: [...people],
    rules: [{ effects: ["money"], above: "100000" }],
    amounts: { currency: "EUR" },
  });
  expect(await outcomeOf(pay({ iban: paid }))).toBe("sent");
  await place.setPolicy({ people: [...people], rules: [{ effects: ["money"] }] });
  expect(await marked(payAll, [paid, unpaid])).toEqual(["", "yes"]);
  expect(await marked(send, [iban(paid), iban(unpaid)])).toEqual(["", "yes"]);
  expect(await marked(payAll, [paid, paid])).toEqual(["", ""]);
});
