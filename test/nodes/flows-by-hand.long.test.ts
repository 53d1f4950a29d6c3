/** Eight flows that treasuries want, built by hand: at most six nodes each, and what they take in clicks and keys. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { demo } from "@fxdesk/sandbox";
import { approve } from "../support/samples";
import { eventually } from "../support/eventually";
import { Editor, launchBrowser } from "./support/browser";
import type { FlowNode } from "./support/node-red";
import { Person } from "./support/person";
import { inItsTab } from "./support/recipes";
import { Stage } from "./support/stage";

const withinMs = 20_000;

let stage: Stage;
let browser: Browser;
let editor: Editor;
let person: Person;

beforeAll(async () => {
  stage = await Stage.start(inItsTab);
  browser = await launchBrowser();
  editor = await Editor.open(browser, stage.guarded.url);
  editor.page.setDefaultTimeout(10_000);
}, 90_000);

afterAll(async () => {
  await browser.close();
  await stage.close();
});

beforeEach(() => {
  person = new Person(editor);
});

const config = (name: string) => editor.page.locator(`#node-config-input-${name}`);

/** From the open form of a node, to the sandbox by its address. */
async function makeConnection(): Promise<void> {
  await person.click(editor.page.locator("#node-input-btn-connection-add"));
  await editor.page.waitForSelector("#node-config-dialog-edit-form");
  await person.type(config("baseUrl"), stage.sandbox.baseUrl);
  await person.type(config("clientId"), demo.clientId);
  await person.type(config("accessToken"), demo.accessToken);
  await person.type(config("apiKey"), demo.apiKey);
  await person.unfold("Open banking");
  await person.type(config("xs2aUrl"), stage.sandbox.xs2aUrl);
  await person.click(editor.page.locator("#node-config-dialog-ok"));
  await editor.page.waitForSelector("#node-config-dialog-ok", { state: "detached" });
}

/** A node that posts what comes, as a chat or another system takes it. */
async function postTo(path: string, column: number, row = 0): Promise<string> {
  const id = await person.drag("http request", column, row);
  await person.open(id);
  await person.select(editor.page.locator("#node-input-method"), "POST");
  await person.type(editor.page.locator("#node-input-url"), `${stage.receivers.url}${path}`);
  await person.done();
  return id;
}

/** A watch that looks each second; `fill` does the rest of its form. */
async function watch(type: string, fill?: () => Promise<void>): Promise<string> {
  const id = await person.drag(type, 0);
  await person.open(id);
  await fill?.();
  await person.fill("Every (s)", "1");
  await person.done();
  return id;
}

interface Taken {
  readonly nodes: number;
  readonly clicks: number;
  readonly keys: number;
}

/** Expects the flow that was built last to have taken no more than that. */
async function expectTaken(most: Taken): Promise<void> {
  const tab = await editor.page.evaluate("RED.workspaces.active()");
  const flows = await stage.guarded.json<FlowNode[]>("/flows");
  const nodes = flows.filter(({ z }) => z === tab).length;
  const taken: Taken = { nodes, clicks: person.clicks, keys: person.keys };
  const over = Object.entries(most).filter(([what, limit]) => taken[what as keyof Taken] > limit);
  expect([over, taken]).toEqual([[], taken]);
  expect(nodes).toBeGreaterThan(1);
}

const posted = async (path: string) => (await stage.receivers.posted(path)).body as Record<string, unknown>;

test("a low balance is told", async () => {
  const low = await watch("fxdesk-watch-balances", async () => {
    await makeConnection();
    await person.fill("Below", "50000");
  });
  await person.wire(low, await postTo("/low", 1));
  await person.deploy();

  expect(await posted("/low")).toMatchObject({ type: "InterimAvailable", currency: expect.any(String) });
  await expectTaken({ nodes: 2, clicks: 23, keys: 140 });
}, 60_000);

test("last month's MT940 of all accounts in a folder", async () => {
  await person.addFlow();
  const start = await person.drag("inject", 0);
  const fetch = await person.drag("fxdesk-fetch-statements", 1);
  await person.open(fetch);
  await person.choose("Format", "mt940");
  await person.fill("Save to", join(stage.folder, "statements"));
  await person.done();
  await person.wire(start, fetch);
  await person.deploy();
  await person.press(start);

  const written = async () => {
    const names = await readdir(join(stage.folder, "statements")).catch(() => []);
    return names.filter((name) => name.endsWith(".sta")).length >= 3;
  };
  await eventually(written, { withinMs, what: "the files" });
  await expectTaken({ nodes: 2, clicks: 12, keys: 60 });
}, 60_000);

test("each new transaction is appended to a file once", async () => {
  const path = join(stage.folder, "new.jsonl");
  await person.addFlow();
  const news = await watch("fxdesk-watch-transactions");
  const text = await person.drag("json", 1);
  const file = await person.drag("file", 2);
  await person.open(file);
  await person.type(
    editor.page.locator(".form-row:has(#node-input-filename) .red-ui-typedInput-input"),
    path,
  );
  await person.done();
  await person.wire(news, text, file);
  await person.deploy();

  await stage.guarded.status(news, ({ text: shown }) => shown === "watching");
  stage.sandbox.control.payIn({ currency: "EUR", amount: "12.34", reference: "BY-HAND" });
  const lines = async () => {
    const found = (await readFile(path, "utf8").catch(() => "")).split("\n").filter(Boolean);
    return found.length > 0 && found;
  };
  const [line] = await eventually(lines, { withinMs, what: "the line" });
  expect(JSON.parse(line!)).toMatchObject({ transaction_reference: "BY-HAND" });
  await expectTaken({ nodes: 3, clicks: 15, keys: 60 });
}, 60_000);

