/** Released calls are sent by an executor: once, as released, within their validity, while their requester is gone. */
import { demo } from "@fxdesk/sandbox";
import type { ClientOptions, FxdeskClient, Interceptor } from "@fxdesk/toolkit";
import type { QuotedTrade } from "../../../core/call/quote-memory";
import { Requester } from "../../../core/people/requester";
import { signRequest } from "../../../core/releases/request-signature";
import { type SealedCall, sealOf } from "../../../core/releases/terms";
import { withStore } from "../../../core/store/open";
import { sealLocation } from "../../../core/store/sealer";
import { forgeRows } from "../../support/forged-rows";
import { eventually } from "../../support/eventually";
import { makeQuote, sampleInput } from "../../support/samples";
import {
  sampleConsent,
  createReleaseFixture,
  people,
  type PolicyInput,
  type ReleaseFixture,
  serviceKeyOf,
} from "./release-fixture";

const policy: PolicyInput = {
  people: [...people],
  rules: [{ effects: ["money", "change"], from: ["anna", "bert"] }],
  quoteEverySeconds: 0.05,
};

type Payment = Parameters<FxdeskClient["payments"]["initiate"]>[0];

let place: ReleaseFixture;
let payment: Payment;
beforeAll(async () => {
  place = await createReleaseFixture({ policy });
  payment = (await sampleInput("payments.initiate", place.client())) as unknown as Payment;
});
beforeEach(() => place.setPolicy(policy));

const posts = (path: string) =>
  place.sandbox.requests.filter(({ method, url }) => method === "POST" && url.startsWith(path)).length;

/** Makes a call with a client that is closed before a person decides, and returns the ID of its release. */
async function requestAndLeave(
  call: (client: FxdeskClient) => Promise<unknown>,
  options: Partial<ClientOptions> = {},
): Promise<string> {
  const requester = place.client({ people: "/nowhere/people.json", ...options });
  const error = await call(requester).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "release_needed", outcome: "not-sent" });
  await requester.close();
  return (error as { release: string }).release;
}

const pay = (reference: string) => (client: FxdeskClient) =>
  client.payments.initiate({ ...payment, endToEndIdentification: reference });

async function startExecutor(options: Partial<ClientOptions> = {}): Promise<FxdeskClient> {
  const executor = place.client({ as: "carl", ...options });
  await executor.orders.start();
  return executor;
}

const report = async (id: string) => (await place.service.get(id)).release;

const untilOutcome = (id: string) =>
  eventually(
    async () => {
      const { state, progress, entry } = await report(id);
      return progress.outcome && { state, outcome: progress.outcome, entry };
    },
    { withinMs: 15_000, what: "an outcome" },
  );

test.each([
  ["a payment", "/v1/payments", pay("E-GONE")],
  ["a change", "/v1/consents", (client: FxdeskClient) => client.consents.create(sampleConsent)],
])("sends %s of a requester that is gone", async (_, path, call) => {
  const before = posts(path);
  const id = await requestAndLeave(call);
  const executor = await startExecutor();
  await place.decide(id, "anna");
  expect(await untilOutcome(id)).toEqual({
    state: "sent",
    outcome: "done",
    entry: expect.any(String) as string,
  });
  await executor.close();
  // The requester gets the recorded response, not a second request.
  const response = await call(place.client());
  expect(response).toMatchObject(path === "/v1/payments" ? { paymentId: /./ } : {});
  expect(posts(path)).toBe(before + 1);
});

describe("a booking of a quote", () => {
  const limited: PolicyInput = {
    people: [...people],
    rules: [{ effects: ["money"], from: ["anna", "bert"] }],
    amounts: { currency: "EUR" },
    limits: { perTrade: "1000" },
  };
  beforeEach(() => place.setPolicy(limited));

  /** Requests the booking with a client that received the quote. */
  const requestBooking = (amount: number, options: Partial<ClientOptions>) =>
    requestAndLeave(async (client) => {
      const quote_id = await makeQuote(client, { amount });
      return client.trades.book({ quote_id, reason: "other" });
    }, options);

  test("is sent by a process that did not receive the quote", async () => {
    const before = posts("/trades");
    const id = await requestBooking(1_000, { people: place.peoplePath });
    const executor = await startExecutor();
    await place.decide(id, "anna");
    expect(await untilOutcome(id)).toMatchObject({ state: "sent", outcome: "done" });
    await executor.close();
    expect(posts("/trades")).toBe(before + 1);
  });

  test.each<[what: string, change: (sealed: SealedCall) => SealedCall]>([
    [
      "with a smaller trade that its requester claims",
      (sealed) => ({
        ...sealed,
        trade: { ...(sealed.trade as QuotedTrade), buy_amount: "1", sell_amount: "1" },
      }),
    ],
    ["if nothing proves its trade", (sealed) => ({ ...sealed, quoteProof: "" })],
  ])("is not sent %s", async (_, change) => {
    const before = posts("/trades");
    const id = await requestBooking(1_000, { people: place.peoplePath });
    await withStore(place.store, async (opened) => {
      const location = sealLocation("fxdesk_releases", "content", id);
      const [row] = await opened.run("SELECT content FROM fxdesk_releases WHERE id = $1", [id]);
      const sealed = change(JSON.parse(opened.sealer.unseal(String(row!.content), location)) as SealedCall);
      const signature = signRequest(Requester.ofServiceKey(serviceKeyOf("desk")), undefined, { id, sealed })!;
      await forgeRows(
        opened,
        "UPDATE fxdesk_releases SET content = $2, seal = $3, request_signature = $4 WHERE id = $1",
        [id, opened.sealer.seal(JSON.stringify(sealed), location), sealOf(id, sealed), signature],
      );
    });
    const executor = await startExecutor();
    await place.decide(id, "anna");
    await eventually(async () => (await report(id)).progress.remark, { withinMs: 15_000, what: "a refusal" });
    await executor.close();
    expect((await report(id)).entry).toBeUndefined();
    expect(posts("/trades")).toBe(before);
  });

  test("ends as rejected once the quote has expired", async () => {
    const id = await requestBooking(1_000, { people: place.peoplePath });
    place.sandbox.advance(3_600_000);
    const executor = await startExecutor();
    const trades = await executor.trades.list({});
    await place.decide(id, "anna");
    expect(await untilOutcome(id)).toMatchObject({ state: "sent", outcome: "rejected" });
    expect(await executor.trades.list({})).toHaveLength(trades.length);
    await executor.close();
  });
});

