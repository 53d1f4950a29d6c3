/** Orders: requested, released, and booked within their terms or not at all. */
import type { FxdeskClient } from "@fxdesk/toolkit";
import { eventually } from "../../support/eventually";
import { sampleOrder, type ReleaseFixture, createReleaseFixture } from "./release-fixture";

let place: ReleaseFixture;
let client: FxdeskClient;
beforeAll(async () => {
  place = await createReleaseFixture();
  client = place.client();
});
afterAll(() => place.close());

const waitUntilFinal = (id: string) =>
  eventually(
    async () => {
      const report = await client.orders.get(id);
      const isDone =
        report.state === "booked" ? report.deviations : report.state !== "released" && report.remark;
      return isDone ? report : undefined;
    },
    { withinMs: 15_000, what: `an end of ${id}` },
  );

test("waits for release and is booked once within its terms", async () => {
  const asked = await client.orders.order(sampleOrder({ reference: "INV-1" }));
  expect(asked).toMatchObject({ state: "waiting", operation: "trades.order", asked_by: "desk" });
  await place.decide(asked.release, "anna");
  const booked = await waitUntilFinal(asked.release);
  expect(booked).toMatchObject({ state: "booked", deviations: [] });
  const trades = await client.trades.list({});
  expect(trades.filter(({ reference }) => reference === "INV-1").map(({ trade_id: id }) => id)).toEqual([
    booked.trade_id,
  ]);
});

test("refuses release by the requester and by people outside the policy", async () => {
  const asked = await client.orders.order(sampleOrder());
  await expect(place.decide(asked.release, "desk")).rejects.toThrow("desk requested");
  await expect(place.decide(asked.release, "carl")).rejects.toThrow("carl cannot release it");
  await expect(place.decide(asked.release, "eve")).rejects.toThrow("does not list eve");
  expect(await client.orders.cancel(asked.release)).toMatchObject({ state: "cancelled" });
  await expect(place.decide(asked.release, "anna")).rejects.toThrow("is cancelled");
});

test("expires with a reason if no quote meets its limit", async () => {
  const valid_until = new Date(Date.now() + 2_500).toISOString();
  const asked = await client.orders.order(sampleOrder({ worst_rate: "9", valid_until }));
  await place.decide(asked.release, "anna");
  const ended = await waitUntilFinal(asked.release);
  expect(ended.state).toBe("expired");
  expect(ended.remark).toMatch(/outside the terms of the order: its rate is .* worse than 9 EURUSD/);
});
