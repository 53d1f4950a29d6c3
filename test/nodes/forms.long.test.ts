/** Node forms: pickers, validation and "Try it". */
import type { Browser, Locator, Page } from "playwright-core";
import type { Sandbox } from "@fxdesk/sandbox";
import { openSandbox } from "../support/sandboxes";
import { eventually } from "../support/eventually";
import { Editor, launchBrowser } from "./support/browser";
import { writeExtension } from "./support/extension";
import { connectionConfig, tab } from "./support/flows";
import { type FlowNode, NodeRed } from "./support/node-red";

let sandbox: Sandbox;
let nodeRed: NodeRed;
let browser: Browser;
let editor: Editor;
let page: Page;

const fixedValue = (value: string) => ({ type: "str", value });

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

/** Expected flows, with a property that the declaration does not know. */
const expected = [{ date: "2026-01-02", currency: "EUR", amount: "12.50", note: "kept" }];
const payments = {
  rows_csv: { type: "msg", value: "payload" },
  debtor_iban: fixedValue("DE89370400440532013000"),
};
const flowsOf = (flows: readonly object[]) => ({ type: "json", value: JSON.stringify(flows) });

beforeAll(async () => {
  sandbox = await openSandbox();
  nodeRed = await NodeRed.start({ env: await writeExtension() });
  browser = await launchBrowser();
  await nodeRed.deploy([
    tab,
    connectionConfig(sandbox),
    nodeOf("fxdesk-list-balances", "balances", 60),
    nodeOf("fxdesk-find-transactions", "find", 180),
    nodeOf("fxdesk-get-cash-position", "cash", 120),
    nodeOf("fxdesk-get-exposure", "exposure", 300, { flows: flowsOf(expected) }),
    nodeOf("fxdesk-fetch-statements", "statements", 360),
    nodeOf("fxdesk-email-accounts-statement", "days", 420, {
      date_from: fixedValue("2026-01-01"),
      date_to: fixedValue("2026-01-31"),
    }),
    nodeOf("fxdesk-watch-calendar", "calendar", 600, {
      when: fixedValue("working_day_of_month"),
      number: { type: "num", value: "3" },
    }),
    nodeOf("fxdesk-create-consent", "consent", 660, {
      access: { type: "json", value: '{"availableAccounts":"allAccounts"}' },
      recurringIndicator: fixedValue("false"),
      validUntil: fixedValue("9999-12-31"),
      frequencyPerDay: { type: "num", value: "1" },
      combinedServiceIndicator: fixedValue("false"),
    }),
    nodeOf("fxdesk-prepare-payment-run", "run", 720, payments),
    nodeOf("fxdesk-convert-statement", "convert", 780, { content: { type: "msg", value: "payload" } }),
    nodeOf("fxdesk-watch-balances", "low", 480, { currencies: fixedValue("EUR"), above: fixedValue("0") }),
    {
      ...nodeOf("fxdesk-call-operation", "call", 540),
      operation: "accounts.list",
      input: { type: "json", value: '{"currencies":"EUR"}' },
    },
    nodeOf("fxdesk-book-trade", "book", 240, { quote_id: fixedValue("Q1"), reason: fixedValue("other") }),
  ]);
  editor = await Editor.open(browser, nodeRed.url);
  ({ page } = editor);
  page.setDefaultTimeout(8_000);
}, 90_000);

const field = (name: string) => page.locator(`.form-row:has([id="node-input-fxdesk-${name}"])`);
const inner = (name: string) => field(name).locator(".red-ui-typedInput-input");
const openOptional = () => page.locator(".fxdesk-fields details:not([open]) > summary").first().click();
const options = () => page.locator(".fxdesk-list:visible [role=option]");
const saved = async (id: string) =>
  (await nodeRed.json<FlowNode[]>("/flows")).find((node) => node.id === id)!;

