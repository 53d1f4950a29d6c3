/** Missing, misspelt and unreadable protection stops money: nothing reaches the service, and no release is requested. */
import { writeFile } from "node:fs/promises";
import { bookTrade } from "../../../core/contract/trades";
import { initiatePayment } from "../../../core/contract/payments";
import { operations } from "../../../core/contract/all";
import { z } from "zod";
import type { FxdeskClient } from "@fxdesk/toolkit";
import { hashStoredEvent, type StoredEvent } from "../../../core/journal/hash-chain";
import { type Store, withStore } from "../../../core/store/open";
import { pain001 } from "../../sandbox/open-banking/documents";
import { makeQuote, sampleInput } from "../../support/samples";
import { createReleaseFixture, people, type ReleaseFixture, sampleOrder, secretOf } from "./release-fixture";

let place: ReleaseFixture;
let client: FxdeskClient;
let payment: Parameters<FxdeskClient["payments"]["initiate"]>[0];
beforeAll(async () => {
  place = await createReleaseFixture();
  client = place.client();
  payment = (await sampleInput("payments.initiate", client)) as unknown as typeof payment;
});

const changesAtService = () => place.sandbox.requests.filter(({ method }) => method !== "GET").length;
const countReleases = async () => (await place.service.list({ limit: 1_000 })).releases.length;

/** Makes a call that must be refused before anything is sent or requested. */
async function expectRefusal(call: () => Promise<unknown>): Promise<void> {
  const before = [changesAtService(), await countReleases()];
  await expect(call()).rejects.toMatchObject({ code: "release_refused", outcome: "not-sent" });
  expect([changesAtService(), await countReleases()]).toEqual(before);
}

test.each([
  ["an unknown operation", { rules: [{ operations: ["payment.initiate"] }] }],
  ["a wildcard", { rules: [{ operations: ["payments.*"] }] }],
  ["an operation that only reads", { rules: [{ operations: ["payments.get"] }] }],
  ["an unknown trade type", { types: ["sopt"] }],
  ["an unknown effect", { rules: [{ effects: ["all"] }] }],
  ["an unknown person", { rules: [{ from: ["eve"] }] }],
  ["an empty rule", { rules: [{}] }],
  ["an empty list of rules", { rules: [] }],
  ["empty limits", { amounts: { currency: "EUR" }, limits: {} }],
])("a policy with %s sends no money", async (_, faulty) => {
  await place.setPolicy({ people: [...people], ...faulty } as never);
  await expectRefusal(() => client.payments.initiate(payment));
  await expectRefusal(() => client.orders.order(sampleOrder()));
});

test("a policy with a repeated field sends no money", async () => {
  await writeFile(
    place.policyPath,
    `{ "people": ["desk"], "rules": [{ "effects": ["money"] }], "rules": [{ "effects": ["change"] }] }`,
  );
  await expectRefusal(() => client.payments.initiate(payment));
});

test("a call that needs release is refused where no people are configured", async () => {
  const alone = place.client({ policy: undefined, people: undefined });
  await expectRefusal(() => alone.payments.initiate(payment, { release: "needed" }));
});

test("a decision needs the seal of the terms that were shown", async () => {
  await place.setPolicy({ people: [...people], rules: [{ effects: ["money"] }] });
  // Its worker would book the order during the other tests.
  const own = place.client();
  const { release, seal } = await own.orders.order(sampleOrder());
  const decision = { person: "anna", secret: secretOf("anna"), decision: "release" } as const;
  for (const wrong of [{}, { seal: undefined }, { seal: null }, { seal: "" }, { seal: seal.slice(1) }])
    await expect(own.orders.decide(release, { ...decision, ...wrong } as never)).rejects.toMatchObject({
      code: "release_refused",
    });
  expect((await own.orders.get(release)).state).toBe("waiting");
  await own.close();
  expect((await client.orders.decide(release, { ...decision, seal })).state).toBe("released");
});

