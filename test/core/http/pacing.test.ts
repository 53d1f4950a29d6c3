/** Pacing: concurrency, order, and pauses that the service requests; and retries. */
import { RetryBudget, retryAfterMs } from "../../../core/http/backoff";
import { MemoryRateLimiter } from "../../../core/http/rate-limiter";
import { channels } from "../../../core/call/diagnostics-channels";
import { Deadline } from "../../../core/http/deadline";
import { type PermitRequest, MemoryPacing } from "../../../core/http/pacing";
import { eventually } from "../../support/eventually";
import { type Fault, inSequence, reset, respond, silence } from "../../support/fault-server";
import { runLater } from "../../support/resources";
import {
  startClientAndServer,
  untilArrived,
  createTestClient,
  failureOf,
  startFaultServer,
  tradeInput,
  disableBackoff,
} from "../support/client-fixtures";

const list = respond(200, "[]");

const longDeadline = (signal?: AbortSignal) => {
  const deadline = new Deadline(60_000, signal);
  runLater(() => deadline.release());
  return deadline;
};

/** Acquires a permit and records when it is granted. */
async function acquireAndLog(pacing: MemoryPacing, name: string, order: string[], deadline = longDeadline()) {
  const permit = await pacing.acquire("a", deadline);
  order.push(name);
  return permit;
}

test("passes on a permit granted at the moment of an abort", async () => {
  const pacing = new MemoryPacing(1);
  const order: string[] = [];
  const controller = new AbortController();
  const first = await acquireAndLog(pacing, "first", order);
  const gone = acquireAndLog(pacing, "gone", order, longDeadline(controller.signal));
  first.release();
  controller.abort();
  await expect(gone).rejects.toMatchObject({ by: "caller" });
  await acquireAndLog(pacing, "next", order);
  expect(order).toEqual(["first", "next"]);
});

test("serves users round-robin, and retries first", async () => {
  const pacing = new MemoryPacing(1);
  const order: string[] = [];
  const first = await acquireAndLog(pacing, "first", order);
  const acquire = async (name: string, request: PermitRequest) => {
    const permit = await pacing.acquire("a", longDeadline(), request);
    order.push(name);
    permit.release();
  };
  const many = ["a1", "a2", "a3", "a4"].map((name) => acquire(name, { user: "a" }));
  const few = ["b1", "b2"].map((name) => acquire(name, { user: "b" }));
  const anonymous = acquire("c1", {});
  const retry = acquire("again", { user: "a", isRetry: true });
  first.release();
  await Promise.all([...many, ...few, anonymous, retry]);
  expect(order).toEqual(["first", "again", "a1", "b1", "c1", "a2", "b2", "a3", "a4"]);
});

test("refuses calls at once if the queue is full, and sends nothing", async () => {
  const held: Fault[] = [];
  const { server, client } = await startClientAndServer(
    (socket, number) => void held.push(() => list(socket, number)),
    { connections: 1, queueLimit: 2 },
  );
  const calls = [1, 2, 3].map(() => client.trades.list());
  for (const call of [client.trades.list(), client.trades.book(tradeInput)]) {
    const error = await failureOf(call);
    expect(error).toMatchObject({ code: "rate_limited", outcome: "not-sent", retryable: true, attempts: 0 });
    expect(error.message).toContain("The queue is full: 2 calls are waiting");
  }
  for (let answered = 0; answered < 3; answered += 1) {
    await eventually(() => held.length === 1, { withinMs: 20_000, what: "a request" });
    (held.shift() as () => void)();
  }
  await Promise.all(calls);
  expect(server.heads).toHaveLength(3);
});

test("keeps a configured limit", async () => {
  const { client } = await startClientAndServer(list, { requestsPerSecond: 50 });
  const begun = performance.now();
  await Promise.all(Array.from({ length: 26 }, () => client.trades.list()));
  expect(performance.now() - begun).toBeGreaterThan(450);
});

test("sends as many concurrent requests as it has connections", async () => {
  const connections = 3;
  let underWay = 0;
  let most = 0;
  const held: (() => void)[] = [];
  const hold: Fault = (socket, number) => {
    underWay += 1;
    most = Math.max(most, underWay);
    held.push(() => {
      underWay -= 1;
      list(socket, number);
    });
  };
  const { client } = await startClientAndServer(hold, { connections });
  const calls = Promise.all(Array.from({ length: 9 }, () => client.trades.list()));
  for (let answered = 0; answered < 9; answered += 1) {
    const wanted = Math.min(connections, 9 - answered);
    await eventually(() => held.length === wanted, { withinMs: 20_000, what: `${wanted} requests` });
    held.shift()!();
  }
  await calls;
  expect(most).toBe(connections);
});

test("pauses only the interface that responded with a 429", async () => {
  const service = await startFaultServer(respond(429, "{}", { "retry-after": "3600" }));
  const xs2a = await startFaultServer(respond(200, '{"consentStatus":"valid"}'));
  const client = createTestClient({ baseUrl: service.url, xs2aUrl: xs2a.url });
  const consent = () => client.consents.get({ "consent-id": "c-1" });
  await failureOf(client.trades.list());
  await consent();
  expect(await failureOf(client.trades.list())).toMatchObject({ outcome: "not-sent", code: "rate_limited" });
  await consent();
  expect([service.heads.length, xs2a.heads.length]).toEqual([1, 2]);
});

