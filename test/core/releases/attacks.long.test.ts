/**
 * Attacks on releases. An attacker may request, decide with a valid personal secret, and write anything to the store,
 * with its key, but cannot read the people file. No attack is booked; properly released orders are.
 */
import { createHash } from "node:crypto";
import type { FxdeskClient, Interceptor } from "@fxdesk/toolkit";
import { loadPeople } from "../../../core/people/people-file";
import { signDecision } from "../../../core/releases/decision-signature";
import { listDecisions, saveDecision } from "../../../core/releases/repository";
import { sealOf, type SealedOrder } from "../../../core/releases/terms";
import { checkStore } from "../../../core/client/check-store";
import { type Store, withStore } from "../../../core/store/open";
import { sealLocation } from "../../../core/store/sealer";
import { eventually } from "../../support/eventually";
import { forgeRows } from "../../support/forged-rows";
import { sampleOrder, people, type ReleaseFixture, createReleaseFixture } from "./release-fixture";

let place: ReleaseFixture;
let requester: FxdeskClient;
beforeAll(async () => {
  place = await createReleaseFixture({
    policy: {
      people: [...people],
      deputies: { anna: ["carl"], desk: ["dora"] },
      rules: [
        { effects: ["money"], from: ["anna", "bert", "desk"] },
        { operations: ["trades.order"], above: "5000", yes: 2, from: ["anna", "bert"] },
      ],
      amounts: { currency: "EUR", rates: { USD: "0.9" } },
      limits: { perTrade: "100000" },
      pairs: ["EURUSD"],
      types: ["spot"],
      quoteEverySeconds: 0.05,
    },
  });
  // Requests only; it cannot book without the people file.
  requester = place.client({ people: "/nowhere/people.json" });
});

const ask = async (reference: string, more: OrderFields = {}) =>
  (await requester.orders.order(sampleOrder({ reference, ...more }))).release;

const inStore = <T>(work: (store: Store) => Promise<T>) => withStore(place.store, work);
const run = (sql: string, values: (string | number)[] = []) =>
  inStore((store) => forgeRows(store, sql, values));

/** Overwrites the requested terms. */
async function rewrite(id: string, change: (sealed: SealedOrder) => object, withSeal: boolean) {
  await inStore(async ({ database, sealer }) => {
    const [row] = await database.run("SELECT content FROM fxdesk_releases WHERE id = $1", [id]);
    const at = sealLocation("fxdesk_releases", "content", id);
    const sealed = {
      ...change(JSON.parse(sealer.unseal(String(row!.content), at)) as SealedOrder),
    } as SealedOrder;
    await forgeRows(
      { database, sealer },
      "UPDATE fxdesk_releases SET content = $2, valid_until = $3, seal = coalesce($4, seal) WHERE id = $1",
      [id, sealer.seal(JSON.stringify(sealed), at), sealed.validUntil, withSeal ? sealOf(id, sealed) : null],
    );
  });
}

const withTerms = (more: object) => (sealed: SealedOrder) => ({
  ...sealed,
  terms: { ...sealed.terms, ...more },
});

/** Sets the state in the store to released. */
const markReleased = (id: string) =>
  run("UPDATE fxdesk_releases SET state = 'released', next_at = 0, lease_expires_at = 0 WHERE id = $1", [id]);

/** Writes a decision that is signed with another key. */
async function forgeDecision(id: string, person: string, mac: string) {
  await inStore(async ({ database, sealer }) => {
    const [row] = await database.run("SELECT seal FROM fxdesk_releases WHERE id = $1", [id]);
    const until = Date.now() + 3_600_000;
    const decision = {
      release: id,
      person,
      hash: String(row!.seal),
      decision: "release" as const,
      at: Date.now(),
      until,
      factors: ["secret"] as const,
    };
    const mine = {
      ...(await loadPeople(place.peoplePath)),
      key: createHash("sha256").update("mine").digest("base64"),
    };
    const given = mac === "signed" ? signDecision(mine, decision).mac : mac;
    await saveDecision({ ...database, sealer }, { ...decision, epoch: "", mac: given });
  });
  await markReleased(id);
}

