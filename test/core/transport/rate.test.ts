/** How fast calls get, against services that take so many: in time that is counted and not waited for. */
import { climbed, type Rate, rateOf, refused } from "../../../core/transport/rate";

/** Whether a service takes a call that comes now. */
type Service = (now: number) => boolean;

/** So many in any second. */
function inAnySecond(most: number): Service {
  const times: number[] = [];
  return (now) => {
    while (times.length > 0 && times[0]! <= now - 1_000) times.shift();
    if (times.length >= most) return false;
    times.push(now);
    return true;
  };
}

/** So many in each second of the service's clock. */
function inEachSecond(most: number, offset: number): Service {
  let second = -1;
  let count = 0;
  return (now) => {
    const at = Math.floor((now + offset) / 1_000);
    if (at !== second) count = 0;
    second = at;
    count += 1;
    return count <= most;
  };
}

/** A reserve that is filled so fast. */
function fromReserve(perSecond: number, most: number): Service {
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
  readonly rate?: Rate;
}

const atOnce = 10;
const responseMs = 2;

/** Makes calls as fast as they may go, each again when it was refused. */
function run({ service, calls, retryAfterMs, rate: first = rateOf(0, 0, 0) }: Run) {
  let rate = first;
  let [now, nextAt, quietUntil, done, refusals, waiting] = [0, 0, 0, 0, 0, calls];
  let underWay: { readonly sentAt: number; readonly isTaken: boolean }[] = [];
  const times: number[] = [];
  for (; done < calls && now < 1_000_000; now += 1) {
    for (const { sentAt, isTaken } of underWay.filter((call) => call.sentAt + responseMs <= now)) {
      if (isTaken) {
        done += 1;
        times.push(now);
        continue;
      }
      refusals += 1;
      waiting += 1;
      const lastSecond = times.filter((time) => time > now - 1_000).length;
      const isWhole = now - quietUntil >= 900;
      const next = refused(rate, { now, sentAt, taken: done, lastSecond, isWhole, retryAfterMs });
      rate = next.rate;
      nextAt = quietUntil = Math.max(quietUntil, now + next.pauseMs);
    }
    underWay = underWay.filter(({ sentAt }) => sentAt + responseMs > now);
    while (waiting > 0 && underWay.length < atOnce && nextAt <= now) {
      rate = climbed(rate, now, done);
      nextAt = Math.max(nextAt, now - 20) + rate.intervalMs;
      waiting -= 1;
      underWay.push({ sentAt: now, isTaken: service(now) });
    }
  }
  return { seconds: now / 1_000, share: refusals / (calls + refusals), perSecond: 1_000 / rate.intervalMs };
}

const services: [name: string, make: (perSecond: number) => Service][] = [
  ["in any second", inAnySecond],
  ["in each second", (most) => inEachSecond(most, 0)],
  ["in each second, of which most is over", (most) => inEachSecond(most, 700)],
  ["from a reserve of as many", (most) => fromReserve(most, most)],
  ["from a reserve of twice as many", (most) => fromReserve(most, 2 * most)],
];

describe.each(services)("a service that takes 20 %s", (_, make) => {
  test.each([undefined, 1_000])(
    "and asks to wait for %s ms: 1,000 calls are near the ideal",
    (retryAfterMs) => {
      const { seconds, share } = run({ service: make(20), calls: 1_000, retryAfterMs });
      expect(seconds).toBeLessThanOrEqual(55);
      expect(share).toBeLessThan(0.02);
    },
  );
});

test("a service that limits nothing is asked as fast as it responds", () => {
  const { seconds, perSecond } = run({ service: () => true, calls: 1_000 });
  expect(seconds).toBeLessThan(0.3);
  expect(perSecond).toBe(Infinity);
});

test("a limit that is known is kept to, and never passed", () => {
  const { seconds, share } = run({ service: inAnySecond(21), calls: 200, rate: rateOf(50, 50, 0) });
  expect([seconds, share]).toEqual([expect.closeTo(10, 0), 0]);
});

test("a limit that is raised is found out, and so is one that is lowered", () => {
  const [before, raised, lowered] = [inAnySecond(20), inAnySecond(60), inAnySecond(10)];
  const during = (now: number) => (now < 60_000 ? before : now < 300_000 ? raised : lowered)(now);
  const { seconds, share } = run({ service: during, calls: 12_000 });
  expect(share).toBeLessThan(0.02);
  // 20 a second all along were 600 seconds.
  expect(seconds).toBeLessThan(560);
});

test("a service that takes nothing for a while is asked ever more seldom, and its rate stays", () => {
  let rate = rateOf(50, 0, 0);
  let now = 1_000;
  const pauses = [0, 1, 2, 3, 4, 5].map(() => {
    const seen = { now, sentAt: now, taken: 0, lastSecond: 0, isWhole: true };
    const next = refused(rate, { ...seen, retryAfterMs: undefined });
    rate = next.rate;
    now += next.pauseMs + 1;
    return next.pauseMs;
  });
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  expect(rate.intervalMs).toBe(50);
});

test("refusals of calls that left before the first was known count once", () => {
  const seen = { now: 5_000, taken: 50, lastSecond: 20, isWhole: true };
  const first = refused(rateOf(10, 0, 0), { ...seen, sentAt: 4_990, retryAfterMs: undefined });
  const second = refused(first.rate, { ...seen, now: 5_010, sentAt: 4_995, retryAfterMs: 3_000 });
  expect(second).toEqual({ rate: first.rate, pauseMs: 3_000 });
});

test("who makes few calls becomes no faster", () => {
  const rate = rateOf(100, 0, 0);
  expect(climbed(rate, 10_000, 20).intervalMs).toBe(100);
  expect(climbed(rate, 10_000, 95).intervalMs).toBe(80);
});