test("delays a call and later ones by Retry-After", async () => {
  disableBackoff();
  const paused = new Promise((resolve) => channels.pause.subscribe(resolve));
  const { server, client } = await startClientAndServer(
    inSequence(respond(429, "", { "retry-after": "1" }), list),
  );
  const begun = performance.now();
  const first = client.trades.list();
  await paused;
  const second = client.trades.list();
  await Promise.race([first, second]);
  // Timers may fire a fraction of a millisecond early.
  expect(performance.now() - begun).toBeGreaterThan(990);
  await Promise.all([first, second]);
  expect(server.heads).toHaveLength(3);
});

test("fails each call without sending during a pause longer than the time limit", async () => {
  const { server, client } = await startClientAndServer(respond(429, "", { "retry-after": "3600" }));
  await failureOf(client.trades.list());
  for (const call of [client.trades.list(), client.trades.book(tradeInput)]) {
    const error = await failureOf(call);
    expect(error).toMatchObject({ name: "RateLimited", outcome: "not-sent", retryable: true, attempts: 0 });
    expect(error.toJSON().retryAfterMs).toBeGreaterThan(3_000_000);
  }
  expect(server.heads).toHaveLength(1);
});

// ---- A refusal does not shorten the current interval

/** One call per second. */
const intervalMs = 1_000;

/** Integer times, so that sums are exact. */
const roundedNow = (): number => Math.ceil(performance.now());

test.each([
  ["of 0 ms", 0, 950],
  ["shorter than the interval", 300, 950],
  ["longer than the interval", 3_000, 3_000],
])("keeps the remaining interval during a pause %s", (_, pauseMs, waitMs) => {
  const limiter = new MemoryRateLimiter(intervalMs);
  const sent = roundedNow();
  limiter.recordSent(sent);
  limiter.recordRefused(sent + 50, sent, pauseMs);
  // A late timer does not delay the next call.
  expect(limiter.waitMs(sent + 50)).toBeGreaterThan(waitMs - 50);
  expect(limiter.waitMs(sent + 50)).toBeLessThanOrEqual(waitMs);
});

test("keeps the remaining interval after a late refusal from before the pause", () => {
  const limiter = new MemoryRateLimiter(intervalMs);
  const begun = roundedNow();
  limiter.recordSent(begun);
  limiter.recordSent(begun + 1_000);
  limiter.recordRefused(begun + 1_500, begun, undefined);
  const resumed = begun + 1_500 + limiter.waitMs(begun + 1_500);
  limiter.recordSent(resumed);
  const owedMs = limiter.waitMs(resumed + 10);
  limiter.recordRefused(resumed + 10, begun + 1_000, undefined);

  expect(owedMs).toBeGreaterThan(900);
  expect(limiter.waitMs(resumed + 10)).toBe(owedMs);
});

// ---- Retries: which calls, how often, and after which delay

test("reports an aborted read as sent while it waits for its retry", async () => {
  const { server, client } = await startClientAndServer(respond(503, "", { "retry-after": "60" }), {
    timeoutMs: 600_000,
  });
  const controller = new AbortController();
  const call = failureOf(client.trades.list({}, { signal: controller.signal }));
  await untilArrived(server, 1);
  controller.abort();
  expect(await call).toMatchObject({ name: "Aborted", outcome: "unknown", attempts: 1 });
});

test("applies one time limit to all attempts and delays", async () => {
  const { client } = await startClientAndServer(inSequence(reset, silence), { timeoutMs: 2_000 });
  expect(await failureOf(client.trades.list())).toMatchObject({ code: "timeout", outcome: "unknown" });
});

test("reports an exhausted quota at once, without delaying other calls", async () => {
  const usedUp = respond(429, '{"tppMessages":[{"category":"ERROR","code":"ACCESS_EXCEEDED"}]}');
  const accounts = respond(200, '{"accounts":[]}');
  // A rate limit would delay the next call by a second.
  const { client } = await startClientAndServer(inSequence(usedUp, accounts), { queueTimeoutMs: 500 });
  const read = (consent: string) => client.openBanking.listAccounts({ "Consent-ID": consent });
  expect(await failureOf(read("c-1"))).toMatchObject({ name: "RateLimited", attempts: 1 });
  expect(await read("c-2")).toEqual({ accounts: [] });
});

test("limits the retries of each server by a budget", async () => {
  disableBackoff();
  const { server, client } = await startClientAndServer(respond(503));
  for (let count = 0; count < 60; count += 1) await failureOf(client.trades.list());
  const before = server.heads.length;
  expect(before).toBeLessThanOrEqual(60 + 40);
  await failureOf(client.trades.list());
  await failureOf(client.consents.get({ "consent-id": "c-1" }));
  expect(server.heads.length - before).toBe(1 + 3);
});

test("spends the budget on retries and refills it on success", () => {
  const budget = new RetryBudget();
  const taken = (status?: number) => {
    let count = 0;
    while (count < 1_000 && budget.spend(status)) count += 1;
    return count;
  };
  expect(taken()).toBe(35);
  expect(taken(429)).toBe(2);
  for (let count = 0; count < 28; count += 1) budget.refill();
  expect(taken()).toBe(2);
  for (let count = 0; count < 10_000; count += 1) budget.refill();
  expect(taken()).toBe(35);
});

const now = Date.parse("2026-01-01T00:00:00Z");

test.each<[header: string | string[] | undefined, ms: number | undefined]>([
  ["0", 0],
  [" 30 ", 30_000],
  ["86401", undefined],
  ["Thu, 01 Jan 2026 00:01:00 GMT", 60_000],
  ["Wed, 31 Dec 2025 23:59:00 GMT", undefined],
  [["5", "7"], 5_000],
  ["-1", undefined],
  ["soon", undefined],
  ["", undefined],
  [undefined, undefined],
])("parses Retry-After %j as %s", (header, ms) => {
  expect(retryAfterMs(header, now)).toBe(ms);
});
