/** A booking whose caller aborts after it was sent is finished, and returns its outcome. */
import * as fc from "fast-check";
import { setTimeout } from "node:timers/promises";
import { FxdeskError } from "../../../core";
import { type Fault, reset, respond } from "../../support/fault-server";
import { heldServer } from "../../support/held-server";
import { runLater } from "../../support/resources";
import { createTestClient, newTrade } from "../support/client-fixtures";

/** Response of the service, and the expected result of the call. */
const responses: Readonly<Record<string, readonly [fault: Fault, result: string]>> = {
  booked: [respond(201, '{"trade_id":"T-1"}'), "T-1"],
  refused: [respond(422, '{"code":"c","message":"No."}'), "rejected"],
  failed: [respond(502, "{}"), "unknown"],
  unreadable: [respond(201, "{"), "unknown"],
  lost: [reset, "unknown"],
};

/** Concurrent calls: result, time of the abort and time of the response of each. */
const callPlans = fc.array(
  fc.record({
    ending: fc.constantFrom(...Object.keys(responses)),
    stopAfterMs: fc.integer({ min: 0, max: 15 }),
    respondAfterMs: fc.integer({ min: 0, max: 15 }),
    stop: fc.constantFrom("abort", "close"),
  }),
  { minLength: 4, maxLength: 4 },
);

const outcomeOf = (booking: Promise<{ trade_id: string }>): Promise<string> =>
  booking.then(
    ({ trade_id }) => trade_id,
    (error: unknown) => (error instanceof FxdeskError ? error.outcome : String(error)),
  );

const runs = Number(process.env.FXDESK_RUNS ?? 15);

test.each(fc.sample(callPlans, runs).map((calls, run) => [run + 1, calls] as const))(
  "returns the true outcome of aborted bookings (run %i)",
  async (_run, calls) => {
    const service = await heldServer();
    runLater(() => service.close());
    const client = createTestClient({ baseUrl: service.url });
    const results: Promise<string>[] = [];
    const stops: AbortController[] = [];
    for (const _call of calls) {
      const caller = new AbortController();
      stops.push(caller);
      results.push(outcomeOf(client.trades.book(newTrade(), { signal: caller.signal })));
      await service.untilArrived(results.length);
    }
    await Promise.all([
      ...calls.map(async ({ stop, stopAfterMs }, index) => {
        await setTimeout(stopAfterMs);
        if (stop === "abort") stops[index]!.abort();
        else void client.close();
      }),
      (async () => {
        for (const { ending, respondAfterMs } of calls) {
          await setTimeout(respondAfterMs);
          service.respond(responses[ending]![0]);
        }
      })(),
    ]);
    expect(await Promise.all(results)).toEqual(calls.map(({ ending }) => responses[ending]![1]));
    expect(service.cutCount()).toBe(0);
    expect(service.heads).toHaveLength(calls.length);
  },
);