/** Copies the decisions of one release to another. */
async function copyDecisions(from: string, to: string) {
  await inStore(async (access) => {
    const [row] = await access.run("SELECT seal FROM fxdesk_releases WHERE id = $1", [to]);
    for (const decision of await listDecisions(access, from))
      await saveDecision(access, { ...decision, release: to, hash: String(row!.seal) });
  });
  await markReleased(to);
}

type Attack = (reference: string) => Promise<unknown>;
type OrderFields = Parameters<typeof sampleOrder>[0];

/** Changes the terms of an approved order in the store. */
const changed =
  (
    change: (sealed: SealedOrder) => object,
    order: OrderFields = { worst_rate: "5" },
    withSeal = true,
  ): Attack =>
  async (reference) => {
    const id = await ask(reference, order);
    await place.decide(id, "anna");
    await rewrite(id, change, withSeal);
  };

/** Tries to approve as a person whom the policy does not allow. */
const refusedTo =
  (person: string, message: RegExp): Attack =>
  async (reference) => {
    const id = await ask(reference);
    await expect(place.decide(id, person)).rejects.toThrow(message);
    await markReleased(id);
  };

/** Approves an order that needs two people. */
const approvedBy =
  (...persons: string[]): Attack =>
  async (reference) => {
    const id = await ask(reference, { amount: "6000" });
    for (const person of persons) expect((await place.decide(id, person)).state).toBe("waiting");
    await markReleased(id);
  };

/** Changes a decision in the store. */
const altered =
  (change: string, decision: "release" | "refuse" = "release", order: OrderFields = {}): Attack =>
  async (reference) => {
    const id = await ask(reference, order);
    await place.decide(id, "anna", decision);
    await run(`UPDATE fxdesk_release_decisions SET ${change} WHERE release = $1`, [id]);
    await markReleased(id);
  };

const refusedOrder =
  (message: RegExp, order: OrderFields, client = () => requester): Attack =>
  (reference) =>
    expect(client().orders.order(sampleOrder({ reference, ...order }))).rejects.toThrow(message);

