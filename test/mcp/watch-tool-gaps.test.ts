/** Watches as tools with unreadable sources or unknown cursors. */
import { type Sandbox, startSandbox } from "@fxdesk/sandbox";
import type { FxdeskClient } from "../../core";
import { type Proxy, startAlteringProxy } from "../core/procedures/altering-proxy";
import { makeReadsDue } from "../support/due-watches";
import { sandboxClient } from "../support/samples";
import { withAssistant } from "../support/surfaces";

let sandbox: Sandbox;
let proxy: Proxy;
let client: FxdeskClient;
beforeAll(async () => {
  sandbox = await startSandbox({ daysBehind: 30 });
  proxy = await startAlteringProxy(sandbox.baseUrl);
  client = sandboxClient({ baseUrl: proxy.url, xs2aUrl: sandbox.xs2aUrl });
});
afterAll(async () => {
  await client.close();
  await proxy.close();
  await sandbox.close();
});

interface WatchResult {
  readonly count: number;
  readonly cursor: string;
  readonly gaps?: readonly string[];
}

/** Calls a watch tool without waiting for the next read. */
const callWatchTool = (name: string, input: Record<string, unknown>) =>
  withAssistant({ client, toolsets: ["all"] }, async (assistant) => {
    const result = await assistant.callTool({ name, arguments: input });
    const [{ text }] = result.content as unknown as [{ text: string }];
    return { text, isError: result.isError, data: result.structuredContent as unknown as WatchResult };
  });

test.each([
  ["watch_balances", { currencies: "EUR,GBP", below: "100" }],
  ["watch_transactions", { currencies: "EUR,GBP", from: "beginning" }],
])("%s names an unreadable account until it can be read", async (name, input) => {
  const [lost] = await client.accounts.list({ currencies: "GBP" });
  const { account_id: id } = lost!;
  proxy.alter = (response) => {
    if (response.url.pathname.includes(id)) response.status = 502;
  };
  const named = [expect.stringContaining(`Account ${id}: `)];
  const first = await callWatchTool(name, input);
  expect(first.data.gaps).toEqual(named);
  expect(first.text).toContain(`gaps:\nAccount ${id}: `);
  // Results before the next read are as incomplete as the last read.
  expect((await callWatchTool(name, { ...input, cursor: first.data.cursor })).data.gaps).toEqual(named);
  proxy.alter = () => undefined;
  let { data } = first;
  // Pending changes are delivered before the next read.
  for (let asked = 0; data.gaps && asked < 30; asked += 1) {
    await makeReadsDue();
    ({ data } = await callWatchTool(name, { ...input, cursor: data.cursor }));
  }
  expect(data.gaps).toBeUndefined();
});
