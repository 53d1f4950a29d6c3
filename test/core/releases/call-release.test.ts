/** Calls that need release: exactly the released request is sent, once, in time, for its requester. */
import { writeFile } from "node:fs/promises";
import { demo } from "@fxdesk/sandbox";
import type { FxdeskClient } from "@fxdesk/toolkit";
import { withStore } from "../../../core/store/open";
import { eventually } from "../../support/eventually";
import { sampleInput } from "../../support/samples";
import {
  people,
  type ReleaseFixture,
  createReleaseFixture,
  sampleConsent,
  sampleOrder,
} from "./release-fixture";

let place: ReleaseFixture;
let client: FxdeskClient;
let payment: Parameters<FxdeskClient["payments"]["initiate"]>[0];
beforeAll(async () => {
  place = await createReleaseFixture({
    policy: {
      people: [...people],
      rules: [{ effects: ["money"], above: "100", from: ["anna"] }],
      amounts: { currency: "EUR" },
      limits: { perDay: "100000" },
    },
  });
  client = place.client();
  payment = (await sampleInput("payments.initiate", client)) as unknown as typeof payment;
});

const posts = () =>
  place.sandbox.requests.filter(({ method, url }) => method === "POST" && url.startsWith("/v1/payments"))
    .length;

const requestPayment = (input: typeof payment, options?: object) =>
  client.payments.initiate(input, options).then(
    () => undefined,
    (error: { code: string; release?: string; outcome: string; message: string }) => error,
  );

test("waits, is sent once as released, and returns its outcome when repeated within its validity", async () => {
  const before = posts();
  const first = await requestPayment(payment);
  expect(first).toMatchObject({ code: "release_needed", outcome: "not-sent" });
  const id = first!.release!;
  // A repetition creates no second request.
  expect((await requestPayment(payment))!.release).toBe(id);
  const { terms } = await client.orders.get(id);
  await place.decide(id, "anna");
  const booked = await client.payments.initiate(payment);
  expect(booked.paymentId).toEqual(expect.any(String));
  expect(posts()).toBe(before + 1);
  expect(await client.orders.get(id)).toMatchObject({ state: "sent", terms });
  expect((await client.payments.initiate(payment)).paymentId).toBe(booked.paymentId);
  expect(posts()).toBe(before + 1);
  // Another key is another request.
  const next = await requestPayment(payment, { key: "again" });
  expect(next).toMatchObject({ code: "release_needed" });
  expect(next!.release).not.toBe(id);
});

test("with a key, is sent once and replays its outcome", async () => {
  const options = { key: "INV-1" };
  const first = await requestPayment(payment, options);
  await place.decide(first!.release!, "anna");
  const { paymentId } = await client.payments.initiate(payment, options);
  const { outcomes } = await client.orders.findOutcomes(options);
  expect(outcomes).toMatchObject([{ id: paymentId }]);
  expect((await client.payments.initiate(payment, options)).paymentId).toBe(paymentId);
  const other = { ...payment, creditorName: "Somebody Else" };
  expect(await requestPayment(other as typeof payment, options)).toMatchObject({ code: "conflict" });
});

describe("after a call was sent", () => {
  const rules = [{ effects: ["money" as const], from: ["anna"] }];
  const order = sampleOrder({ reference: "ORD-AFTER" });
  test.each<[string, (own: ReleaseFixture) => unknown]>([
    ["the policy is invalid", (own) => writeFile(own.policyPath, "{")],
    ["the policy allows less", (own) => own.setPolicy({ people: [...people], rules, clients: ["another"] })],
    [
      "its release is marked as waiting",
      ({ store }) =>
        withStore(store, ({ run }) =>
          run("UPDATE fxdesk_releases SET state = 'waiting' WHERE kind = 'call'"),
        ),
    ],
    [
      "its release is removed",
      ({ store }) => withStore(store, ({ run }) => run("DELETE FROM fxdesk_releases WHERE kind = 'call'")),
    ],
  ])("a repetition returns its outcome while %s, but not to others", async (_, change) => {
    const own = await createReleaseFixture({ policy: { people: [...people], rules } });
    const [requester, other] = [own.client(), own.client({ actor: "carl" })];
    const initiate = (by: FxdeskClient) =>
      by.payments.initiate(payment, { key: "P-1" }).catch((error: { release: string }) => error);
    const [waiting, { release }] = [
      await initiate(requester),
      await requester.orders.order(order, { key: "O-1" }),
    ];
    await own.decide((waiting as { release: string }).release, "anna");
    const sent = await initiate(requester);
    expect(sent).toHaveProperty("paymentId");
    await change(own);
    expect(await initiate(requester)).toEqual(sent);
    expect(await initiate(other)).toMatchObject({ outcome: "not-sent" });
    expect((await requester.orders.order(order, { key: "O-1" })).release).toBe(release);
  });
});

