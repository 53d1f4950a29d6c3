/**
 * Requests forged in the store, with its key and with that of their requester: what is sent is decided by the call at hand and by
 * what a person signed, never by a row.
 */
import { Readable } from "node:stream";
import type { FxdeskClient } from "@fxdesk/toolkit";
import { type SealedCall, sealOf, type SealedOrder } from "../../../core/releases/terms";
import { exportLines } from "../../../core/journal/events";
import { verifyExport } from "../../../core/journal/verify-export";
import { verifyStore } from "../../../core/journal/verify-store";
import { withStore } from "../../../core/store/open";
import { sealLocation } from "../../../core/store/sealer";
import { forgeRows } from "../../support/forged-rows";
import { sampleInput } from "../../support/samples";
import { signRequest } from "../../../core/releases/request-signature";
import { Requester } from "../../../core/people/requester";
import { eventually } from "../../support/eventually";
import {
  createReleaseFixture,
  people,
  type ReleaseFixture,
  sampleOrder,
  secretOf,
  serviceKeyOf,
} from "./release-fixture";

let place: ReleaseFixture;
let client: FxdeskClient;
let payment: Parameters<FxdeskClient["payments"]["initiate"]>[0];
beforeAll(async () => {
  place = await createReleaseFixture({
    policy: {
      people: [...people],
      rules: [{ effects: ["money"], above: "1000", from: ["anna", "bert"] }],
      amounts: { currency: "EUR" },
      limits: { perTrade: "10000" },
    },
  });
  client = place.client();
  payment = {
    ...((await sampleInput("payments.initiate", client)) as unknown as typeof payment),
    instructedAmount: { currency: "EUR", amount: "9000.00" },
  };
});

const posts = () =>
  place.sandbox.requests.filter(({ method, url }) => method === "POST" && url.startsWith("/v1/payments"))
    .length;

async function request(reference: string, by = client): Promise<string> {
  const input = { ...payment, endToEndIdentification: reference };
  const error = await by.payments.initiate(input).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "release_needed" });
  return (error as { release: string }).release;
}

const repeat = (reference: string, by = client) =>
  by.payments.initiate({ ...payment, endToEndIdentification: reference }).then(
    () => "sent",
    ({ code }: { code: string }) => code,
  );

/** Rewrites the sealed request of a release with a matching seal and the signature of its requester, and the given columns. */
const rewrite = <T extends SealedCall | SealedOrder = SealedCall>(
  id: string,
  change: (sealed: T) => T,
  columns = "state = 'released'",
) =>
  withStore(place.store, async ({ database, run, sealer }) => {
    const location = sealLocation("fxdesk_releases", "content", id);
    const [row] = await run("SELECT content FROM fxdesk_releases WHERE id = $1", [id]);
    const sealed = change(JSON.parse(sealer.unseal(String(row!.content), location)) as T);
    await forgeRows(
      { database, sealer },
      `UPDATE fxdesk_releases SET content = $2, seal = $3, request_signature = $4, ${columns} WHERE id = $1`,
      [
        id,
        sealer.seal(JSON.stringify(sealed), location),
        sealOf(id, sealed),
        signRequest(Requester.ofServiceKey(serviceKeyOf("desk")), undefined, { id, sealed })!,
      ],
    );
  });

const one = { amount: "1", currency: "EUR" };
const withBody = (sealed: SealedCall, change: (body: string) => string): SealedCall => ({
  ...sealed,
  terms: { ...sealed.terms, body: change(sealed.terms.body!) },
});

test.each<[string, (sealed: SealedCall) => SealedCall]>([
  ["a smaller amount", (sealed) => ({ ...sealed, amounts: [one] })],
  ["no amount", (sealed) => ({ ...sealed, amounts: [] })],
  ["a lesser effect", (sealed) => ({ ...sealed, effect: "change" })],
  ["another operation", (sealed) => ({ ...sealed, operation: "payments.cancel" })],
  ["another requester", (sealed) => ({ ...sealed, requester: "bert" })],
  ["no policy", (sealed) => ({ ...sealed, release: "needed" })],
])("sends nothing after the request was rewritten with %s", async (name, change) => {
  const before = posts();
  const id = await request(name);
  await rewrite(id, change);
  expect(await repeat(name)).not.toBe("sent");
  expect(posts()).toBe(before);
});

test.each<[string, (sealed: SealedCall) => SealedCall]>([
  ["body", (sealed) => withBody(sealed, (body) => body.replace("9000.00", "9999.00"))],
  ["target", (sealed) => ({ ...sealed, terms: { ...sealed.terms, target: `${sealed.terms.target}?x=1` } })],
  ["headers", (sealed) => ({ ...sealed, terms: { ...sealed.terms, headers: {} } })],
  [
    "values that are generated",
    (sealed) => {
      const evil = `${sealed.terms.headers["X-Request-ID"]}","x":"y`;
      const text = JSON.stringify(sealed.terms).replaceAll(
        sealed.terms.headers["X-Request-ID"]!,
        JSON.stringify(evil).slice(1, -1),
      );
      return { ...sealed, terms: JSON.parse(text) as SealedCall["terms"] };
    },
  ],
])("sends nothing if the %s of a released request do not follow from its fields", async (name, change) => {
  const before = posts();
  const id = await request(name);
  await rewrite(id, change, "state = 'waiting'");
  // The person signs what the row contains.
  await place.decide(id, "anna");
  expect(await repeat(name)).toBe("conflict");
  expect(posts()).toBe(before);
});

