/** Watches as tools: new and changed entries since the cursor of the previous result, and what could not be read. */
import type { Sandbox } from "@fxdesk/sandbox";
import type { FxdeskClient } from "../../core";
import { startAlteringProxy } from "../core/procedures/altering-proxy";
import { makeReadsDue } from "../support/due-watches";
import { openClient, openSandbox } from "../support/sandboxes";
import { withAssistant } from "../support/surfaces";

let sandbox: Sandbox;
let client: FxdeskClient;
beforeAll(async () => {
  sandbox = await openSandbox({ daysBehind: 30 });
  client = openClient(sandbox);
});

interface WatchResult {
  readonly count: number;
  readonly cursor: string;
  readonly changes: readonly Record<string, any>[];
  readonly gaps?: readonly string[];
  readonly next?: Record<string, unknown>;
}

/** Calls a watch tool, which reads from the service if it is time. */
const callWatchTool = (name: string, input: Record<string, unknown> = {}, of = client) =>
  withAssistant({ client: of }, async (assistant) => {
    const result = await assistant.callTool({ name, arguments: input });
    const [{ text }] = result.content as unknown as [{ text: string }];
    return { text, isError: result.isError, data: result.structuredContent as unknown as WatchResult };
  });

/** Calls a watch tool and forces a new read of the service. */
async function readWatchTool(...call: Parameters<typeof callWatchTool>) {
  await makeReadsDue();
  return callWatchTool(...call);
}

const payIn = (reference: string, currency = "EUR") =>
  sandbox.control.payIn({ currency, amount: "12.34", reference }).transaction_id;

test("returns changes since its cursor as a table and as structured content", async () => {
  const input = { currencies: "EUR", direction: "in" };
  const first = await readWatchTool("watch_transactions", input);
  expect(first.data).toMatchObject({ count: 0, changes: [] });
  const id = payIn("NEW-1");
  payIn("NEW-2", "USD");
  const { cursor } = first.data;
  const { data, text } = await readWatchTool("watch_transactions", { ...input, cursor });
  expect(data).toMatchObject({
    count: 1,
    changes: [{ kind: "new", id, entry: { transaction_id: id, amount: { amount: "12.34" } } }],
  });
  expect(data.next).toBeUndefined();
  expect(data.changes[0]).not.toHaveProperty("repeated");
  const [headline, about, list, heads, row] = text.split("\n");
  expect([headline, list]).toEqual(["Watch transactions: New and changed entries.", "changes:"]);
  expect(about).toBe(`count 1, cursor ${data.cursor}.`);
  expect(heads).toMatch(/^kind,id,entry\.transaction_id,.*entry\.amount\.amount,entry\.amount\.currency/);
  expect(row).toMatch(/^new,/);

  const again = await readWatchTool("watch_transactions", { ...input, cursor });
  expect(again.data.changes).toMatchObject([{ id, repeated: true }]);
  const last = await readWatchTool("watch_transactions", { ...input, cursor: data.cursor });
  expect(last.data).toMatchObject({ count: 0, cursor: data.cursor });
});

test("returns remaining changes through next, each once and none as repeated", async () => {
  const found: string[] = [];
  let next: Record<string, unknown> | undefined = { currencies: "GBP", from: "beginning" };
  for (let results = 0; next && results < 50; results += 1) {
    const { data, text }: Awaited<ReturnType<typeof callWatchTool>> = await readWatchTool(
      "watch_transactions",
      next,
    );
    expect(data.changes.some(({ repeated }) => repeated === true)).toBe(false);
    expect(text.length).toBeLessThan(25_000);
    found.push(...data.changes.map(({ id }) => String(id)));
    if (data.next) expect(data.next).toEqual({ currencies: "GBP", cursor: data.cursor });
    next = data.next;
  }
  expect(found.length).toBeGreaterThan(20);
  expect(new Set(found).size).toBe(found.length);
});

test.each([
  ["watch_balances", {}, "At least one of below and above must be given"],
  ["watch_transactions", { from: "yesterday" }, "from must be now, beginning or a day"],
  ["watch_transactions", { currency: "EUR" }, "The arguments are accounts, currencies, direction"],
])("%s refuses %j", async (name, input, words) => {
  const { isError, text } = await callWatchTool(name, input);
  expect([isError, text]).toEqual([true, expect.stringContaining(words)]);
});

test.each([
  ["watch_balances", { currencies: "EUR,GBP", below: "100" }],
  ["watch_transactions", { currencies: "EUR,GBP", from: "beginning" }],
])("%s names an unreadable account until it can be read", async (name, input) => {
  const proxy = await startAlteringProxy(sandbox.baseUrl);
  const altered = openClient({ baseUrl: proxy.url, xs2aUrl: sandbox.xs2aUrl });
  const [lost] = await altered.accounts.list({ currencies: "GBP" });
  const { account_id: id } = lost!;
  proxy.alter = (response) => {
    if (response.url.pathname.includes(id)) response.status = 502;
  };
  const named = [expect.stringContaining(`Account ${id}: `)];
  const first = await callWatchTool(name, input, altered);
  expect(first.data.gaps).toEqual(named);
  expect(first.text).toContain(`gaps:\n"Account ${id}: `);
  // Results before the next read are as incomplete as the last read.
  const second = await callWatchTool(name, { ...input, cursor: first.data.cursor }, altered);
  expect(second.data.gaps).toEqual(named);
  proxy.alter = () => undefined;
  let { data } = first;
  // Pending changes are delivered before the next read.
  for (let asked = 0; data.gaps && asked < 30; asked += 1)
    ({ data } = await readWatchTool(name, { ...input, cursor: data.cursor }, altered));
  expect(data.gaps).toBeUndefined();
});