test("picks accounts by currency and balance and shows the choice in the node label", async () => {
  await editor.edit("balances");
  await inner("account_id").click();
  await options().nth(2).waitFor();
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

test("picks several values and keeps other text", async () => {
  await editor.edit("find");
  await openOptional();
  await inner("currencies").click();
  await inner("currencies").pressSequentially("EU");
  await options().first().waitFor();
  await inner("currencies").press("ArrowDown");
  await inner("currencies").press("Enter");
  await inner("currencies").pressSequentially(", ");
  await options().filter({ hasText: "USD" }).waitFor();
  expect(await options().filter({ hasText: "EUR" }).count()).toBe(0);
  await inner("currencies").pressSequentially("US");
  await inner("currencies").press("ArrowDown");
  await inner("currencies").press("Enter");
  expect(await inner("currencies").inputValue()).toBe("EUR, USD");
  await inner("currencies").pressSequentially(",XYZ");
  await inner("currencies").press("Escape");
  await editor.done();
  await editor.deploy();

  expect((await saved("find")).fields).toMatchObject({ currencies: { type: "str", value: "EUR, USD,XYZ" } });
});

const cancel = async () => {
  await page.locator("#node-dialog-cancel").click();
  await page.waitForSelector(".red-ui-tray", { state: "detached" });
};
const fieldValue = (name: string) =>
  page
    .locator(`[id="node-input-fxdesk-${name}"]`)
    .evaluate((input) => (globalThis as unknown as EditorPage).jQuery(input).typedInput("value"));

/** The page of the editor, as far as a test looks into it. */
interface EditorPage {
  readonly jQuery: (on: unknown) => { typedInput(method: "value"): string };
}

test("fills a list of objects by keyboard and switches to JSON and back without loss", async () => {
  await editor.edit("exposure");
  const rows = field("flows");
  await rows.getByLabel("Amount").waitFor();
  await rows.getByLabel("Amount").fill("13.75");
  const added = { date: "2026-02-03", currency: "USD", amount: "-7" };
  await rows.getByRole("button", { name: "Expected flows: Add" }).press("Enter");
  await page.keyboard.type(added.date);
  await rows.getByLabel("Currency").last().fill(added.currency);
  await rows.getByLabel("Amount").last().fill(added.amount);
  const written = [{ ...expected[0], amount: "13.75" }, added];
  expect(JSON.parse(await fieldValue("flows"))).toEqual(written);

  await rows.getByRole("button", { name: "Expected flows: JSON" }).press("Enter");
  expect(JSON.parse(await inner("flows").inputValue())).toEqual(written);
  await inner("flows").fill(JSON.stringify([...written, { ...added, amount: "-8" }]));
  await inner("flows").press("Tab");
  await rows.getByRole("button", { name: "Expected flows: Fields" }).press("Enter");
  await rows.getByRole("button", { name: "Remove Entry 2" }).press("Enter");
  expect(await rows.getByLabel("Amount").count()).toBe(2);
  await editor.done();
  await editor.deploy();

  expect((await saved("exposure")).fields).toMatchObject({
    flows: flowsOf([written[0]!, { ...added, amount: "-8" }]),
  });
});

test.each(["[1,", "{}", '[{"amount":12345678901234567.5}]'])(
  "JSON that no rows can show without a loss stays text: %s",
  async (text) => {
    await editor.edit("exposure");
    await editor.fill("flows", text);
    await inner("flows").waitFor();
    expect(await field("flows").locator(".fxdesk-rows").isVisible()).toBe(false);
    expect(await fieldValue("flows")).toBe(text);
    await cancel();
  },
);

test("a period is picked in words or by its days", async () => {
  await editor.edit("statements");
  await inner("period").click();
  await inner("period").pressSequentially("last q");
  await options().first().waitFor();
  await inner("period").press("ArrowDown");
  await inner("period").press("Enter");
  expect(await inner("period").inputValue()).toBe("last quarter");
  await page.getByLabel("Period, from").fill("2026-01-05");
  await page.getByLabel("Period, to").fill("2026-01-09");
  expect(await inner("period").inputValue()).toBe("2026-01-05..2026-01-09");
  await cancel();
});

test("picks a date and shows a typed date in the picker", async () => {
  await editor.edit("days");
  await page.getByLabel("Date from, pick").fill("2026-03-01");
  expect(await inner("date_from").inputValue()).toBe("2026-03-01");
  await inner("date_to").fill("2026-03-31");
  expect(await page.getByLabel("Date to, pick").inputValue()).toBe("2026-03-31");
  await editor.done();
  await editor.deploy();

  expect((await saved("days")).fields).toMatchObject({
    date_from: fixedValue("2026-03-01"),
    date_to: fixedValue("2026-03-31"),
  });
});

/** The names of properties in the messages below "Try it". */
const propertiesShown = () =>
  page
    .locator(".fxdesk-response .red-ui-debug-msg-object-key")
    .evaluateAll((keys) => keys.map(({ textContent }) => textContent!.replace(":", "").trim()));

/** How far an element reaches beyond the visible part of the dialog, below and at the sides. */
const hiddenPixels = (element: Locator) =>
  element.evaluate((shown) => {
    const own = shown.getBoundingClientRect();
    const dialog = shown.closest(".red-ui-tray-body")!.getBoundingClientRect();
    return Math.max(0, own.bottom - dialog.bottom, own.right - dialog.right, dialog.left - own.left);
  });

test("tries a watch, and an operation chosen by name", async () => {
  await editor.edit("low");
  await page.locator("#fxdesk-try").click();
  await page.locator(".fxdesk-response:visible").waitFor();
  expect(await page.locator("#fxdesk-try-state").innerText()).toBe("1 change would be reported now.");
  expect(await propertiesShown()).toEqual(expect.arrayContaining(["topic", "payload", "amount", "fxdesk"]));
  await cancel();

  await editor.edit("call");
  await page.locator("#fxdesk-try").click();
  await page.locator(".fxdesk-response:visible").waitFor();
  expect(await propertiesShown()).toEqual(expect.arrayContaining(["payload", "statusCode"]));
  await page.locator("#node-input-operation").fill("trades.book");
  await page.locator("#fxdesk-try").click();
  await eventually(
    async () => /Only reads can be tried/.test(await page.locator("#fxdesk-try-state").innerText()),
    { withinMs: 10_000, what: "a refusal" },
  );
  await cancel();
});

test("shows validation errors below the field while typing", async () => {
  await editor.edit("balances");
  await editor.fill("account_id", "");
  await inner("account_id").pressSequentially("my euro account");
  const reason = page.locator('[id="node-input-fxdesk-account_id-error"]');
  await eventually(async () => /UUID/.test(await reason.innerText()), { withinMs: 10_000, what: "a reason" });
  expect(await inner("account_id").getAttribute("aria-invalid")).toBe("true");
  await inner("account_id").press("Escape");
  await cancel();
});

test("says what is wrong in German, with the titles of the fields, also below a read that failed", async () => {
  const own = await Editor.open(browser, nodeRed.url, { language: "de" });
  const german = own.page;
  const rowOf = (name: string) => german.locator(`.form-row:has([id="node-input-fxdesk-${name}"])`);
  const textOf = (selector: string) => german.locator(selector).innerText();
  await own.open("balances");
  await rowOf("account_id").locator(".red-ui-typedInput-input").fill("my account");
  await german.locator(".fxdesk-error", { hasText: "UUID" }).waitFor();
  const reason = await textOf('[id="node-input-fxdesk-account_id-error"]');
  expect(reason).toMatch(/^Konto-ID muss eine UUID aus 36 Zeichen sein, nicht "my account"/);
  await german.locator("#fxdesk-try").click();
  await german.locator("#fxdesk-try-state", { hasText: "UUID" }).waitFor();
  expect(await textOf("#fxdesk-try-state")).toBe(reason);
  await own.close("cancel");
  await own.open("calendar");
  await rowOf("number").locator(".red-ui-typedInput-input").fill("");
  await german
    .locator(".fxdesk-error", { hasText: "“Arbeitstag des Monats” erfordert “Arbeitstag”" })
    .waitFor();
  await own.close("cancel");
  await own.open(await own.drag("fxdesk-initiate-payment", 400, 320));
  await own.fill("payment-service", "periodic-payments");
  await own.fill("payment-product", "sepa-credit-transfers");
  await own.fill("frequency", "MonthlyVariable");
  await rowOf("creditorName").locator(".red-ui-typedInput-input").fill("Anna");
  await german.locator(".fxdesk-error", { hasText: "“In ausgewählten Monaten” erfordert “" }).waitFor();
  await german.close();
});

test("shows required fields and hides excluded ones according to the choices", async () => {
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
  await cancel();
});

test.each([
  ["en-US", ["Working days", "Working day of month", "Month end"], "All accounts"],
  ["de", ["Arbeitstage", "Arbeitstag des Monats", "Monatsende"], "Alle Konten"],
])("in %s options are words, with their values as tooltips", async (language, words, all) => {
  const own = await Editor.open(browser, nodeRed.url, { language });
  const form = own.page.locator("#dialog-form");
  const choiceOf = (name: string) =>
    form.locator(`.form-row:has([id="node-input-fxdesk-${name}"]) .red-ui-typedInput-option-label`);
  await own.open("calendar");
  expect(await choiceOf("when").innerText()).toBe(words[1]);
  expect(await choiceOf("when").getAttribute("title")).toBe("working_day_of_month");
  await choiceOf("when").click();
  const entries = own.page.locator(".red-ui-typedInput-options:visible a:not([value=''])");
  expect(await entries.allInnerTexts()).toEqual(words);
  await entries.last().click();
  expect(await choiceOf("when").innerText()).toBe(words[2]);
  await own.close("save");
  expect(await own.page.evaluate('RED.nodes.node("calendar").fields.when.value')).toBe("month_end");

  await own.open("cash");
  await own.fill("balance_types", "InterimAvailable,MarginCall");
  expect(await choiceOf("balance_types").getAttribute("title")).toBe("InterimAvailable, MarginCall");
  await own.close("cancel");
  await own.open("consent");
  const option = form.locator('option[title="allAccounts"]');
  expect([await option.innerText(), await option.getAttribute("value")]).toEqual([all, "allAccounts"]);
  await own.page.close();
});

test.each([
  ["en-US", "Creditor → Payee; Konto → IBAN; Betrag → Amount. Not used: Notiz"],
  ["de", "Creditor → Empfänger; Konto → IBAN; Betrag → Betrag. Nicht verwendet: Notiz"],
])("in %s a header row shows how payments are read from it, and is not saved", async (language, columns) => {
  const own = await Editor.open(browser, nodeRed.url, { language });
  await own.open("run");
  const row = own.page.locator('.form-row:has([id="node-input-fxdesk-rows_csv"])');
  await row.locator(".fxdesk-headings").fill("Creditor;Konto;Betrag;Notiz");
  await row.locator(".fxdesk-description", { hasText: "Konto" }).waitFor();
  expect(await row.locator(".fxdesk-description").innerText()).toBe(columns);
  await row.locator(".fxdesk-headings").fill("");
  await row.locator(".fxdesk-description", { hasText: "Konto" }).waitFor({ state: "hidden" });
  await row.locator(".fxdesk-headings").fill("x".repeat(2_001));
  await row.locator(".fxdesk-description", { hasText: "CSV" }).waitFor();
  await own.close("save");
  expect(await own.page.evaluate('RED.nodes.node("run").fields')).toEqual(payments);
  await own.page.close();
});

test("a header row shows a guess of the column map, unless a map is given", async () => {
  await editor.edit("convert");
  const box = field("map").locator(".fxdesk-headings");
  await box.fill("Datum;Betrag");
  await field("map").locator(".fxdesk-description", { hasText: "Datum → booking_date" }).waitFor();
  await editor.fill("map", "german-direction");
  await box.waitFor({ state: "hidden" });
  await editor.fill("map", "");
  await box.waitFor();
  await cancel();
});

test("a value that another choice hides is neither an error nor saved", async () => {
  await editor.edit("calendar");
  expect(await field("number").isVisible()).toBe(true);
  await inner("number").fill("third");
  await page.locator('[aria-invalid="true"]').first().waitFor();
  await editor.fill("when", "month_end");
  expect(await field("number").isVisible()).toBe(false);
  await editor.done();
  await editor.waitForValidity("calendar", "valid");
  const kept = await page.evaluate('RED.nodes.node("calendar").fields');
  expect(kept).toEqual({ when: fixedValue("month_end") });
});

test("a new node takes the only connection, also one that watches releases", async () => {
  const id = await editor.drag("fxdesk-release-decided", 700, 60);
  const connection = await page.evaluate<string>(`RED.nodes.node(${JSON.stringify(id)}).connection`);
  expect(connection).toBe("connection");
});

test("several files are saved to a folder", async () => {
  await editor.edit("statements");
  const path = page.locator('.form-row:has([id="node-input-fxdesk--save-to"]) .red-ui-typedInput-input');
  expect(await path.getAttribute("placeholder")).toContain("folder");
  await cancel();
});

test("shows a list of defaults below its field, within the narrowest dialog", async () => {
  await editor.edit("cash");
  await page.evaluate('$(".red-ui-tray").width(500); RED.tray.resize()');
  const choice = field("balance_types").locator(".red-ui-typedInput-option-trigger");
  expect(await choice.innerText()).toBe("not set");
  expect(await field("balance_types").locator(".fxdesk-description").innerText()).toMatch(
    /^Default: Interim available, .*Margin call$/,
  );
  for (const _ of Array.from({ length: 2 })) {
    await choice.click();
    const menu = page.locator(".red-ui-typedInput-options:visible");
    await menu.waitFor();
    const dialog = (await page.locator(".red-ui-tray-body").boundingBox())!;
    const { x, width } = (await menu.boundingBox())!;
    expect(x).toBeGreaterThan(dialog.x);
    expect(x + width).toBeLessThan(dialog.x + dialog.width);
    for (const option of await menu.locator("a").all()) await option.click();
    await page.keyboard.press("Escape");
    await menu.waitFor({ state: "hidden" });
  }
  await cancel();
});

test("offers a choice between alternative fields", async () => {
  const id = await editor.drag("fxdesk-get-funding-account", 400, 380);
  await editor.edit(id);
  await field("currency").waitFor();
  expect(await field("account_id").isVisible()).toBe(false);
  await page.getByLabel("Specify by").selectOption("account_id");
  await field("account_id").waitFor();
  expect(await field("currency").isVisible()).toBe(false);
  await cancel();
});

test("tries a read and shows its response, but no operation that changes something", async () => {
  await editor.edit("find");
  await editor.fill("currencies", "EUR");
  await page.locator("#fxdesk-try").click();
  await page.locator(".fxdesk-response:visible").waitFor();

  expect(await propertiesShown()).toContain("transactions");
  expect(await hiddenPixels(page.locator(".fxdesk-response"))).toBe(0);
  expect(await page.locator("#fxdesk-try-state").innerText()).toMatch(/^Status 200, \d+ entries/);
  await cancel();

  await editor.edit("book");
  expect(await page.locator("#fxdesk-try").count()).toBe(0);
  await cancel();
});

test("asks for confirmation before nodes that commit money are deployed with production, once per address", async () => {
  // Nothing says the environment: then it is production.
  const production = { id: "live", name: "Live", environment: undefined, domain: "bank.invalid" };
  const { baseUrl: _base, xs2aUrl: _xs2a, ...live } = connectionConfig(sandbox, production);
  const booking = { quote_id: fixedValue("Q1"), reason: fixedValue("other") };
  const flows = await nodeRed.json<FlowNode[]>("/flows");
  await nodeRed.deploy([...flows, live, nodeOf("fxdesk-book-trade", "real", 600, booking, "live")]);
  const own = await Editor.open(browser, nodeRed.url);
  const askedFor = (host: string) =>
    own.page.locator(".red-ui-notification").filter({
      hasText: `These nodes commit or move real money through Live (https://${host}/): Book trade · Q1.`,
    });
  const asked = askedFor("api.bank.invalid");
  const stored = async (id: string) =>
    (await nodeRed.json<FlowNode[]>("/flows")).find((node) => node.id === id)!;
  const rename = async (name: string) => {
    await own.edit("balances");
    await own.page.fill("#node-input-name", name);
    await own.done();
  };

  await rename("First");
  await own.page.locator("#red-ui-header-button-deploy").click();
  await asked.getByRole("button", { name: "Cancel" }).click();
  await asked.waitFor({ state: "detached" });
  expect(await stored("balances")).not.toMatchObject({ name: "First" });
  expect(await stored("live")).not.toHaveProperty("moneyConfirmed");
  await own.page.locator("#red-ui-header-button-deploy").click();
  await asked.getByRole("button", { name: "Deploy" }).click();
  await eventually(async () => (await stored("balances")).name === "First", {
    withinMs: 20_000,
    what: "a deploy",
  });
  expect(await stored("live")).toMatchObject({ moneyConfirmed: "https://api.bank.invalid/" });

  await rename("Second");
  await own.deploy();
  expect(await asked.count()).toBe(0);
  expect(await stored("balances")).toMatchObject({ name: "Second" });

  await own.open("live");
  await own.page.fill("#node-config-input-domain", "other.invalid");
  await own.close("save");
  await own.page.locator("#red-ui-header-button-deploy").click();
  await askedFor("api.other.invalid").getByRole("button", { name: "Cancel" }).click();
  await own.page.close();
});

test("marks a node whose choice requires another field, or whose watch cannot start so", async () => {
  const order = nodeOf("fxdesk-order-trade", "order", 660, {
    buy_currency: fixedValue("USD"),
    sell_currency: fixedValue("EUR"),
    fixed_side: fixedValue("sell"),
    amount: fixedValue("20000"),
    worst_rate: fixedValue("1.05"),
    reason: fixedValue("other"),
    valid_until: fixedValue("2099-01-31T16:30Z"),
  });
  const start = { ...nodeOf("fxdesk-watch-transactions", "start", 720), from: "yesterday" };
  await nodeRed.deploy([tab, connectionConfig(sandbox), order, start]);
  const own = await Editor.open(browser, nodeRed.url);
  for (const id of ["order", "start"]) await own.waitForValidity(id, "invalid");
  await own.edit("order");
  const input = (name: string) =>
    own.page.locator(`.form-row:has([id="node-input-fxdesk-${name}"]) .red-ui-typedInput-input`);
  expect(await own.page.locator('[id="order"] .red-ui-flow-node-label').textContent()).toBe(
    "Order trade · 20000 EUR → USD",
  );
  expect(await input("rate_symbol").inputValue()).toBe("EURUSD");
  const rateBox = own.page.locator(
    '.form-row:has([id="node-input-fxdesk-worst_rate"]) .red-ui-typedInput-container.input-error',
  );
  expect(await rateBox.count()).toBe(0);
  await own.fill("worst_rate", "");
  await rateBox.waitFor();
  const rate = own.page.locator(".fxdesk-description", { hasText: "Now about 1." });
  await own.fill("worst_rate", "0.5");
  await rate.filter({ hasText: /5\d\.\d\d % worse/ }).waitFor();
  await own.fill("sell_currency", "GBP");
  expect(await input("rate_symbol").inputValue()).toBe("GBPUSD");
  await input("valid_until").fill("yesterday");
  const reason = own.page.locator('[id="node-input-fxdesk-valid_until-error"]');
  await reason.filter({ hasText: "yesterday" }).waitFor();
  expect(await reason.innerText()).toMatch(/^Valid until must be a UTC time[^;]*, not "yesterday"$/);
  await own.page.getByLabel("Valid until, pick").fill("2099-02-01T09:30");
  expect(await input("valid_until").inputValue()).toMatch(/^2099-02-01T09:30/);
  await input("valid_until").fill("1 h");
  await own.page.locator(".fxdesk-list:visible [role=option]", { hasText: "1 hour" }).click();
  await own.done();
  await own.waitForValidity("order", "valid");
  await own.edit("start");
  const reasonOf = (option: string) => own.page.locator(`#node-input-${option}-error`).innerText();
  expect(await reasonOf("from")).toContain("Start at must be now");
  await own.page.fill("#node-input-every", "soon");
  expect(await reasonOf("every")).toContain("Interval (s) must be a number of seconds");
  await own.page.fill("#node-input-every", "");
  await own.page.fill("#node-input-from", "2026-01-31");
  expect(await reasonOf("from")).toBe("");
  await own.done();
  await own.waitForValidity("start", "valid");
  await own.page.close();
});

test("picks an own IBAN inside an object", async () => {
  const pay = nodeOf("fxdesk-initiate-payment", "pay", 60, {
    "payment-service": fixedValue("payments"),
    "payment-product": fixedValue("sepa-credit-transfers"),
  });
  await nodeRed.deploy([tab, connectionConfig(sandbox), pay]);
  const own = await Editor.open(browser, nodeRed.url);
  await own.edit("pay");
  const debtor = own.page.locator('.form-row:has([id="node-input-fxdesk-debtorAccount"])');
  await debtor.getByRole("combobox", { name: "IBAN" }).click();
  const euro = own.page.locator(".fxdesk-list:visible [role=option]", { hasText: "EUR" }).first();
  await euro.waitFor();
  await euro.click();
  const input = debtor.locator('[id="node-input-fxdesk-debtorAccount"]');
  expect(JSON.parse(await input.inputValue())).toEqual({ iban: expect.stringMatching(/^DE\d{20}$/) });
  await own.page.close();
});
