/** Retries: which calls, how often, and after which delay. */
import { RetryBudget, retryAfterMs } from "../../../core/http/backoff";
import { inSequence, reset, respond, silence } from "../../support/fault-server";
import { startClientAndServer, untilArrived, failureOf, disableBackoff } from "../support/client-fixtures";

const list = respond(200, "[]");

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

test("limits the retries of 300 reads by a budget, which successes refill", async () => {
  disableBackoff();
  let works = false;
  const { server, client } = await startClientAndServer((socket, number) =>
    (works ? list : respond(503))(socket, number),
  );
  await Promise.all(Array.from({ length: 300 }, () => failureOf(client.trades.list())));
  expect(server.heads.length).toBeGreaterThan(300);
  expect(server.heads.length).toBeLessThanOrEqual(340);
  works = true;
  await client.trades.list();
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

test("keeps separate budgets per server", async () => {
  disableBackoff();
  const { server, client } = await startClientAndServer(respond(503));
  for (let count = 0; count < 60; count += 1) await failureOf(client.trades.list());
  const before = server.heads.length;
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
