/** Adaptive rate against simulated services, in simulated time. */
import { increaseRate, type CallRate, createCallRate, applyRefusal } from "../../../core/http/call-rate";

/** Returns true if the service accepts a call now. */
type Service = (now: number) => boolean;

/** A limit per sliding second. */
function slidingWindowService(most: number): Service {
  const times: number[] = [];
  return (now) => {
    while (times.length > 0 && times[0]! <= now - 1_000) times.shift();
    if (times.length >= most) return false;
    times.push(now);
    return true;
  };
}

/** A token bucket. */
function tokenBucketService(perSecond: number, most: number): Service {
  let left = most;
  let last = 0;
  return (now) => {
    left = Math.min(most, left + ((now - last) * perSecond) / 1_000);
    last = now;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}

interface Run {
  readonly service: Service;
  readonly calls: number;
  readonly retryAfterMs?: number | undefined;
  readonly rate?: CallRate;
}

const atOnce = 10;
const responseMs = 2;

/** Makes calls at the permitted rate, and repeats refused ones. */
function simulate({ service, calls, retryAfterMs, rate: first = createCallRate(0, 0, 0) }: Run) {
  let rate = first;
  let [now, nextAt, quietUntil, done, refusals, waiting] = [0, 0, 0, 0, 0, calls];
  let inFlight: { readonly sentAt: number; readonly isTaken: boolean }[] = [];
  const times: number[] = [];
  for (; done < calls && now < 1_000_000; now += 1) {
    for (const { sentAt, isTaken } of inFlight.filter((call) => call.sentAt + responseMs <= now)) {
      if (isTaken) {
        done += 1;
        times.push(now);
        continue;
      }
      refusals += 1;
      waiting += 1;
      const acceptedLastSecond = times.filter((time) => time > now - 1_000).length;
      const next = applyRefusal(rate, {
        now,
        sentAt,
        accepted: done,
        acceptedLastSecond,
        retryAfterMs,
      });
      rate = next.rate;
      nextAt = quietUntil = Math.max(quietUntil, now + next.pauseMs);
    }
    inFlight = inFlight.filter(({ sentAt }) => sentAt + responseMs > now);
    while (waiting > 0 && inFlight.length < atOnce && nextAt <= now) {
      rate = increaseRate(rate, now, done);
      nextAt = Math.max(nextAt, now - 20) + rate.intervalMs;
      waiting -= 1;
      inFlight.push({ sentAt: now, isTaken: service(now) });
    }
  }
  return { seconds: now / 1_000, share: refusals / (calls + refusals), perSecond: 1_000 / rate.intervalMs };
}

const services: [name: string, make: (perSecond: number) => Service][] = [
  ["in any second", slidingWindowService],
  ["from a reserve of twice as many", (most) => tokenBucketService(most, 2 * most)],
];

describe.each(services)("a service that accepts 20 %s", (_, make) => {
  test.each([undefined, 1_000])(
    "with Retry-After %s ms handles 1,000 calls in near-ideal time",
    (retryAfterMs) => {
      const { seconds, share } = simulate({ service: make(20), calls: 1_000, retryAfterMs });
      expect(seconds).toBeLessThanOrEqual(55);
      expect(share).toBeLessThan(0.02);
    },
  );
});

test("calls an unlimited service as fast as it responds", () => {
  const { seconds, perSecond } = simulate({ service: () => true, calls: 1_000 });
  expect(seconds).toBeLessThan(0.3);
  expect(perSecond).toBe(Infinity);
});

test("adapts to raised and lowered limits", () => {
  const [before, raised, lowered] = [
    slidingWindowService(20),
    slidingWindowService(60),
    slidingWindowService(10),
  ];
  const during = (now: number) => (now < 60_000 ? before : now < 300_000 ? raised : lowered)(now);
  const { seconds, share } = simulate({ service: during, calls: 12_000 });
  expect(share).toBeLessThan(0.02);
  // A constant rate of 20 per second would take 600 seconds.
  expect(seconds).toBeLessThan(560);
});

test("backs off while a service refuses everything, and keeps its rate", () => {
  let rate = createCallRate(50, 0, 0);
  let now = 1_000;
  const pauses = [0, 1, 2, 3, 4, 5].map(() => {
    const seen = { now, sentAt: now, accepted: 0, acceptedLastSecond: 0 };
    const next = applyRefusal(rate, { ...seen, retryAfterMs: undefined });
    rate = next.rate;
    now += next.pauseMs + 1;
    return next.pauseMs;
  });
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  expect(rate.intervalMs).toBe(50);
});

test("counts concurrent refusals once", () => {
  const seen = { now: 5_000, accepted: 50, acceptedLastSecond: 20 };
  const first = applyRefusal(createCallRate(10, 0, 0), { ...seen, sentAt: 4_990, retryAfterMs: undefined });
  const second = applyRefusal(first.rate, { ...seen, now: 5_010, sentAt: 4_995, retryAfterMs: 3_000 });
  expect(second).toEqual({ rate: first.rate, pauseMs: 3_000 });
});

test("does not increase the rate if demand is low", () => {
  const rate = createCallRate(100, 0, 0);
  expect(increaseRate(rate, 10_000, 20).intervalMs).toBe(100);
  expect(increaseRate(rate, 10_000, 95).intervalMs).toBe(80);
});