test("uses the quote of a booking as its key and replays its outcome", async () => {
  const booking = (await sampleInput("trades.book", client)) as unknown as Parameters<
    FxdeskClient["trades"]["book"]
  >[0];
  const error = await client.trades.book(booking).catch((reason: unknown) => reason);
  await place.decide((error as { release: string }).release, "anna");
  const { trade_id: first } = await client.trades.book(booking);
  expect((await client.trades.book(booking)).trade_id).toBe(first);
});

test.each([
  ["another creditor", { creditorName: "Ferme Duval SARI" }],
  ["another amount", { instructedAmount: { currency: "EUR", amount: "125.51" } }],
  ["another account", { creditorAccount: { iban: "DE40100100103307118608" } }],
])("requires a new approval for %s", async (_, change) => {
  const first = await requestPayment({ ...payment, endToEndIdentification: `E-${_}` } as typeof payment);
  await place.decide(first!.release!, "anna");
  const second = await requestPayment({
    ...payment,
    endToEndIdentification: `E-${_}`,
    ...change,
  } as typeof payment);
  expect(second).toMatchObject({ code: "release_needed" });
  expect(second!.release).not.toBe(first!.release);
  expect(await client.orders.get(second!.release!)).toMatchObject({ state: "waiting" });
});

test("accepts a release only from its requester", async () => {
  const first = await requestPayment(payment, { key: "INV-2" });
  await place.decide(first!.release!, "anna");
  const carl = place.client({ as: "carl" });
  await expect(carl.payments.initiate(payment, { key: "INV-2" })).rejects.toMatchObject({ code: "conflict" });
});

test("sends one of many concurrent calls per release", async () => {
  const own = await createReleaseFixture();
  const clients = [own.client(), own.client(), own.client()];
  const input = { ...payment, endToEndIdentification: "E-RACE" } as typeof payment;
  const first = await clients[0]!.payments.initiate(input).catch((error: { release: string }) => error);
  await own.decide((first as { release: string }).release, "anna");
  const results = await Promise.allSettled(clients.map((each) => each.payments.initiate(input)));
  const ids = results.flatMap((result) => (result.status === "fulfilled" ? [result.value.paymentId] : []));
  expect(new Set(ids).size).toBe(1);
  expect(own.sandbox.requests.filter(({ url }) => url.startsWith("/v1/payments"))).toHaveLength(1);
});

test("sends and counts amounts below the threshold", async () => {
  const small = { ...payment, instructedAmount: { currency: "EUR", amount: "50.00" } } as typeof payment;
  expect((await client.payments.initiate(small)).paymentId).toEqual(expect.any(String));
  await place.setPolicy({
    people: [...people],
    rules: [{ effects: ["money"], above: "100", from: ["anna"] }],
    amounts: { currency: "EUR" },
    limits: { perDay: "120" },
  });
  await expect(client.payments.initiate(small)).rejects.toMatchObject({
    code: "release_refused",
    outcome: "not-sent",
    message: expect.stringMatching(
      /daily limit of 120 EUR for the service .* already committed on/,
    ) as string,
  });
  await place.setPolicy({ people: [...people], rules: [{ effects: ["money"], from: ["anna"] }] });
});

test("requests release again after a cancelled or expired request", async () => {
  const input = { ...payment, endToEndIdentification: "E-CANCEL" } as typeof payment;
  const first = await requestPayment(input);
  await client.orders.cancel(first!.release!);
  await expect(place.decide(first!.release!, "anna")).rejects.toThrow("is cancelled");
  const second = await requestPayment(input);
  expect(second!.release).not.toBe(first!.release);
});

const anotherDay = () => (["Mon", "Wed"] as const).find((day) => !new Date().toUTCString().startsWith(day))!;

test("applies hours", async () => {
  await place.setPolicy({
    people: [...people],
    rules: [{ operations: ["accountDetails.updateAlias"], from: ["anna"] }],
    hours: { days: [anotherDay()], from: "00:00", to: "23:59" },
  });
  expect(await requestPayment(payment)).toMatchObject({ code: "release_refused" });
});

