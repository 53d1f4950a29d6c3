/** Missing, misspelt and unreadable protection stops money: nothing reaches the service, and no release is requested. */
import { writeFile } from "node:fs/promises";
import type { FxdeskClient } from "@fxdesk/toolkit";
import { sampleInput } from "../../support/samples";
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
])("a policy with %s sends no money", async (_, faulty) => {
  await place.setPolicy({ people: [...people], ...faulty } as never);
  await expectRefusal(() => client.payments.initiate(payment));
  await expectRefusal(() => client.orders.order(sampleOrder()));
});

test("a policy with a repeated field sends no money", async () => {
  await writeFile(place.policyPath, `{ "people": ["desk"], "rules": [{}], "rules": [] }`);
  await expectRefusal(() => client.payments.initiate(payment));
});

test("a decision needs the seal of the terms that were shown", async () => {
  await place.setPolicy({ people: [...people], rules: [{}] });
  const { release, seal } = await client.orders.order(sampleOrder());
  const decision = { person: "anna", secret: secretOf("anna"), decision: "release" } as const;
  for (const wrong of [{}, { seal: undefined }, { seal: null }, { seal: "" }, { seal: seal.slice(1) }])
    await expect(client.orders.decide(release, { ...decision, ...wrong } as never)).rejects.toMatchObject({
      code: "release_refused",
    });
  expect((await client.orders.get(release)).state).toBe("waiting");
  expect((await client.orders.decide(release, { ...decision, seal })).state).toBe("released");
});
