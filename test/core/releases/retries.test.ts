/**
 * A quote is booked once, however often and by whomever it is tried again: random attempts with, without and with another key, by
 * several clients on one store, also side by side and after lost responses. The sandbox would book a quote again. FXDESK_RUNS
 * raises the number of quotes, FXDESK_SEED changes the random numbers.
 */
import type { FxdeskClient, FxdeskError } from "@fxdesk/toolkit";
import { seededRandom } from "../../chaos/seeded-random";
import { makeQuote } from "../../support/samples";
import { createReleaseFixture, type ReleaseFixture } from "./release-fixture";

const quotes = Number(process.env.FXDESK_RUNS ?? 8);
const seed = Number(process.env.FXDESK_SEED ?? 20_261_128);

type Booking = Parameters<FxdeskClient["trades"]["book"]>[0];

let place: ReleaseFixture;
beforeAll(async () => {
  place = await createReleaseFixture({ sandbox: { reusableQuotes: true } });
});

const bookingsOf = (quote: string) =>
  place.sandbox.requests.filter(({ method, url }) => method === "POST" && url.includes(`quote_id=${quote}`));

test.each([
  ["with releases", {}],
  ["without releases", { policy: undefined, people: undefined, serviceKey: undefined }],
])(
  "books each quote once, and every attempt learns that trade: %s",
  async (_, options) => {
    const chance = seededRandom(seed);
    const clients = Array.from({ length: 3 }, () => place.client(options));
    const pick = <T>(items: readonly T[]): T => items[chance.integer(0, items.length - 1)]!;
    for (let run = 1; run <= quotes; run += 1) {
      const quote_id = await makeQuote(
        place.client({ policy: undefined, people: undefined, serviceKey: undefined }),
      );
      const learnt = new Set<string>();
      const attempt = async (client: FxdeskClient, input: Booking, key?: string) => {
        try {
          learnt.add((await client.trades.book(input, { ...(key && { key }) })).trade_id);
        } catch (error) {
          const { code, release, earlier } = error as FxdeskError & { release?: string };
          if (release !== undefined && chance.next() < 0.5)
            await place.decide(release, "anna").catch(() => undefined);
          if (earlier?.id !== undefined) learnt.add(earlier.id);
          expect([run, code]).toEqual([run, expect.stringMatching(/^(release_needed|conflict)$/)]);
        }
      };
      const first: Booking = { quote_id, reason: "other" };
      for (let round = 1; round <= 3; round += 1) {
        if (chance.next() < 0.3)
          place.sandbox.control.addFault({ operation: "trades.book", kind: "reset-after", times: 1 });
        const attempts = Array.from({ length: chance.integer(1, 2) }, () => {
          const reason = chance.next() < 0.2 ? "travel_costs" : "other";
          return [
            pick(clients),
            { ...first, reason },
            pick([undefined, `${quote_id}-1`, `${quote_id}-2`]),
          ] as const;
        });
        await Promise.all(attempts.map((each) => attempt(...each)));
      }
      for (const { id, sealed } of (await place.service.list({ states: ["waiting"], limit: 100 })).releases)
        if (JSON.stringify(sealed).includes(quote_id)) await place.decide(id, "anna");
      // Whatever the terms of the first attempt were, both sets of terms now lead to its trade.
      for (const reason of ["other", "travel_costs"] as const)
        await attempt(pick(clients), { ...first, reason }, `${quote_id}-last`);
      expect([run, learnt.size, bookingsOf(quote_id).length]).toEqual([run, 1, 1]);
      place.sandbox.control.clearFaults();
    }
  },
  60_000 + quotes * 500,
);
