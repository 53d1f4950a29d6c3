/** Watches as tools: new and changed entries since the cursor of the previous result. */
import { type Sandbox, startSandbox } from "@fxdesk/sandbox";
import type { Client } from "@modelcontextprotocol/client";
import type { FxdeskClient } from "../../core";
import { sandboxClient } from "../support/samples";
import { makeReadsDue } from "../support/due-watches";
import { withAssistant } from "../support/surfaces";

let sandbox: Sandbox;
let client: FxdeskClient;
beforeAll(async () => {
  sandbox = await startSandbox({ daysBehind: 30 });
  client = sandboxClient(sandbox);
});
afterAll(async () => {
  await client.close();
  await sandbox.close();
});

interface WatchResult {
  readonly count: number;
  readonly cursor: string;
  readonly changes: readonly Record<string, any>[];
  readonly next?: Record<string, unknown>;
}

/** Calls a watch tool and forces a new read of the service. */
async function callWatchTool(assistant: Client, name: string, input: Record<string, unknown> = {}) {
  await makeReadsDue();
  const result = await assistant.callTool({ name, arguments: input });
  const [{ text }] = result.content as unknown as [{ text: string }];
  return { text, isError: result.isError, data: result.structuredContent as unknown as WatchResult };
}

const payIn = (reference: string, currency = "EUR") =>
  sandbox.control.payIn({ currency, amount: "12.34", reference }).transaction_id;

test("returns changes since its cursor as a table and as structured content", async () => {
  await withAssistant({ client }, async (assistant) => {
    const input = { currencies: "EUR", direction: "in" };
    const first = await callWatchTool(assistant, "watch_transactions", input);
    expect(first.data).toMatchObject({ count: 0, changes: [] });
    const id = payIn("NEW-1");
    payIn("NEW-2", "USD");
    const { data, text } = await callWatchTool(assistant, "watch_transactions", {
      ...input,
      cursor: first.data.cursor,
    });
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

    const again = await callWatchTool(assistant, "watch_transactions", {
      ...input,
      cursor: first.data.cursor,
    });
    expect(again.data.changes).toMatchObject([{ id, repeated: true }]);
    const last = await callWatchTool(assistant, "watch_transactions", { ...input, cursor: data.cursor });
    expect(last.data).toMatchObject({ count: 0, cursor: data.cursor });
  });
});

test("returns remaining changes through next, each once and none as repeated", async () => {
  await withAssistant({ client }, async (assistant) => {
    const found: string[] = [];
    let next: Record<string, unknown> | undefined = { currencies: "GBP", from: "beginning" };
    for (let results = 0; next && results < 50; results += 1) {
      const { data, text }: { data: WatchResult; text: string } = await callWatchTool(
        assistant,
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
});

test.each([
  ["watch_balances", {}, "At least one of below and above must be given"],
  ["watch_transactions", { from: "yesterday" }, "from must be now, beginning or a day"],
  ["watch_transactions", { currency: "EUR" }, "The arguments are accounts, currencies, direction"],
])("%s refuses %j", async (name, input, words) => {
  await withAssistant({ client }, async (assistant) => {
    const { isError, text } = await callWatchTool(assistant, name, input);
    expect([isError, text]).toEqual([true, expect.stringContaining(words)]);
  });
});