/** Attacks by kind. After each, no order with its reference may be booked. */
const attacks: Readonly<Record<string, Attack>> = {
  "an amount changed after approval": changed(withTerms({ amount: "4000" }), {}, false),
  "an amount and its seal changed after approval": changed(withTerms({ amount: "4000" }), {}),
  "a worse rate and its seal after approval": changed(withTerms({ worst_rate: "0.5" })),
  "a side and its seal changed after approval": changed(withTerms({ fixed_side: "buy", worst_rate: "0.1" })),
  "a prolonged validity and its seal after approval": changed((sealed) => ({
    ...withTerms({ worst_rate: "0.1" })(sealed),
    validUntil: sealed.validUntil + 1,
  })),
  async "a requester and its seal changed after approval"(reference) {
    const id = await ask(reference);
    await rewrite(id, (sealed) => ({ ...sealed, requester: "bert" }), true);
    await markReleased(id);
  },
  "a state without a decision": async (reference) => markReleased(await ask(reference)),
  "a decision without a signature": async (reference) => forgeDecision(await ask(reference), "anna", ""),
  "a decision with a random signature": async (reference) =>
    forgeDecision(await ask(reference), "bert", "ab".repeat(32)),
  "a decision signed with another key": async (reference) =>
    forgeDecision(await ask(reference), "anna", "signed"),
  async "the approval of another order"(reference) {
    const other = await ask(`released ${reference}`);
    await place.decide(other, "anna");
    await copyDecisions(other, await ask(reference));
  },
  async "a used approval of the same terms"(reference) {
    const other = await ask(`released ${reference}`);
    await place.decide(other, "bert");
    const id = await ask(reference, { reference: `released ${reference}` });
    await rewrite(id, withTerms({ reference }), true);
    await copyDecisions(other, id);
  },
  "an approval prolonged in the store": altered("valid_until = valid_until + 1"),
  "a rejection inverted in the store": altered("decision = 'release'", "refuse"),
  "an approval under another name in the store": altered("person = 'bert'", "release", { amount: "6000" }),
  "the requester's own approval": refusedTo("desk", /desk requested/),
  "the approval of the requester's deputy": refusedTo("dora", /dora cannot release it/),
  "the approval of an unlisted person": refusedTo("eve", /does not list eve/),
  "one approval instead of two": approvedBy("anna"),
  "a person and their deputy as two": approvedBy("anna", "carl"),
  "the same person twice": approvedBy("bert", "bert"),
  async "an approval after a rejection"(reference) {
    const id = await ask(reference);
    await place.decide(id, "bert", "refuse");
    await expect(place.decide(id, "anna")).rejects.toThrow("is refused");
  },
  async "a concurrent rejection and approval"(reference) {
    const id = await ask(reference);
    const [no] = await Promise.allSettled([place.decide(id, "bert", "refuse"), place.decide(id, "anna")]);
    expect(no.status).toBe("fulfilled");
  },
  async "an approval after cancellation"(reference) {
    const id = await ask(reference);
    await requester.orders.cancel(id);
    await expect(place.decide(id, "anna")).rejects.toThrow("is cancelled");
    await markReleased(id);
  },
  async "an approval after expiry"(reference) {
    const id = await ask(reference, { valid_until: new Date(Date.now() + 30).toISOString() });
    await eventually(async () => (await requester.orders.get(id)).state === "expired", {
      withinMs: 5_000,
      what: "the end of its time",
    });
    await expect(place.decide(id, "anna")).rejects.toThrow("is expired");
    await markReleased(id);
  },
  "an amount above the limit": refusedOrder(/at most 100000 EUR are allowed per trade/, {
    amount: "100001",
  }),
  "an amount above the limit on the other side": refusedOrder(/at most 100000 EUR are allowed per trade/, {
    fixed_side: "buy",
    amount: "100000",
    worst_rate: "0.5",
  }),
  "a pair outside the policy": refusedOrder(/does not allow selling EUR for GBP/, {
    buy_currency: "GBP",
    rate_symbol: "EURGBP",
  }),
  "a type outside the policy": refusedOrder(/trade type forward/, {
    trade_type: "forward",
    value_date: "2030-01-02",
  }),
  "no requester": refusedOrder(/FXDESK_SERVICE_KEY/, {}, () => place.client({ serviceKey: undefined })),
  "another name as text": refusedOrder(/is bert, but/, {}, () => place.client({ actor: "bert" })),
  "a direct booking": (reference) =>
    expect(requester.trades.book({ quote_id: "q", reason: "other", reference })).rejects.toThrow(
      /knows no quote for the request/,
    ),
};

const kinds = Object.entries(attacks);

test.each(kinds)("refuses or holds an order with %s", (kind, attack) => attack(kind));

test("books no attack in a process with credentials and the people file", async () => {
  const released = await Promise.all(
    Array.from({ length: 3 }, async (_, index) => {
      const id = await ask(`good ${index}`);
      await place.decide(id, "anna");
      return id;
    }),
  );
  const runners = [place.client(), place.client()];
  await Promise.all(runners.map((client) => client.orders.start()));
  // Every open order was examined, and the good ones are booked.
  await eventually(
    async () => {
      const states = await Promise.all(released.map((id) => requester.orders.get(id)));
      const left = await run(
        "SELECT id FROM fxdesk_releases WHERE state = 'released' AND next_at = 0 AND fence = 0",
      );
      return states.every(({ state }) => state === "booked") && left.length === 0;
    },
    { withinMs: 30_000, what: "the bookings of the good orders" },
  );
  // Resets the booked orders as if they were unused.
  await run(
    `UPDATE fxdesk_releases SET state = 'released', entry = NULL, next_at = 0, lease_expires_at = 0
     WHERE id IN ($1, $2, $3)`,
    [...released],
  );
  await eventually(
    async () => {
      const reports = await Promise.all(released.map((id) => requester.orders.get(id)));
      return reports.every(({ remark = "" }) => remark.includes("An order is booked only once"));
    },
    { withinMs: 30_000, what: "the remarks about the earlier bookings" },
  );
  await Promise.all(runners.map((client) => client.close()));
  const booked: string[] = [];
  for await (const { reference = "" } of requester.trades.list.all({})) booked.push(reference);
  expect(booked.filter((reference) => reference.startsWith("good "))).toHaveLength(3);
  expect(booked.filter((reference) => reference in attacks)).toEqual([]);
});

