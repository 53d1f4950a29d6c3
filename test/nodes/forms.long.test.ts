/** What the forms of nodes know: lists to pick from, what is wrong with a value, and a read that is tried. */
import { readFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import { startSandbox, type Sandbox } from "@fxdesk/sandbox";
import { eventually } from "../support/eventually";
import { Editor, launchBrowser } from "./support/browser";
import { connectionTo, tab } from "./support/flows";
import { type FlowNode, NodeRed } from "./support/node-red";
import { json, ScriptedService } from "./support/scripted-service";

let sandbox: Sandbox;
let many: ScriptedService;
let nodeRed: NodeRed;
let browser: Browser;
let editor: Editor;
let page: Page;

const fixed = (value: string) => ({ type: "str", value });

const nodeOf = (
  type: string,
  id: string,
  y: number,
  fields: object = {},
  connection = "connection",
): FlowNode => ({
  id,
  type,
  z: tab.id,
  x: 400,
  y,
  connection,
  fields,
  wires: [[]],
});

/** The account with a number, of 1,000. */
const accountId = (index: number) => `00000000-0000-0000-0000-${String(index).padStart(12, "0")}`;
const accounts = Array.from({ length: 1_000 }, (_, index) => ({
  account_id: accountId(index),
  account_type: "currency",
  currency: "EUR",
  status: "enabled",
  account_details: [{ account_name: `Account ${index}` }],
}));

beforeAll(async () => {
  sandbox = await startSandbox();
  many = await ScriptedService.start();
  many.handler = (url, response) => {
    const [, id] = /accounts\/([^/]+)\/balances/.exec(url.pathname) ?? [];
    if (id)
      return json(response, 200, [
        {
          account_id: id,
          amount: { amount: 12.5, currency: "EUR" },
          credit_debit_indicator: "credit",
          type: "InterimAvailable",
        },
      ]);
    return json(response, 200, accounts);
  };
  nodeRed = await NodeRed.start();
  browser = await launchBrowser();
  await nodeRed.deploy([
    tab,
    connectionTo(sandbox),
    connectionTo(many.urls, { id: "many", name: "Many accounts" }),
    nodeOf("fxdesk-list-balances", "balances", 60),
    nodeOf("fxdesk-list-balances", "of-many", 120, { account_id: fixed(accountId(1)) }, "many"),
    nodeOf("fxdesk-find-transactions", "find", 180),
    nodeOf("fxdesk-book-trade", "book", 240, { quote_id: fixed("Q1"), reason: fixed("other") }),
  ]);
  editor = await Editor.open(browser, nodeRed.url);
  ({ page } = editor);
  page.setDefaultTimeout(8_000);
}, 90_000);

afterAll(async () => {
  await browser.close();
  await nodeRed.close();
  many.close();
  await sandbox.close();
});

const field = (name: string) => page.locator(`.form-row:has([id="node-input-fxdesk-${name}"])`);
const inner = (name: string) => field(name).locator(".red-ui-typedInput-input");
const openOptional = () => page.locator(".fxdesk-fields details:not([open]) > summary").first().click();
const options = () => page.locator(".fxdesk-list:visible [role=option]");
const saved = async (id: string) =>
  (await nodeRed.json<FlowNode[]>("/flows")).find((node) => node.id === id)!;

test("accounts are picked by currency and balance, and the label of the node says which", async () => {
  await editor.edit("balances");
  await inner("account_id").click();
  await inner("account_id").pressSequentially("gbp");
  const option = options().first();
  await option.waitFor();
  expect(await option.innerText()).toMatch(/GBP · [\d.-]+/);
  await inner("account_id").press("ArrowDown");
  await inner("account_id").press("Enter");
  expect(await inner("account_id").inputValue()).toMatch(/^[\da-f-]{36}$/);
  await editor.done();
  expect(await page.locator('[id="balances"]').textContent()).toContain("GBP");
  await editor.deploy();

  expect((await saved("balances")).fields).toMatchObject({ account_id: { type: "str", label: "GBP" } });
});

test("several values are picked one after the other, and any text may stay", async () => {
  await editor.edit("find");
  await openOptional();
  await inner("currencies").click();
  await inner("currencies").pressSequentially("EU");
  await options().first().waitFor();
  await inner("currencies").press("ArrowDown");
  await inner("currencies").press("Enter");
  await inner("currencies").pressSequentially(", US");
  await options().filter({ hasText: "USD" }).waitFor();
  await inner("currencies").press("ArrowDown");
  await inner("currencies").press("Enter");
  expect(await inner("currencies").inputValue()).toBe("EUR, USD");
  await inner("currencies").pressSequentially(",XYZ");
  await inner("currencies").press("Escape");
  await editor.done();
  await editor.deploy();

  expect((await saved("find")).fields).toMatchObject({ currencies: { type: "str", value: "EUR, USD,XYZ" } });
});

test("a value that does not fit is said below its field, as it is typed", async () => {
  await editor.edit("balances");
  await editor.fill("account_id", "");
  await inner("account_id").pressSequentially("my euro account");
  const reason = page.locator('[id="node-input-fxdesk-account_id-reason"]');
  await eventually(async () => /UUID/.test(await reason.innerText()), { withinMs: 10_000, what: "a reason" });
  expect(await inner("account_id").getAttribute("aria-invalid")).toBe("true");
  await inner("account_id").press("Escape");
  await page.locator("#node-dialog-cancel").click();
  await page.waitForSelector(".red-ui-tray", { state: "detached" });
});

test("a form asks for what the choices in it make necessary, and hides what they exclude", async () => {
  const id = await editor.drag("fxdesk-initiate-payment", 400, 320);
  await editor.edit(id);
  expect(await field("creditorName").isVisible()).toBe(false);
  await editor.fill("payment-service", "payments");
  await editor.fill("payment-product", "sepa-credit-transfers");
  for (const name of ["instructedAmount", "creditorAccount", "creditorName", "debtorAccount"])
    await field(name).waitFor();
  await openOptional();
  expect(await field("frequency").isVisible()).toBe(false);
  expect(await field("pain001").isVisible()).toBe(false);
  await editor.fill("payment-product", "pain.001-sepa-credit-transfers");
  await field("pain001").waitFor();
  await page.locator("#node-dialog-cancel").click();
  await page.waitForSelector(".red-ui-tray", { state: "detached" });
});

test("of several ways to give something, one is chosen", async () => {
  const id = await editor.drag("fxdesk-get-funding-account", 400, 380);
  await editor.edit(id);
  await field("currency").waitFor();
  expect(await field("account_id").isVisible()).toBe(false);
  await page.getByLabel("Given by").selectOption("account_id");
  await field("account_id").waitFor();
  expect(await field("currency").isVisible()).toBe(false);
  await page.locator("#node-dialog-cancel").click();
  await page.waitForSelector(".red-ui-tray", { state: "detached" });
});

test("a read is tried, and its response is shown in the form", async () => {
  await editor.edit("find");
  await editor.fill("currencies", "EUR");
  await page.locator("#fxdesk-try").click();
  await page.locator(".fxdesk-response:visible").waitFor();

  expect(await page.locator(".fxdesk-response").innerText()).toContain('"transactions"');
  expect(await page.locator("#fxdesk-try-state").innerText()).toMatch(/^Status 200, \d+ entries/);
  await page.locator("#node-dialog-cancel").click();
  await page.waitForSelector(".red-ui-tray", { state: "detached" });
});

test("what changes something is not tried", async () => {
  await editor.edit("book");

  expect(await page.locator("#fxdesk-try").count()).toBe(0);
  await page.locator("#node-dialog-cancel").click();
  await page.waitForSelector(".red-ui-tray", { state: "detached" });
});

test.each(["balances", "find", "book"])("axe finds nothing in the form of %s", async (id) => {
  await editor.edit(id);
  await page.evaluate(await readFile(require.resolve("axe-core/axe.min.js"), "utf8"));
  const { violations } = await page.evaluate<{ violations: { id: string }[] }>("axe.run('.fxdesk-form')");

  expect(violations.map((violation) => violation.id)).toEqual([]);
  await page.locator("#node-dialog-cancel").click();
  await page.waitForSelector(".red-ui-tray", { state: "detached" });
});

test("a keystroke among 1,000 accounts takes less than 200 ms", async () => {
  await editor.edit("of-many");
  await editor.fill("account_id", "");
  await inner("account_id").click();
  await inner("account_id").pressSequentially("Acc");
  await options().first().waitFor();
  const took = await inner("account_id").evaluate((input: HTMLInputElement) => {
    const times: number[] = [];
    for (const text of ["account 9", "account 99", "account 999", "account 1", "0"]) {
      const began = performance.now();
      input.value = text;
      input.dispatchEvent(new Event("input", { bubbles: true }));
      // The layout is what a person waits for.
      void input.ownerDocument.body.offsetHeight;
      times.push(performance.now() - began);
    }
    return times;
  });

  expect(Math.max(...took)).toBeLessThan(200);
  expect(await options().count()).toBe(50);
  await inner("account_id").press("Escape");
  await page.locator("#node-dialog-cancel").click();
  await page.waitForSelector(".red-ui-tray", { state: "detached" });
});

describe("the routes behind", () => {
  const form = (values: object = {}) => ({
    id: "connection",
    values: { ...sandboxValues(), accessToken: "__PWRD__", apiKey: "__PWRD__", ...values },
  });
  const sandboxValues = () => {
    const { id: _id, type: _type, name: _name, credentials: _credentials, ...values } = connectionTo(sandbox);
    return values as Record<string, string>;
  };
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    nodeRed.request(`/fxdesk/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  const list = { from: "cash.getPosition", property: "account_id" };

  test("list what there is, with the secrets that are stored, and show none", async () => {
    const response = await post("connection/list", { ...form(), ...list });
    const body = await response.text();

    expect(response.status).toBe(200);
    expect((JSON.parse(body) as { entries: unknown[] }).entries.length).toBeGreaterThan(2);
    for (const secret of Object.values((connectionTo(sandbox) as any).credentials as Record<string, string>))
      expect(body).not.toContain(secret);
  });

  test.each(["connection/list", "connection/try", "check"])("%s refuses another site", async (path) => {
    const response = await post(path, { ...form(), ...list }, { origin: "https://elsewhere.example" });

    expect(response.status).toBe(403);
  });

  test("send no stored secret to a changed address", async () => {
    const heard: string[] = [];
    many.handler = (_url, response, request) => {
      heard.push(String(request.headers.authorization));
      json(response, 200, []);
    };
    const response = await post("connection/list", { ...form(many.urls), ...list });

    expect(response.status).toBe(400);
    expect(((await response.json()) as { message: string }).message).toContain("write the secrets again");
    expect(heard).toEqual([]);
  });

  test("make no call that changes something", async () => {
    const response = await post("connection/try", { ...form(), operation: "trades.book", fields: {} });

    expect(response.status).toBe(400);
    expect(((await response.json()) as { message: string }).message).toContain("only reads are tried");
  });
});