describe("releases by default", () => {
  const payIn = (options: object) => client.payments.initiate(payment, { ...options, release: "needed" });

  test.each([
    ["of limits only", { amounts: { currency: "EUR" }, limits: { perDay: "100000" } }],
    ["of rules for other calls", { rules: [{ operations: ["trades.book"] }, { effects: ["change"] }] }],
  ])("apply under a policy %s", async (_, policy) => {
    await place.setPolicy({ people: [...people], ...policy } as never);
    const before = changesAtService();
    const options = { key: `default ${_}` };
    const waiting = await payIn(options).catch((error: unknown) => error);
    expect(waiting).toMatchObject({ code: "release_needed", outcome: "not-sent" });
    expect(changesAtService()).toBe(before);
    const { release } = waiting as { release: string };
    await expect(place.decide(release, "desk")).rejects.toThrow();
    expect(await place.decide(release, "dora")).toMatchObject({ state: "released" });
    expect(await payIn(options)).toMatchObject({ paymentId: expect.any(String) as string });
    const own = place.client();
    expect(await own.orders.order(sampleOrder(), { release: "needed" })).toMatchObject({ state: "waiting" });
    await own.close();
  });

  test("do not apply where a rule matches", async () => {
    await place.setPolicy({
      people: [...people],
      rules: [{ effects: ["money"], above: "100000" }],
      amounts: { currency: "EUR" },
    });
    expect(await payIn({})).toMatchObject({ paymentId: expect.any(String) as string });
  });
});

describe("whatever declaration is given", () => {
  const paymentPath = "/v1/payments/sepa-credit-transfers";
  const readPayment = { ...initiatePayment, name: "my.read", effect: "read" as const };
  let inputs = 0;
  /** Returns a payment that differs from all others. */
  const input = (): Record<string, unknown> => ({ ...payment, endToEndIdentification: `E-${(inputs += 1)}` });
  const body = () => {
    const { "payment-service": _s, "payment-product": _p, "PSU-IP-Address": _i, ...fields } = input();
    return fields;
  };
  const request = (method: "POST" | "DELETE", path: string, more = {}) =>
    client.request({ method, path, ...more });

  const calls: Record<string, () => Promise<unknown>> = {
    "the declaration of a payment with another effect": () => client.call(readPayment, input()),
    "that declaration with one parameter for the whole path": () =>
      client.call(
        { ...bookTrade, effect: "read", path: "/{place}", parameters: { place: z.string() } } as never,
        { place: "trades", quote_id: "q-1", reason: "other" },
      ),
    "a request for a payment": () => request("POST", paymentPath, { server: "xs2a", body: body() }),
    "a request for a payment, spelled in another way": () =>
      request("POST", "/v1/PAYMENTS/sepa%2Dcredit-transfers/", { server: "xs2a", body: body() }),
    "a request at another server of the same address": () =>
      place
        .client({ baseUrl: place.sandbox.xs2aUrl })
        .request({ method: "POST", path: paymentPath, body: body() }),
    "a booking": () => request("POST", "/trades", { query: { quote_id: "q-1" }, body: { reason: "other" } }),
    "a cancellation": () => request("DELETE", `${paymentPath}/p-1`, { server: "xs2a" }),
    "a path that the service does not declare": () => request("POST", "/beneficiaries", { body: {} }),
    "a declaration of one's own": () =>
      client.call({ ...bookTrade, name: "my.order", effect: "change", path: "/orders" } as never, {
        quote_id: "q-1",
        reason: "other",
      }),
  };

  test.each(Object.keys(calls))("%s needs the release of money", async (name) => {
    await place.setPolicy({ people: [...people], rules: [{ effects: ["money"] }] });
    const before = changesAtService();
    await expect(calls[name]!()).rejects.toMatchObject({ code: "release_needed", outcome: "not-sent" });
    expect(changesAtService()).toBe(before);
  });

  test("rules by name apply to the route", async () => {
    await place.setPolicy({ people: [...people], rules: [{ operations: ["payments.initiate"] }] });
    for (const call of [
      () => client.call(readPayment, input()),
      () => request("POST", paymentPath, { server: "xs2a", body: body() }),
    ])
      await expect(call()).rejects.toMatchObject({ code: "release_needed", operation: "payments.initiate" });
  });

  test("an interceptor cannot pass on a payment as a read, nor change the target of a call", async () => {
    await place.setPolicy({ people: [...people] });
    const prepared = client.prepare(
      operations.find(({ name }) => name === "payments.initiate")!,
      input(),
    );
    const passingOn = (change: object) =>
      place.client({ interceptors: [(call, next) => next({ ...call, ...change } as never)] });
    const before = changesAtService();
    for (const call of [
      () => passingOn({ ...prepared, operation: readPayment }).accounts.listCurrencyAccounts({}),
      () =>
        passingOn({ operation: { ...prepared.operation, path: "/other", effect: "read" } }).trades.list({}),
      () =>
        passingOn({ target: "/trades?quote_id=q-1" }).accountDetails.updateAlias({
          account_details_id: "a-1",
          alias: "b",
        }),
    ])
      await expect(call()).rejects.toMatchObject({ code: "interceptor", outcome: "not-sent" });
    expect(changesAtService()).toBe(before);
  });

  test("a declared change keeps its effect, and a money call is in the journal", async () => {
    await place.setPolicy({ people: [...people], rules: [{ effects: ["money"] }] });
    await expect(
      request("POST", "/account-details/request", {
        query: { client_id: "unknown" },
        body: { currency: "GBP", country: "GB" },
      }),
    ).rejects.not.toMatchObject({ code: "release_needed" });
    await place.setPolicy({ people: [...people] });
    const paid = await client.call(readPayment, input());
    expect(paid.journal).toMatchObject({ entry: expect.any(String) as string });
  });

  test("the effect of a request is not for its caller to say", async () => {
    await expect(request("POST", "/trades", { effect: "read" })).rejects.toMatchObject({
      code: "invalid_input",
    });
  });
});

