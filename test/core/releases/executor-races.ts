/** Races between executors and the requester's repeated call, counted by a server of its own. */
import { setTimeout as pause } from "node:timers/promises";
import type { FxdeskClient } from "@fxdesk/toolkit";
import { initiatePayment } from "../../../core/contract/payments";
import type { SeededRandom } from "../../chaos/seeded-random";
import { closeLater } from "../../support/resources";
import { sampleInput } from "../../support/samples";
import { provingBody, startWitnessServer } from "../../support/witness-server";
import { createReleaseFixture } from "./release-fixture";

const atOnce = 10;

/** Releases `count` payments while two executors and their requester try to send each; returns requests and payment IDs. */
export async function raceExecutors(count: number, chance: SeededRandom) {
  const [place, witness] = [await createReleaseFixture(), closeLater(await startWitnessServer())];
  const options = { xs2aUrl: witness.url };
  const [requester, executor] = [place.client(options), place.client({ ...options, as: "carl" })];
  await executor.orders.start();
  const payment = (await sampleInput("payments.initiate", requester)) as unknown as Parameters<
    FxdeskClient["payments"]["initiate"]
  >[0];
  /** Repeats a call while other processes lock the store. */
  const initiate = async (input: typeof payment) => {
    for (;;) {
      const result: { code?: string; paymentId?: string; release?: string } = await requester.payments
        .initiate(input)
        .catch((error: { code: string; release?: string }) => error);
      if (result.code !== "unavailable") return result;
    }
  };
  const race = async (index: number) => {
    const input = { ...payment, endToEndIdentification: `E-${index}` };
    const { release = "" } = await initiate(input);
    const { terms } = await requester.orders.get(release);
    const requestId = (terms.values as Record<string, string>)["X-Request-ID"]!;
    const body = provingBody(initiatePayment, `P-${index}`);
    witness.plan(requestId, { kind: "respond", status: 201, body, as: "length" });
    await place.decide(release, "anna");
    await pause(chance.integer(0, 1_200));
    const { paymentId } = await initiate(input);
    return { paymentId, requests: witness.seen.get(requestId)?.heads };
  };
  const results: Awaited<ReturnType<typeof race>>[] = [];
  for (let first = 0; first < count; first += atOnce)
    results.push(...(await Promise.all(Array.from({ length: atOnce }, (_, index) => race(first + index)))));
  await Promise.all([requester.close(), executor.close()]);
  await witness.settled();
  return {
    results,
    total: [...witness.seen.values()].reduce((sum, { heads }) => sum + heads, 0),
  };
}
