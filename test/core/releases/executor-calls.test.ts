/** Each kind of call that can be released is sent exactly once, by the executor of another client. */
import { randomUUID } from "node:crypto";
import { demo } from "@fxdesk/sandbox";
import type { CallOptions, FxdeskClient, FxdeskError } from "@fxdesk/toolkit";
import { operations, type Values } from "@fxdesk/toolkit/operations";
import type { SealedCall } from "../../../core/releases/terms";
import { pain001 } from "../../sandbox/open-banking/documents";
import { eventually } from "../../support/eventually";
import { makeQuote, sampleInput, sandboxClient } from "../../support/samples";
import { createReleaseFixture, people, type ReleaseFixture } from "./release-fixture";

type Call = (client: FxdeskClient) => Promise<unknown>;

let place: ReleaseFixture;
/** Prepares inputs without releases. */
let preparing: FxdeskClient;
beforeAll(async () => {
  place = await createReleaseFixture({
    policy: {
      people: [...people],
      rules: [{ effects: ["money", "change"], from: ["anna", "bert"] }],
      quoteEverySeconds: 0.05,
    },
  });
  preparing = sandboxClient(place.sandbox);
});
afterAll(() => preparing.close());

const callOf =
  (name: string, input: Values): Call =>
  (client) =>
    client.call(
      operations.find((each) => each.name === name)!,
      input,
    );

/** Returns a call of each operation of the contract that can be released. */
const declaredCalls = async (): Promise<[what: string, call: Call][]> => {
  const calls: [string, Call][] = [];
  for (const { name, effect } of operations)
    if (effect !== "read") calls.push([name, callOf(name, await sampleInput(name, preparing))]);
  return calls;
};

const nextWeek = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);

/** Returns the forms of a payment that the samples leave out. */
async function paymentCalls(): Promise<[what: string, call: Call][]> {
  const { instructedAmount, ...payment } = await sampleInput("payments.initiate", preparing);
  const { "TPP-Redirect-URI": redirect, debtorAccount } = payment;
  const document = pain001({ debtor: (debtorAccount as { iban: string }).iban, day: nextWeek });
  const standingOrder = { startDate: nextWeek, frequency: "Monthly" };
  const inDocument = {
    "payment-product": "pain.001-sepa-credit-transfers",
    "TPP-Redirect-URI": redirect,
    pain001: document,
  };
  return [
    [
      "a standing order",
      { ...payment, instructedAmount, "payment-service": "periodic-payments", ...standingOrder },
    ],
    [
      "a list of payments",
      {
        "payment-service": "bulk-payments",
        "payment-product": payment["payment-product"],
        "TPP-Redirect-URI": redirect,
        debtorAccount,
        payments: [{ instructedAmount, creditorAccount: payment.creditorAccount, creditorName: "List" }],
      },
    ],
    ["a document", { ...inDocument, "payment-service": "payments" }],
    ["a document with several payments", { ...inDocument, "payment-service": "bulk-payments" }],
    [
      "a document with a standing order",
      { ...inDocument, "payment-service": "periodic-payments", ...standingOrder },
    ],
  ].map(([what, input]) => [String(what), callOf("payments.initiate", input as Values)]);
}

const query = { client_id: demo.clientId };
const quote = { amount: 1_000, operation: "sell", buy_currency: "USD", sell_currency: "EUR" };

const createQuote =
  (options?: CallOptions): Call =>
  (client) =>
    client.call(
      client.service.operations.find(({ name }) => name === "quotes.create")!,
      quote,
      options,
    );

/** Returns requests to declared routes, and to one that the service does not have. */
const requestCalls = async (): Promise<[what: string, call: Call][]> => {
  const quote_id = await makeQuote(preparing);
  const trade = { reason: "other", reference: "R-1" };
  return [
    ["a quote", createQuote()],
    [
      "a quote for the client and contact of its options",
      createQuote({ clientId: "another", contactId: "someone else" }),
    ],
    [
      "a request for a quote",
      (client) =>
        client.request({ method: "POST", path: "/quotes", query, body: { ...quote, amount: 2_000 } }),
    ],
    [
      "a request for a trade",
      (client) =>
        client.request({ method: "POST", path: "/trades", query: { ...query, quote_id }, body: trade }),
    ],
    [
      "a request to an unknown consent",
      (client) => client.request({ method: "DELETE", path: "/v1/consents/unknown", server: "xs2a" }),
    ],
    [
      "a request to an unknown route",
      (client) =>
        client.request({ method: "POST", path: "/nowhere", query, body: { nested: [{ a: 1 }], b: null } }),
    ],
  ];
};

/** Returns a call whose options replace the settings of its connection. */
async function callWithOptions(): Promise<[what: string, call: Call]> {
  const payment = (await sampleInput("payments.initiate", preparing)) as unknown as Parameters<
    FxdeskClient["payments"]["initiate"]
  >[0];
  return [
    "a payment with options",
    (client) =>
      client.payments.initiate(
        { ...payment, endToEndIdentification: "E-OPTIONS" },
        {
          key: "K-1",
          requestId: randomUUID(),
          psu: { "PSU-IP-Address": "192.0.2.7" },
          correlation: { row: 1 },
        },
      ),
  ];
}

const report = async (id: string) => (await place.service.get(id)).release;

/** Returns the outcome of a release, or why it was not sent. */
const untilOutcome = (id: string) =>
  eventually(
    async () => {
      const { outcome, remark } = (await report(id)).progress;
      return outcome ?? remark;
    },
    { withinMs: 15_000, what: `an outcome of ${id}` },
  );

const expectedOutcomes: Readonly<Record<string, string>> = {
  "a quote for the client and contact of its options": "rejected",
  "a request to an unknown consent": "rejected",
  "a request to an unknown route": "rejected",
};

test("sends each kind of call once", async () => {
  const calls = [
    ...(await declaredCalls()),
    ...(await paymentCalls()),
    ...(await requestCalls()),
    await callWithOptions(),
  ];
  const requester = place.client({ people: "/nowhere/people.json" });
  const ids: string[] = [];
  for (const [what, call] of calls) {
    const error: unknown = await call(requester).catch((reason: unknown) => reason);
    expect({ what, error }).toMatchObject({ error: { code: "release_needed" } });
    ids.push((error as { release: string }).release);
  }
  await requester.close();
  for (const id of ids) await place.decide(id, "anna");
  const before = place.sandbox.requests.length;
  const sent = () =>
    place.sandbox.requests
      .slice(before)
      .filter(({ method }) => method !== "GET")
      .map(({ method, url }) => `${method} ${url}`)
      .toSorted();

  const executor = place.client({ as: "carl" });
  await executor.orders.start();
  const outcomes: string[] = [];
  for (const id of ids) outcomes.push(await untilOutcome(id));
  await executor.close();
  expect(Object.fromEntries(calls.map(([what], index) => [what, outcomes[index]]))).toEqual(
    Object.fromEntries(calls.map(([what]) => [what, expectedOutcomes[what] ?? "done"])),
  );

  // Their requester gets the recorded outcomes.
  const again = place.client();
  for (const [what, call] of calls) {
    const outcome = await call(again).then(
      () => "done",
      (reason: unknown) => (reason as FxdeskError).outcome,
    );
    expect({ what, outcome }).toEqual({ what, outcome: expectedOutcomes[what] ?? "done" });
  }
  const released = await Promise.all(ids.map(async (id) => (await report(id)).sealed as SealedCall));
  expect(sent()).toEqual(released.map(({ terms: { method, target } }) => `${method} ${target}`).toSorted());
});