describe("amounts", () => {
  const amounts = { currency: "EUR", rates: { USD: "0.9" } };
  const pay = (currency: string, amount: string, product = "sepa-credit-transfers") =>
    client.payments.initiate({
      ...payment,
      "payment-product": product,
      instructedAmount: { currency, amount },
    } as never);
  const sendDocument = (text: string) =>
    client.payments.initiateBulk({
      "payment-product": "pain.001-sepa-credit-transfers",
      "TPP-Redirect-URI": "https://app.example/done",
      pain001: text,
    } as never);
  const nextWeek = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);
  const document = (amount: string) => pain001({ debtor: iban(), day: nextWeek, transfers: [{ amount }] });
  const iban = () => (payment as unknown as { debtorAccount: { iban: string } }).debtorAccount.iban;
  const quoteFor = (fields: object) => makeQuote(client, { ...fields });
  const book = (quote_id: string) => client.trades.book({ quote_id, reason: "other" });

  const unvalued: Record<string, () => Promise<unknown>> = {
    "a currency without a rate": () => pay("GBP", "1.00", "cross-border-credit-transfers"),
    "a standing order": () =>
      client.payments.initiate({
        ...payment,
        "payment-service": "periodic-payments",
        startDate: "2099-01-01",
        frequency: "Monthly",
      } as never),
    "a document that cannot be read": () => sendDocument(document("1.00").replace("<Amt>", "<Amt><!-- -->")),
    "a booking of an unknown quote": () => book("q-unknown"),
    "a request that the service does not declare": () =>
      client.request({ method: "POST", path: "/beneficiaries" }),
    "an order in currencies without a rate": () =>
      client.orders.order(sampleOrder({ buy_currency: "GBP", sell_currency: "CHF", rate_symbol: "GBPCHF" })),
    // The requester chooses the worst rate, and with it the amount of the other side.
    "an order whose fixed side has no rate": () =>
      client.orders.order(
        sampleOrder({
          buy_currency: "EUR",
          sell_currency: "GBP",
          fixed_side: "sell",
          amount: "50000",
          worst_rate: "0.0001",
          rate_symbol: "GBPEUR",
        }),
      ),
  };

  test.each(
    Object.keys(unvalued).flatMap((name) => [
      [name, "limits", { limits: { perDay: "100000" } }] as const,
      [name, "a threshold", { rules: [{ effects: ["money"], above: "100" }] }] as const,
    ]),
  )("%s is refused under %s", async (name, _, more) => {
    await place.setPolicy({ people: [...people], amounts, ...more } as never);
    await expectRefusal(unvalued[name]!);
  });

  test("of documents and quotes are compared with limits", async () => {
    await place.setPolicy({ people: [...people], amounts, limits: { perTrade: "1000" } });
    await expectRefusal(() => sendDocument(document("1000.01")));
    expect(await sendDocument(document("1000.00"))).toMatchObject({
      paymentId: expect.any(String) as string,
    });
    const [large, small] = [await quoteFor({ amount: 1001 }), await quoteFor({ amount: 1000 })];
    await expectRefusal(() => book(large));
    expect(await book(small)).toMatchObject({ trade_id: expect.any(String) as string });
  });

  test("pairs and types apply to bookings", async () => {
    const quotes = {
      allowed: await quoteFor({ amount: 10 }),
      other: await quoteFor({ amount: 10, buy_currency: "GBP" }),
    };
    await place.setPolicy({ people: [...people], pairs: ["USDEUR"] });
    await expectRefusal(() => book(quotes.other));
    await expectRefusal(() => book("q-unknown"));
    await place.setPolicy({ people: [...people], types: ["forward"] });
    await expectRefusal(() => book(quotes.allowed));
    await place.setPolicy({ people: [...people], pairs: ["USDEUR"] });
    expect(await book(quotes.allowed)).toMatchObject({ trade_id: expect.any(String) as string });
  });

  test("a cancellation commits nothing: limits do not refuse it, and rules for money apply", async () => {
    await place.setPolicy({ people: [...people] });
    const [first, second] = [
      await client.payments.initiate({ ...payment, endToEndIdentification: "E-CANCEL-1" } as never),
      await client.payments.initiate({ ...payment, endToEndIdentification: "E-CANCEL-2" } as never),
    ];
    const cancel = ({ paymentId }: { readonly paymentId: string }) =>
      client.payments.cancel({
        "payment-service": "payments",
        "payment-product": "sepa-credit-transfers",
        paymentId,
      } as never);
    await place.setPolicy({ people: [...people], amounts, rules: [{ effects: ["money"], above: "100000" }] });
    await expect(cancel(first)).rejects.toMatchObject({ code: "release_needed" });
    await place.setPolicy({ people: [...people], amounts, limits: { perDay: "0" } });
    await cancel(second);
  });
});