test("sends nothing without a decision, nor after its validity", async () => {
  const before = posts("/v1/payments");
  const ids = [await requestAndLeave(pay("E-UNDECIDED")), await requestAndLeave(pay("E-STATE"))];
  await withStore(place.store, (store) =>
    forgeRows(store, "UPDATE fxdesk_releases SET state = 'released', next_at = 0 WHERE id = $1", [ids[1]!]),
  );
  const executor = await startExecutor();
  await eventually(async () => (await report(ids[1]!)).state === "waiting", {
    withinMs: 10_000,
    what: "the missing decision",
  });
  await executor.close();
  expect((await report(ids[0]!)).state).toBe("waiting");
  expect(posts("/v1/payments")).toBe(before);
});

test("tries again only while the call was certainly not sent", async () => {
  const before = posts("/v1/payments");
  const id = await requestAndLeave(pay("E-TOKEN"));
  let failures = 2;
  const executor = await startExecutor({
    credentials: {
      accessToken: () => {
        if ((failures -= 1) >= 0) throw new Error("The login is away.");
        return demo.accessToken;
      },
      apiKey: demo.apiKey,
    },
  });
  await place.decide(id, "anna");
  expect(await untilOutcome(id)).toMatchObject({ state: "sent", outcome: "done" });
  expect(failures).toBeLessThan(0);
  await executor.close();
  expect(posts("/v1/payments")).toBe(before + 1);
});

test("holds a call that the executor prepares differently", async () => {
  const addHeader: Interceptor = (call, next) =>
    next(call.operation.effect === "read" ? call : { ...call, headers: { ...call.headers, extra: "1" } });
  const id = await requestAndLeave(
    (client) => client.consents.create({ ...sampleConsent, "TPP-Redirect-URI": "https://app.example/other" }),
    {
      interceptors: [addHeader],
    },
  );
  const executor = await startExecutor();
  await place.decide(id, "anna");
  await eventually(async () => (await report(id)).progress.remark?.includes("differs"), {
    withinMs: 10_000,
    what: "a remark",
  });
  expect(await report(id)).toMatchObject({ state: "released", entry: undefined });
  await executor.close();
  // With the interceptor of the requester, it is the released call.
  const other = await startExecutor({ interceptors: [addHeader] });
  expect(await untilOutcome(id)).toMatchObject({ outcome: "done" });
  await other.close();
});

test("holds a released call while the policy is broken, and sends it after the repair", async () => {
  const before = posts("/v1/payments");
  const id = await requestAndLeave(pay("E-POLICY"));
  const executor = await startExecutor();
  const broken = await place.decide(id, "anna").then(() => place.setPolicy({ people: [] }));
  expect(broken).toBeUndefined();
  await eventually(async () => (await report(id)).progress.remark?.includes("policy"), {
    withinMs: 10_000,
    what: "a remark about the policy",
  }).catch(() => undefined);
  const { state } = await report(id);
  // It may have been sent before the policy broke, but not while it was broken.
  expect(posts("/v1/payments")).toBe(state === "sent" ? before + 1 : before);
  await place.setPolicy(policy);
  expect(await untilOutcome(id)).toMatchObject({ outcome: "done" });
  await executor.close();
  expect(posts("/v1/payments")).toBe(before + 1);
});

test("an expired request makes no busy loop while the policy is broken", async () => {
  const id = await requestAndLeave(pay("E-BUSY"));
  await place.decide(id, "anna");
  await place.setPolicy({ people: [] });
  await withStore(place.store, (store) =>
    forgeRows(store, "UPDATE fxdesk_releases SET next_at = 0, valid_until = 0, fence = 0 WHERE id = $1", [
      id,
    ]),
  );
  const fence = async () => {
    const [row] = await withStore(place.store, ({ run }) =>
      run("SELECT fence FROM fxdesk_releases WHERE id = $1", [id]),
    );
    return Number(row!.fence);
  };
  const startedAt = Date.now();
  const executor = await startExecutor();
  await eventually(async () => (await fence()) >= 3, { withinMs: 20_000, what: "three attempts" });
  await executor.close();
  expect(await fence()).toBeLessThanOrEqual(2 + (Date.now() - startedAt) / 1_000);
});

test("a closed client executes nothing", async () => {
  const executor = place.client();
  const starting = executor.orders.start();
  await executor.close();
  await starting;
  await executor.orders.start();
  const id = await requestAndLeave(pay("E-CLOSED"));
  await place.decide(id, "anna");
  const other = await startExecutor();
  expect(await untilOutcome(id)).toMatchObject({ outcome: "done" });
  await other.close();
  // Nobody else held it.
  expect((await report(id)).fence).toBe(1);
});
