/** Tests faults and the client's handling of them. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type FxdeskClient, OutcomeUnknown, RateLimited, type ReceivedFile } from "@fxdesk/toolkit";
import type { Sandbox } from "@fxdesk/sandbox";
import { tempFolder } from "../../support/resources";
import { makeQuote, sampleInput } from "../../support/samples";
import { openSandboxAndClient } from "../../support/sandboxes";

let sandbox: Sandbox;
let client: FxdeskClient;
beforeEach(async () => {
  ({ sandbox, client } = await openSandboxAndClient({ now: new Date("2026-03-16T09:00:00Z") }));
});

type Fault = Parameters<Sandbox["control"]["addFault"]>[0];
const addFault = (fault: Fault) => sandbox.control.addFault(fault);
const trades = async () => (await client.trades.list()).length;

async function book() {
  const quote_id = await makeQuote(client);
  return client.trades.book({ quote_id, reason: "payment_for_goods" });
}

describe("a call that commits money", () => {
  test.each([
    ["reset-before", 0],
    ["reset-after", 1],
    ["cut-off", 1],
  ] as const)("%s: is executed %i times, with an unknown outcome", async (kind, times) => {
    const before = await trades();
    addFault({ operation: "trades.book", kind });
    await expect(book()).rejects.toThrow(OutcomeUnknown);
    expect(await trades()).toBe(before + times);
    const booking = sandbox.requests.findLast(({ method }) => method === "POST");
    expect(booking).toMatchObject({ fault: kind });
  });

  test("throttle: is refused with Retry-After and not executed", async () => {
    const before = await trades();
    addFault({ operation: "trades.book", kind: "throttle", retry_after: 0 });
    const error = await book().catch((refused: unknown) => refused);
    expect(error).toBeInstanceOf(RateLimited);
    expect(error).toMatchObject({ outcome: "rejected", retryAfterMs: 0 });
    expect(await trades()).toBe(before);
  });

  test("latency: is executed even if the caller stops waiting", async () => {
    const before = await trades();
    const quote_id = await makeQuote(client);
    addFault({ operation: "trades.book", kind: "latency", milliseconds: 60_000 });
    const late = client.trades.book({ quote_id, reason: "payment_for_goods" }, { timeoutMs: 200 });
    await expect(late).rejects.toThrow(OutcomeUnknown);
    expect(await trades()).toBe(before + 1);
  });
});

describe("a read", () => {
  test.each(["reset-before", "reset-after", "cut-off"] as const)("%s: is retried", async (kind) => {
    addFault({ operation: "trades.list", kind });
    const { attempts } = await client.trades.list.response();
    expect(attempts).toBe(2);
  });

  test("status: returns a documented response without executing", async () => {
    addFault({ operation: "trades.get", kind: "status", status: 404, times: 2 });
    const trade_id = (await client.trades.list({ page_size: 1 }))[0]!.trade_id;
    const get = () => client.trades.get({ trade_id });
    await expect(get()).rejects.toMatchObject({ code: "not_found" });
    await expect(get()).rejects.toMatchObject({ code: "not_found" });
    expect(await get()).toMatchObject({ trade_id });
  });
});

test("rejects a truncated file and removes the partial download", async () => {
  const folder = await tempFolder();
  const path = join(folder, "statement.csv");
  const input = (await sampleInput("statements.getFile", client)) as never;
  sandbox.advance(1_000);
  addFault({ operation: "statements.getFile", kind: "cut-off" });
  const save = async () => ((await client.statements.getFile(input)).body as ReceivedFile).save(path);
  await expect(save()).rejects.toThrow();
  expect(await readdir(folder)).toEqual([]);
  await save();
  expect(await readdir(folder)).toEqual(["statement.csv"]);
});

test.each([
  ["trades.list", "too_many_requests"],
  ["openBanking.listAccounts", "ACCESS_EXCEEDED"],
] as const)("throttles %s with the code of its interface", async (operation, code) => {
  addFault({ operation, kind: "throttle", retry_after: 60 });
  const input = (await sampleInput(operation, client)) as never;
  const [section, method] = operation.split(".") as ["trades", "list"];
  await expect(client[section][method](input, { timeoutMs: 5_000 })).rejects.toMatchObject({
    name: "RateLimited",
    retryAfterMs: 60_000,
    service: { code },
  });
  expect(sandbox.requests.filter(({ status }) => status === 429)).toHaveLength(1);
});

test("applies faults to the sandbox's own operations", async () => {
  addFault({ operation: "quotes.create", kind: "throttle", retry_after: 1 });
  await expect(makeQuote(client)).rejects.toMatchObject({ name: "RateLimited", retryAfterMs: 1_000 });
  expect(await makeQuote(client)).toEqual(expect.any(String));
});

test("applies faults in order and clears them", async () => {
  addFault({ operation: "trades.list", kind: "throttle", retry_after: 1 });
  addFault({ operation: "accounts.list", kind: "status", status: 404, times: 2 });
  expect(sandbox.control.listFaults()).toEqual([
    { operation: "trades.list", kind: "throttle", retry_after: 1 },
    { operation: "accounts.list", kind: "status", status: 404 },
    { operation: "accounts.list", kind: "status", status: 404 },
  ]);
  sandbox.control.clearFaults();
  expect(sandbox.control.listFaults()).toEqual([]);
  expect((await client.trades.list.response()).attempts).toBe(1);
});

test.each([
  [{ operation: "trades.sell", kind: "reset-after" }, "trades.sell"],
  [{ operation: "trades.book", kind: "status", status: 418 }, "418"],
  [{ operation: "trades.book", kind: "status" }, "status is required"],
  [{ operation: "trades.book", kind: "latency" }, "milliseconds is required"],
  [{ operation: "trades.book", kind: "throttle" }, "retry_after is required"],
  [{ operation: "trades.book", kind: "throttle", retry_after: 1, status: 999 }, "status is allowed"],
  [{ operation: "trades.book", kind: "cut-off", milliseconds: 1 }, "milliseconds is allowed"],
  [{ operation: "trades.book", kind: "cut-off", retry_after: 1 }, "retry_after is allowed"],
  [{ operation: "trades.book", kind: "meteorite" }, "kind must be one of"],
])("refuses %j", (fault, message) => {
  expect(() => addFault(fault as Fault)).toThrow(
    expect.objectContaining({ details: expect.stringContaining(message) }),
  );
});