describe("limits of a day", () => {
  const amounts = { currency: "EUR" };
  const payAs = (options: Parameters<ReleaseFixture["client"]>[0], amount: string, more = {}) =>
    place.client(options).payments.initiate({
      ...payment,
      instructedAmount: { currency: "EUR", amount },
      ...more,
    } as never);

  test("count for all spellings of an address", async () => {
    const own = await createReleaseFixture({
      policy: { people: [...people], amounts, limits: { perDay: "100" } },
    });
    const { xs2aUrl } = own.sandbox;
    const input = (await sampleInput(
      "payments.initiate",
      own.client({ policy: undefined }),
    )) as typeof payment;
    const pay = (options: object) =>
      own
        .client(options)
        .payments.initiate({ ...input, instructedAmount: { currency: "EUR", amount: "60.00" } } as never);
    await pay({});
    for (const options of [
      { xs2aUrl: xs2aUrl.replace("127.0.0.1", "localhost") },
      { xs2aUrl: xs2aUrl.replace("127.0.0.1", "LocalHost") },
    ])
      await expect(pay(options)).rejects.toMatchObject({ code: "release_refused", outcome: "not-sent" });
    // Another name of the environment is refused, whatever the limits.
    await expect(pay({ environment: "sandbox" })).rejects.toMatchObject({ outcome: "not-sent" });
  });

  test.each(["perRequesterPerDay", "perAccountPerDay"] as const)("%s", async (limit) => {
    await place.setPolicy({ people: [...people], amounts, limits: { [limit]: "5000" } });
    const first = limit === "perRequesterPerDay" ? { as: "carl" } : { as: "bert" };
    await payAs(first, "3000.00").catch((error: Error) => error);
    await expect(payAs(first, "3000.00")).rejects.toMatchObject({ code: "release_refused" });
    const other = payAs({ as: "dora" }, "3000.00");
    if (limit === "perRequesterPerDay")
      expect(await other).toMatchObject({ paymentId: expect.any(String) as string });
    else await expect(other).rejects.toMatchObject({ code: "release_refused" });
  });

  /** Writes an event of the last call with the hash that follows: in place of the last event, or after it. */
  const forge =
    (kind: "ended" | "sent", content: string | ((sent: string) => string), isAppended = false) =>
    async ({ run }: Store): Promise<void> => {
      const [last, before] = await run(
        "SELECT * FROM fxdesk_journal_events WHERE environment <> 'store' ORDER BY seq DESC LIMIT 2",
      );
      const { environment, entry } = last as unknown as StoredEvent;
      const [seq, at] = [Number(last!.seq) + (isAppended ? 1 : 0), Number(last!.at)];
      const previous = String((isAppended ? last : before)!.hash);
      const [sent] = await run("SELECT content FROM fxdesk_journal_events WHERE kind = 'sent'");
      const text = typeof content === "string" ? content : content(String(sent!.content));
      const hash = hashStoredEvent(previous, { environment, seq, entry, kind, at, content: text });
      await run("DELETE FROM fxdesk_journal_events WHERE environment = $1 AND seq = $2", [environment, seq]);
      await run(
        `INSERT INTO fxdesk_journal_events (environment, seq, entry, kind, at, content, hash, row_hash)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [environment, seq, entry, kind, at, text, hash, last!.row_hash!],
      );
    };
  const rejection = '{"code":"conflict","state":"rejected"}';

  const sent = "environment <> 'store' AND kind = 'sent'";
  test.each<[what: string, change: readonly string[] | ((store: Store) => Promise<void>)]>([
    ["the last outcome is replaced", forge("ended", rejection)],
    ["another outcome is appended", forge("ended", rejection, true)],
    ["a call without an amount is appended", forge("sent", '{"commitments":[]}', true)],
    ["a negative amount is appended", forge("sent", (text) => text.replace('"30', '"-30'), true)],
    ["the releases are deleted", ["DELETE FROM fxdesk_releases"]],
    [
      "an amount is lowered",
      [`UPDATE fxdesk_journal_events SET content = replace(content, '30', '1') WHERE ${sent}`],
    ],
    [
      "an event is moved to an earlier day",
      ["UPDATE fxdesk_journal_events SET at = at - 172800000 WHERE seq < 4"],
    ],
    ["all events are moved to an earlier day", ["UPDATE fxdesk_journal_events SET at = at - 172800000"]],
    ["an event is deleted", [`DELETE FROM fxdesk_journal_events WHERE ${sent}`]],
    [
      "the call counts as never sent",
      [
        "UPDATE fxdesk_journal_entries SET state = 'not-sent'",
        `UPDATE fxdesk_journal_events SET content = '{"state":"not-sent"}' WHERE kind = 'ended'`,
      ],
    ],
    [
      "its first call is deleted",
      [
        "DELETE FROM fxdesk_journal_entries WHERE intent_seq < 4",
        "DELETE FROM fxdesk_journal_events WHERE environment <> 'store' AND seq < 4",
      ],
    ],
    [
      "the journal is deleted",
      ["events", "details", "entries"].map((name) => `DELETE FROM fxdesk_journal_${name}`),
    ],
  ])("hold after %s in the store", async (_, change) => {
    const own = await createReleaseFixture({
      policy: { people: [...people], amounts, limits: { perDay: "100" } },
    });
    const input = (await sampleInput(
      "payments.initiate",
      own.client({ policy: undefined }),
    )) as typeof payment;
    const pay = (amount: string) =>
      own.client().payments.initiate({ ...input, instructedAmount: { currency: "EUR", amount } } as never);
    for (const amount of ["30.00", "30.00"]) await pay(amount);
    const before = own.sandbox.requests.length;
    await withStore(own.store, async (store) => {
      if (typeof change === "function") return change(store);
      for (const statement of change) await store.run(statement);
    });
    await expect(pay("60.00")).rejects.toMatchObject({ outcome: "not-sent" });
    expect(own.sandbox.requests.slice(before).filter(({ method }) => method !== "GET")).toEqual([]);
  });
});