test("sends a released change again after its token was refused, as one use of the release", async () => {
  // A place of its own, so that no other client can send the change.
  const own = await createReleaseFixture({
    policy: { people: [...people], rules: [{ effects: ["change"], from: ["anna"] }] },
  });
  const tokens = ["expired", demo.accessToken];
  const refreshing = own.client({
    credentials: { accessToken: () => tokens.shift() ?? demo.accessToken, apiKey: demo.apiKey },
  });
  const change = () => refreshing.consents.create(sampleConsent);
  const first = await change().then(
    () => undefined,
    (error: { release?: string; code: string }) => error,
  );
  expect(first).toMatchObject({ code: "release_needed" });
  await own.decide(first!.release!, "anna");
  const created = await change();
  expect(created).toMatchObject({ consentId: expect.any(String) as string });
  expect(tokens).toEqual([]);
  expect(await change()).toEqual(created);
});

describe("right before its first byte, after its token was fetched, a call is checked again", () => {
  const rules = [{ effects: ["money" as const], from: ["anna"] }];

  test.each<[string, boolean, (own: ReleaseFixture) => Promise<unknown>]>([
    [
      "the hours of the policy are over",
      false,
      (own) =>
        own.setPolicy({ people: [...people], hours: { days: [anotherDay()], from: "00:00", to: "23:59" } }),
    ],
    ["the policy now requires a release", false, (own) => own.setPolicy({ people: [...people], rules })],
    [
      "its release was removed",
      true,
      ({ store }) => withStore(store, ({ run }) => run("DELETE FROM fxdesk_releases WHERE kind = 'call'")),
    ],
  ])("and refused if %s", async (_, isReleased, change) => {
    const own = await createReleaseFixture({
      policy: { people: [...people], ...(isReleased && { rules }) },
    });
    const accessToken = async () => {
      await change(own);
      return demo.accessToken;
    };
    const initiate = async () => {
      const caller = own.client({ credentials: { accessToken, apiKey: demo.apiKey } });
      const result = await caller.payments
        .initiate(payment)
        .catch((error: { release?: string; code: string }) => error);
      // Its executor would send the released request as well.
      await caller.close();
      return result;
    };
    if (isReleased) await own.decide(((await initiate()) as { release: string }).release, "anna");
    expect(await initiate()).toMatchObject({ code: "release_refused", outcome: "not-sent" });
    expect(own.sandbox.requests.filter(({ method }) => method === "POST")).toEqual([]);
  });
});

test("finds the open request of the same call after many earlier ones", async () => {
  const own = await createReleaseFixture();
  const requester = own.client({ people: "/nowhere/people.json" });
  const request = async () => {
    const error: unknown = await requester.payments.initiate(payment).catch((reason: unknown) => reason);
    return (error as { release?: string }).release;
  };
  const clock = jest
    .spyOn(Date, "now")
    .mockImplementation(() => performance.timeOrigin + performance.now() - 25 * 3_600_000);
  for (let count = 0; count < 20; count += 1) await request();
  clock.mockRestore();
  const open = await request();
  expect(open).toBeDefined();
  expect(await request()).toBe(open);
});

test("a key that was used before the policy required a release gets its outcome, and its request waits without haste", async () => {
  const own = await createReleaseFixture({ policy: { people: [...people] } });
  const requester = own.client();
  const { paymentId } = await requester.payments.initiate(payment, { key: "K" });
  await own.setPolicy({ people: [...people], rules: [{ effects: ["money"], from: ["anna"] }] });
  expect(await requester.payments.initiate(payment, { key: "K" })).toMatchObject({ paymentId });
  const { releases } = await requester.orders.list();
  await own.decide(releases[0]!.release, "anna");
  const { remark } = await eventually(
    async () => {
      const report = await requester.orders.get(releases[0]!.release);
      return report.remark !== undefined && report;
    },
    { withinMs: 10_000, what: "the remark of the executor" },
  );
  expect(remark).toContain("earlier call");
  expect(own.sandbox.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
});

test("a call under the key of another requester is a conflict, also where neither needs a release", async () => {
  const own = await createReleaseFixture({ policy: { people: [...people] } });
  await own.client().payments.initiate(payment, { key: "K" });
  await expect(own.client({ as: "carl" }).payments.initiate(payment, { key: "K" })).rejects.toMatchObject({
    code: "conflict",
    outcome: "not-sent",
  });
});
