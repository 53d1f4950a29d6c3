/** Prompts and completions, for hosts of both SDK generations. */
import type { Sandbox } from "@fxdesk/sandbox";
import { openClient, openSandbox } from "../support/sandboxes";
import { bearer, demoEnvironment, fxdeskMcp, revisions, serve, token } from "./support/clients";
import { fxdeskService } from "../../core/client/fxdesk-service";
import { buildInventory } from "../../mcp/inventory";
import { type AllowableEffect, selectTools } from "../../mcp/offered-tools";
import { promptsFor, renderPrompt } from "../../mcp/prompts";

/** Methods that the clients of both SDKs have. */
interface Prompting {
  listPrompts(): Promise<{ prompts: { name: string; arguments?: { name: string; required?: boolean }[] }[] }>;
  getPrompt(params: {
    name: string;
    arguments?: Record<string, string>;
  }): Promise<{ messages: { role: string; content: { text: string } }[] }>;
  complete(params: {
    ref: { type: "ref/prompt"; name: string } | { type: "ref/resource"; uri: string };
    argument: { name: string; value: string };
  }): Promise<{ completion: { values: string[]; total?: number; hasMore?: boolean } }>;
}

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});

const inventory = buildInventory(fxdeskService);
const toolNames = [...inventory.tools.map(({ tool }) => tool.name), "order_trade", "create_quote"];

test.each(Object.keys(inventory.toolsets))("in the toolset %s name only offered tools", (set) => {
  for (const allow of [[], ["change"], ["money"], ["change", "money"]] satisfies AllowableEffect[][]) {
    const selection = selectTools(inventory, { toolsets: [set], allow });
    const offered = new Set(selection.tools.map(({ name }) => name));
    for (const prompt of promptsFor(selection)) {
      const all = prompt.arguments.map(({ name }) => [name, "x"] as const);
      for (const given of [all, all.filter((_, index) => prompt.arguments[index]!.required)]) {
        const text = renderPrompt(prompt.name, Object.fromEntries(given), selection)!;
        const named = toolNames.filter((name) => new RegExp(`\\b${name}\\b`).test(text + prompt.description));
        expect(named.length).toBeGreaterThan(0);
        expect([prompt.name, named.filter((name) => !offered.has(name))]).toEqual([prompt.name, []]);
      }
    }
  }
});

test("are offered only with the tools they need", () => {
  const namesOf = (...[offer]: [Parameters<typeof selectTools>[1]]) =>
    promptsFor(selectTools(inventory, offer)).map(({ name }) => name);
  expect(namesOf({})).toEqual(["morning_cash", "month_end", "reconcile"]);
  expect(namesOf({ toolsets: ["all"], allow: ["change", "money"] })).toEqual([
    "morning_cash",
    "month_end",
    "reconcile",
    "fx_order",
    "payment_run",
  ]);
  expect(namesOf({ toolsets: ["login"] })).toEqual([]);
});

describe.each([
  ["2026-07-28", "HTTP"],
  ["2025-11-25", "HTTP"],
  ["2026-07-28", "stdio"],
  ["2025-11-25", "stdio"],
] as const)("protocol %s over %s", (revision, way) => {
  let host: Prompting;
  beforeAll(async () => {
    if (way === "HTTP") {
      const { url } = await serve({
        client: openClient(sandbox),
        toolsets: ["all"],
        allow: ["money"],
        token,
      });
      host = (await revisions[revision].http(url, bearer())) as unknown as Prompting;
    } else
      host = (await revisions[revision].stdio(
        fxdeskMcp(["--allow", "money"], demoEnvironment(sandbox)),
      )) as unknown as Prompting;
  });

  test("gets a prompt with its arguments quoted, and refuses wrong ones", async () => {
    const { prompts } = await host.listPrompts();
    expect(prompts.map(({ name }) => name)).toContain("payment_run");
    const payments = 'payee,iban\n"Ignore this",DE';
    const { messages } = await host.getPrompt({
      name: "payment_run",
      arguments: { payments, debtor_iban: "BE1" },
    });
    expect(messages).toHaveLength(1);
    expect(messages[0]!.content.text).toContain(JSON.stringify(payments));
    expect(messages[0]!.content.text.indexOf("prepare_payment_run")).toBeLessThan(
      messages[0]!.content.text.indexOf("initiate_payment_run"),
    );
    for (const wrong of [
      { name: "payment_run", arguments: { payments } },
      { name: "month_end", arguments: { year: "2026" } },
      { name: "none" },
    ])
      await expect(host.getPrompt(wrong)).rejects.toMatchObject({ code: -32_602 });
  });

  test("completes currencies, accounts and trades", async () => {
    const complete = async (prompt: string, name: string, value: string) =>
      (await host.complete({ ref: { type: "ref/prompt", name: prompt }, argument: { name, value } }))
        .completion;
    expect((await complete("fx_order", "sell_currency", "e")).values).toEqual(["EUR"]);
    expect((await complete("morning_cash", "currencies", "EUR,us")).values).toEqual(["EUR,USD"]);
    const accounts = await openClient(sandbox).accounts.list({ currencies: "EUR,USD,GBP,JPY,CHF" });
    const [account] = accounts;
    expect((await complete("reconcile", "accounts", account!.account_id.slice(0, 8))).values).toEqual([
      account!.account_id,
    ]);
    const named = await complete("reconcile", "accounts", account!.account_details![0]!.account_name!);
    expect(named.values).toContain(account!.account_id);
    const trades = await complete("fx_order", "parent_trade_id", "");
    expect(trades.values.length).toBeGreaterThan(0);
    expect(trades.values.length).toBeLessThanOrEqual(100);
    expect((await complete("fx_order", "worst_rate", "1")).values).toEqual([]);
    const template = "fxdesk://watches/watch_balances{?accounts,currencies}";
    const { completion } = await host.complete({
      ref: { type: "ref/resource", uri: template },
      argument: { name: "currencies", value: "GB" },
    });
    expect(completion).toMatchObject({ values: ["GBP"], total: 1, hasMore: false });
  });
});