test("forwards that mature within ten days are told", async () => {
  await person.addFlow();
  const maturities = await watch("fxdesk-watch-maturities", () => person.fill("Within days", "10"));
  await person.wire(maturities, await postTo("/matures", 1));
  await person.deploy();

  expect(await posted("/matures")).toMatchObject({
    matures: expect.any(String),
    trade_id: expect.any(String),
  });
  await expectTaken({ nodes: 2, clicks: 16, keys: 50 });
}, 60_000);

test("a file of open invoices is reconciled", async () => {
  const path = join(stage.folder, "invoices.csv");
  await writeFile(path, "reference,amount,currency\nINV-2042,980.50,EUR\n");
  await person.addFlow();
  const start = await person.drag("inject", 0);
  const file = await person.drag("file in", 1);
  await person.open(file);
  await person.type(
    editor.page.locator(".form-row:has(#node-input-filename) .red-ui-typedInput-input"),
    path,
  );
  await person.done();
  const reconcile = await person.drag("fxdesk-reconcile-transactions", 2);
  await person.open(reconcile);
  await person.select(person.row("Given by").locator("select"), "Expected items as CSV");
  await person.takeFrom("Expected items as CSV", "payload");
  await person.done();
  await person.wire(start, file, reconcile, await postTo("/reconciled", 3));
  await person.deploy();
  await person.press(start);

  expect(await posted("/reconciled")).toMatchObject({
    complete: true,
    open_items: [expect.objectContaining({ reference: "INV-2042" })],
  });
  await expectTaken({ nodes: 4, clicks: 28, keys: 100 });
}, 60_000);

test("a margin call is told", async () => {
  await person.addFlow();
  const calls = await watch("fxdesk-watch-margin-calls");
  await person.wire(calls, await postTo("/margin", 1));
  await person.deploy();
  await stage.guarded.status(calls, ({ text }) => text !== "reading");

  const { rate } = stage.sandbox.control.listRates().find(({ symbol }) => symbol === "EURUSD")!;
  stage.sandbox.control.moveRate({ symbol: "EURUSD", rate: rate * 1.5 });
  expect(await posted("/margin")).toMatchObject({ margin_call: expect.any(String) });
  await expectTaken({ nodes: 2, clicks: 15, keys: 50 });
}, 60_000);

test("a person is asked for consent, and their accounts are read", async () => {
  await person.addFlow();
  const start = await person.drag("inject", 0);
  const ask = await person.drag("fxdesk-connect-bank-accounts", 1);
  await person.open(ask);
  await person.unfold("Optional fields");
  await person.fill("Wait seconds", "0");
  await person.done();
  const link = await postTo("/link", 1, 1);
  const wait = await person.drag("fxdesk-connect-bank-accounts", 2);
  await person.open(wait);
  await person.unfold("Optional fields");
  await person.takeFrom("Consent ID", "payload.consent_id");
  await person.done();
  const read = await person.drag("fxdesk-list-open-banking-accounts", 2, 1);
  await person.open(read);
  await person.takeFrom("Consent ID", "payload.consent_id");
  await person.done();
  const told = await postTo("/accounts", 3, 1);
  await person.wire(start, ask, wait, read, told);
  await person.wire(ask, link);
  await person.deploy();
  await person.press(start);

  const asked = await posted("/link");
  await approve(stage.client, { href: String(asked.link) });
  expect(await posted("/accounts")).toMatchObject({ accounts: expect.arrayContaining([expect.anything()]) });
  await expectTaken({ nodes: 6, clicks: 44, keys: 120 });
}, 60_000);

test("an order is booked once a second person has released it", async () => {
  await person.addFlow();
  const start = await person.drag("inject", 0);
  const order = await person.drag("fxdesk-order-trade", 1);
  await person.open(order);
  await person.click(editor.page.locator("#node-input-btn-connection-add"));
  await editor.page.waitForSelector("#node-config-dialog-edit-form");
  await person.click(config("fromEnvironment"));
  await person.click(editor.page.locator("#node-config-dialog-ok"));
  await editor.page.waitForSelector("#node-config-dialog-ok", { state: "detached" });
  await person.fill("Buy currency", "USD");
  await person.fill("Sell currency", "EUR");
  await person.choose("Fixed side", "sell");
  await person.fill("Amount", "2500.00");
  await person.choose("Reason", "payment_for_goods");
  await person.fill("Valid until", new Date(Date.now() + 3_600_000).toISOString());
  await person.fill("Worst rate", "1.01");
  await person.unfold("Optional fields");
  await person.fill("Rate symbol", "EURUSD");
  await person.done();
  await person.wire(start, order);
  await person.wire(order, await postTo("/ordered", 2));
  await person.deploy();
  await person.press(start);

  const { release } = await posted("/ordered");
  await stage.place.say(String(release), "anna");
  const booked = async () => (await stage.place.desk.get(String(release))).release.state === "booked";
  await eventually(booked, { withinMs, what: "the booking" });
  await expectTaken({ nodes: 3, clicks: 31, keys: 100 });
}, 60_000);