test("does not send the released request of another call", async () => {
  const [released, other] = [await request("released"), await request("other")];
  const before = posts();
  await place.decide(released, "anna");
  await withStore(place.store, async (store) => {
    const [row] = await store.run("SELECT request_hash FROM fxdesk_releases WHERE id = $1", [other]);
    await forgeRows(store, "UPDATE fxdesk_releases SET state = 'cancelled' WHERE id = $1", [other]);
    await forgeRows(store, "UPDATE fxdesk_releases SET request_hash = $2 WHERE id = $1", [
      released,
      row!.request_hash!,
    ]);
  });
  expect(await repeat("other")).not.toBe("sent");
  // The executor sends the request that was released, and nothing else.
  await eventually(() => posts() > before, { withinMs: 15_000, what: "the released payment" });
  expect(posts()).toBe(before + 1);
});

test.each<[string, (id: string, seal: string) => Promise<unknown>]>([
  ["a cancellation", (id) => client.orders.cancel(id)],
  [
    "a refusal",
    (id, seal) =>
      client.orders.decide(id, { person: "anna", secret: secretOf("anna"), decision: "refuse", seal }),
  ],
])("sends nothing after %s, whatever rows are put back", async (title, withdraw) => {
  const reference = `W-${title.length}`;
  const id = await request(reference);
  const run = (sql: string) => withStore(place.store, ({ database }) => database.run(sql));
  await run(`CREATE TABLE kept AS SELECT * FROM fxdesk_releases WHERE id = '${id}'`);
  await withdraw(id, (await client.orders.get(id)).seal);
  await run(`DELETE FROM fxdesk_release_decisions WHERE release = '${id}'`);
  await run(`DELETE FROM fxdesk_releases WHERE id = '${id}'`);
  await run("INSERT INTO fxdesk_releases SELECT * FROM kept");
  await run("DROP TABLE kept");
  const before = posts();
  await place.decide(id, "bert");
  expect(await repeat(reference)).toBe("release_refused");
  expect(posts()).toBe(before);
  await withStore(place.store, async (store) => {
    const verified = await verifyStore(store);
    expect(verified).toMatchObject({ faults: [] });
    expect(
      await verifyExport(Readable.from(exportLines(store), { objectMode: false }), verified.heads),
    ).toMatchObject({ faults: [] });
  });
});

test("records no decision without the seal that the person was shown", async () => {
  const id = await request("without a seal");
  const { decide } = client.orders as unknown as { decide: (id: string, input: object) => Promise<unknown> };
  const secret = "the secret of anna";
  for (const seal of [undefined, "", "ab".repeat(32)])
    await expect(decide(id, { person: "anna", secret, decision: "release", seal })).rejects.toMatchObject({
      code: "release_refused",
    });
  expect(await client.orders.get(id)).toMatchObject({ state: "waiting" });
});

describe("an order", () => {
  // Only executors of this test may send.
  beforeAll(() => client.close());

  const dayMs = 86_400_000;
  test.each<[string, (sealed: SealedOrder) => SealedOrder]>([
    ["the operation of another scope", (sealed) => ({ ...sealed, operation: "payments.initiate" })],
    ["an environment of another limit", (sealed) => ({ ...sealed, environment: "api https://x.example" })],
    ["no client", (sealed) => ({ ...sealed, client: "" })],
    ["a longer validity", (sealed) => ({ ...sealed, validUntil: Date.now() + 100 * dayMs })],
    ["another type", (sealed) => ({ ...sealed, terms: { ...sealed.terms, trade_type: "window_forward" } })],
    ["an unknown type", (sealed) => ({ ...sealed, terms: { ...sealed.terms, trade_type: "option" } })],
    ["a negative amount", (sealed) => ({ ...sealed, terms: { ...sealed.terms, amount: "-900" } })],
  ])("books nothing after its requester rewrote an order with %s", async (_, change) => {
    const requester = place.client({ people: "/nowhere/people.json" });
    const { release, state } = await requester.orders.order(sampleOrder({ amount: "900" }));
    await requester.close();
    expect(state).toBe("released");
    await rewrite<SealedOrder>(release, change, "next_at = 0, lease_expires_at = 0");
    const executor = place.client();
    await executor.orders.start();
    const held = await eventually(
      async () => {
        const found = (await place.service.get(release)).release;
        return (found.progress.remark !== undefined || found.entry !== undefined) && found;
      },
      { withinMs: 15_000, what: "a remark" },
    );
    expect(held).toMatchObject({ state: "released", entry: undefined });
    await executor.orders.cancel(release);
    await executor.close();
    expect(place.sandbox.requests.filter(({ url }) => url.includes("trade"))).toEqual([]);
  });
});
