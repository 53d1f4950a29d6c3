/** A refusal does not shorten the current interval, in memory and in a shared store. */
import { createPace, updatePace, openPaceStore, reserveCalls } from "../../../core/store/shared-pace";
import { MemoryRateLimiter } from "../../../core/http/rate-limiter";
import { engines } from "../store/engines";

/** One call per second. */
const intervalMs = 1_000;

/** Integer times, so that sums are exact. */
const roundedNow = (): number => Math.ceil(performance.now());

test.each([
  ["of 0 ms", 0, 950],
  ["shorter than the interval", 300, 950],
  ["longer than the interval", 3_000, 3_000],
])("keeps the remaining interval during a pause %s", (_, retryAfterMs, waitMs) => {
  const gate = new MemoryRateLimiter(intervalMs);
  const sent = roundedNow();
  gate.recordSent(sent);
  gate.recordRefused(sent + 50, sent, retryAfterMs);
  // A late timer does not delay the next call.
  expect(gate.waitMs(sent + 50)).toBeGreaterThan(waitMs - 50);
  expect(gate.waitMs(sent + 50)).toBeLessThanOrEqual(waitMs);
});

test("keeps the remaining interval after a late refusal from before the pause", () => {
  const gate = new MemoryRateLimiter(intervalMs);
  const begun = roundedNow();
  gate.recordSent(begun);
  gate.recordSent(begun + 1_000);
  gate.recordRefused(begun + 1_500, begun, undefined);
  const resumed = begun + 1_500 + gate.waitMs(begun + 1_500);
  gate.recordSent(resumed);
  const owedMs = gate.waitMs(resumed + 10);
  gate.recordRefused(resumed + 10, begun + 1_000, undefined);

  expect(owedMs).toBeGreaterThan(900);
  expect(gate.waitMs(resumed + 10)).toBe(owedMs);
});

describe.each(engines())("shared in $name", ({ create }) => {
  test.each([
    ["shorter than the interval", 100, 3_000],
    ["longer than the interval", 60_000, 60_000],
  ])("keeps the remaining interval during a pause %s", async (_, pauseMs, aheadMs) => {
    const { database } = await openPaceStore(await create());
    await createPace(database, "a", { intervalMs, content: "{}" });
    const { version } = (await reserveCalls(database, "a", 4, 0, 0))!;
    const { now, nextAt } = (await updatePace(database, "a", version, {
      intervalMs,
      content: "{}",
      pauseMs,
    }))!;
    await database.close();

    expect(nextAt - now).toBeGreaterThan(aheadMs - 1_000);
    expect(nextAt - now).toBeLessThanOrEqual(aheadMs + intervalMs);
  });
});
