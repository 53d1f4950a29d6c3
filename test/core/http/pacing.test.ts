/** Pacing: concurrency, order, and pauses that the service requests. */
import { channels } from "../../../core/call/diagnostics-channels";
import { Deadline } from "../../../core/http/deadline";
import { type PermitRequest, MemoryPacing } from "../../../core/http/pacing";
import { eventually } from "../../support/eventually";
import { type Fault, inSequence, respond } from "../../support/fault-server";
import { runLater } from "../../support/resources";
import {
  startClientAndServer,
  createTestClient,
  failureOf,
  startFaultServer,
  tradeInput,
  disableBackoff,
} from "../support/client-fixtures";

const longDeadline = (signal?: AbortSignal) => {
  const deadline = new Deadline(60_000, signal);
  runLater(() => deadline.release());
  return deadline;
};

/** Acquires a permit and records when it is granted. */
function acquireAndLog(pacing: MemoryPacing, name: string, order: string[], deadline = longDeadline()) {
  const permitPromise = Promise.resolve(pacing.acquire("a", deadline));
  return permitPromise.then((permit) => {
    order.push(name);
    return permit;
  });
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
    (socket, number) => void held.push(() => respond(200, "[]")(socket, number)),
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
  const { client } = await startClientAndServer(respond(200, "[]"), { requestsPerSecond: 50 });
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
      respond(200, "[]")(socket, number);
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
    inSequence(respond(429, "", { "retry-after": "1" }), respond(200, "[]")),
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
    expect(error.message).toMatch(/requested a pause of another 3\d\d\d s/);
  }
  expect(server.heads).toHaveLength(1);
});