test("does not list a release that was changed in the store; a store check reports it", async () => {
  const id = await ask("changed");
  await inStore(({ database }) =>
    database.run("UPDATE fxdesk_releases SET state = 'released' WHERE id = $1", [id]),
  );
  expect((await place.service.list({ limit: 1_000 })).releases.map((release) => release.id)).not.toContain(
    id,
  );
  await expect(place.service.get(id)).rejects.toThrow("was changed in the store");
  const { faults } = await checkStore(place.store);
  expect(faults).toContainEqual(expect.stringContaining(`fxdesk_releases was changed in the store (${id})`));
});

/** Changes quotes so that they differ from the request. */
const tamperQuotes =
  (change: (quote: Record<string, unknown>) => object): Interceptor =>
  async (call, next) => {
    const response = await next();
    if (call.operation.name !== "quotes.create") return response;
    return { ...response, body: { ...(response.body as object), ...change(response.body as never) } };
  };

test.each([
  ["for a larger amount", ({ sell_amount: amount }) => ({ sell_amount: Number(amount) * 10 })],
  [
    "with a good rate and bad amounts",
    ({ buy_amount: amount }) => ({ buy_amount: Number(amount) / 2, quoted_rate: 9 }),
  ],
  ["of another pair", () => ({ buy_currency: "GBP" })],
  ["with the rate of another pair", () => ({ quoted_rate_symbol: "GBPUSD" })],
  ["without a rate", () => ({ quoted_rate: undefined })],
  ["with a rate that is not a number", () => ({ quoted_rate: "Infinity" })],
  ["with a negative rate", () => ({ quoted_rate: -1 })],
] as [string, (quote: Record<string, unknown>) => object][])(
  "does not book a quote %s",
  async (kind, change) => {
    const other = await createReleaseFixture();
    const client = other.client({ interceptors: [tamperQuotes(change)] });
    const { release } = await client.orders.order(sampleOrder({ reference: kind, worst_rate: "1" }));
    await other.decide(release, "anna");
    const reported = await eventually(
      async () => {
        const report = await client.orders.get(release);
        return report.remark !== undefined && (report.quotes ?? 0) > 2 && report;
      },
      { withinMs: 15_000, what: "some quotes" },
    );
    expect(reported).toMatchObject({ state: "released", remark: expect.stringMatching(/quote/) as string });
    const trades = await client.trades.list({});
    expect(trades.filter(({ reference }) => reference === kind)).toEqual([]);
  },
);

test("enforces limits on concurrent orders and after the clock was set back", async () => {
  const other = await createReleaseFixture({
    policy: {
      people: [...people],
      rules: [{ effects: ["money"], from: ["anna"] }],
      amounts: { currency: "EUR" },
      limits: { perTrade: "1000", perDay: "3000" },
      quoteEverySeconds: 0.05,
    },
  });
  const clients = [other.client(), other.client()];
  const asked = await Promise.all(
    Array.from({ length: 9 }, (_, index) =>
      clients[index % 2]!.orders.order(sampleOrder({ amount: "700", reference: `part ${index}` })),
    ),
  );
  await Promise.all(asked.map(({ release }) => other.decide(release, "anna")));
  const states = async () => Promise.all(asked.map(({ release }) => clients[0]!.orders.get(release)));
  await eventually(
    async () => {
      const all = await states();
      return all.every(
        ({ state, remark }) =>
          state === "booked" ||
          /daily limit of 3000 EUR for the service .* already committed/.test(remark ?? ""),
      );
    },
    { withinMs: 30_000, what: "final states of the orders" },
  );
  expect((await states()).filter(({ state }) => state === "booked")).toHaveLength(4);
  const trades = await clients[0]!.trades.list({ page_size: 500 });
  expect(trades.filter(({ reference }) => reference?.startsWith("part "))).toHaveLength(4);
  // Simulates a clock that was set back.
  const day = 86_400_000;
  await withStore(other.store, (store) =>
    forgeRows(store, "UPDATE fxdesk_releases SET changed_at = changed_at + $1 WHERE state = 'booked'", [
      2 * day,
    ]),
  );
  await expect(clients[0]!.orders.order(sampleOrder({ amount: "1" }))).rejects.toThrow(
    /The clock of the store shows/,
  );
});
