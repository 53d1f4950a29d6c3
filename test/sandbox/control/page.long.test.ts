/** Tests the dashboard and its forms, with and without JavaScript. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import type { Browser, Page, Route } from "playwright-core";
import type { FxdeskClient } from "@fxdesk/toolkit";
import { controls, type Sandbox } from "@fxdesk/sandbox";
import { launchBrowser } from "../../nodes/support/browser";
import { eventually } from "../../support/eventually";
import { makeQuote, sampleInput, sandboxClient } from "../../support/samples";
import { ask } from "../support/http";
import { forkSandbox } from "../support/forks";

let browser: Browser;
/** Page shared by the tests without JavaScript, because it holds no state. */
let pageWithoutScript: Page;
beforeAll(async () => {
  browser = await launchBrowser();
  const context = await browser.newContext({ javaScriptEnabled: false, acceptDownloads: true });
  pageWithoutScript = await context.newPage();
});
afterAll(() => browser.close());

let sandbox: Sandbox;
let client: FxdeskClient;
let page: Page;
let warnings: string[];
beforeEach(async () => {
  sandbox = await forkSandbox({ now: new Date("2026-03-16T09:00:00Z"), daysBehind: 90 });
  client = sandboxClient(sandbox);
});
afterEach(async () => {
  if (page === pageWithoutScript) pageWithoutScript.removeAllListeners();
  else await page?.context().close();
  await client.close();
  await sandbox.close();
});

async function open(javaScriptEnabled = false): Promise<void> {
  page = javaScriptEnabled ? await browser.newPage() : pageWithoutScript;
  warnings = [];
  page.on("console", (message) => warnings.push(message.text()));
  page.on("pageerror", (error) => warnings.push(error.message));
  if (javaScriptEnabled) await page.clock.install();
  await page.goto(sandbox.baseUrl);
}

/** Triggers the periodic refresh of the page immediately. */
const pollNow = () => page.clock.fastForward("00:05");

const panel = (title: string) => page.getByRole("region", { name: title, exact: true });
const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
const notice = () => page.getByRole("status").textContent();

test("shows accounts, trades and the log, and loads nothing from elsewhere", async () => {
  const requestedOrigins: string[] = [];
  const { trade_id } = await client.trades.book({
    quote_id: await makeQuote(client),
    reason: "payment_for_goods",
  });
  await open(true);
  page.on("request", (request) => requestedOrigins.push(new URL(request.url()).origin));
  await page.reload();
  await expect(panel("Accounts").textContent()).resolves.toMatch(/EUR.*GBP.*USD.*JPY/s);
  expect(await panel("Trades").textContent()).toContain(trade_id);
  expect(await panel("Requests").textContent()).toContain("POST /trades?quote_id=");
  expect(new Set(requestedOrigins)).toEqual(new Set([sandbox.baseUrl]));
  expect(warnings).toEqual([]);
});

test("has a form for every control that changes something", async () => {
  await sampleInput("payments.getAuthorisation", client);
  await client.approvalsWorkflow.updateSettings({ enabled: true, dual_admin: true });
  await client.approvalsWorkflow.replaceConfig(
    (await sampleInput("approvalsWorkflow.replaceConfig", client)) as never,
  );
  await sampleInput("accountDetails.request", client).then((input) =>
    client.accountDetails.request(input as never),
  );
  sandbox.control.addFault({ operation: "accounts.list", kind: "reset-before" });
  await open();
  const sent = await page
    .locator("input[name=control]")
    .evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).value));
  const changing = controls.filter(({ effect }) => effect === "change");
  expect(new Set(sent)).toEqual(new Set(changing.map(({ name }) => name.replace("sandbox.", ""))));
});

describe("a form", () => {
  test("moves the clock", async () => {
    await open();
    await press("+ 1 day");
    expect(await notice()).toBe("Advance clock: done.");
    expect(sandbox.control.getClock().now).toBe("2026-03-17T09:00:00.000Z");
    expect(await panel("Clock").textContent()).toContain("Tue, 17 Mar 2026 09:00:00 UTC");
  });

  test("pays in", async () => {
    await open();
    await panel("Accounts").getByLabel("Currency").selectOption("EUR");
    await panel("Accounts").getByLabel("Amount").fill("777777.77");
    const before = await panel("Accounts").locator("tbody tr").first().textContent();
    await press("Pay in");
    expect(await notice()).toBe("Pay in: done.");
    expect(await panel("Accounts").locator("tbody tr").first().textContent()).not.toBe(before);
  });

  test("shows the error of invalid input", async () => {
    await open();
    await panel("Market").getByLabel("Symbol").fill("EURXAU");
    await panel("Market").getByLabel("Rate").fill("1.2");
    await press("Move rate");
    expect(await page.getByRole("alert").textContent()).toContain("XAU is not traded");
  });

  test.each([
    ["Approve", "finalised"],
    ["Refuse", "failed"],
  ])("%s an authorisation", async (button, scaStatus) => {
    const input = await sampleInput("payments.getAuthorisation", client);
    await open();
    const question = panel("Pending decisions").getByRole("article").filter({ hasText: "Ferme Duval" });
    await question.getByRole("button", { name: button }).click();
    expect(await question.count()).toBe(0);
    expect((await client.payments.getAuthorisation(input as never)).scaStatus).toBe(scaStatus);
  });

  test("shows request, response and curl command", async () => {
    await client.trades.list({ page_size: 1 });
    await open();
    await panel("Requests").getByText("Request and response").first().click();
    const [request, response] = await panel("Requests").locator(".sides pre").allInnerTexts();
    expect(request).toContain("authorization: Bearer demo-access-token");
    expect(response).toContain('"trade_id"');
    const command = await panel("Requests").locator("#command-1").innerText();
    const { stdout } = await promisify(execFile)("sh", ["-c", `${command} -s`], {
      env: { ...process.env, FXDESK_BASE_URL: sandbox.baseUrl },
    });
    expect(JSON.parse(stdout)).toEqual(JSON.parse(response!.slice(response!.indexOf("["))));
  });

  test("forks, and links to the fork", async () => {
    await open();
    await press("Fork");
    const address = await panel("Save and restore").getByRole("link", { name: "http://" }).innerText();
    expect((await fetch(`${address}/_sandbox/clock`)).status).toBe(200);
  });

  describe.each([
    ["without JavaScript", false],
    ["with JavaScript", true],
  ])("loads a file, %s", (_how, javaScriptEnabled) => {
    const choose = (name: string, text: string) =>
      panel("Save and restore")
        .getByLabel("Saved file")
        .setInputFiles({ name, mimeType: "application/json", buffer: Buffer.from(text) });

    test("accepts a saved sandbox", async () => {
      const [saved, before] = [JSON.stringify(sandbox.save()), sandbox.control.getClock()];
      sandbox.control.advanceClock({ days: 3 });
      await open(javaScriptEnabled);
      await choose("friday.json", saved);
      await press("Load");
      expect(await notice()).toBe("Load: done.");
      expect(sandbox.control.getClock()).toEqual(before);
      expect(await panel("Clock").textContent()).toContain("Mon, 16 Mar 2026");
    });

    test.each([
      ["a file without JSON", "statement.mt940", ":20:1", `"statement.mt940" is not a saved sandbox.`],
      ["another JSON file", "other.json", `{"hello": 1}`, "fxdesk_sandbox is required"],
      ["a file of a newer version", "new.json", `{"fxdesk_sandbox":9,"state":{}}`, "format version 9"],
      ["an empty file", "empty.json", "", "The file is empty."],
    ])("refuses %s", async (_what, name, text, message) => {
      await open(javaScriptEnabled);
      const before = sandbox.save();
      await choose(name, text);
      await press("Load");
      const alertText = await page.getByRole("alert").textContent();
      expect(alertText).toMatch(/^Load: /);
      expect(alertText).toContain(message);
      expect(sandbox.save()).toEqual(before);
    });
  });

  test("is refused if another page sends it", async () => {
    const form = { method: "POST", body: new URLSearchParams({ control: "reset" }) };
    await client.trades.list();
    const response = await ask(sandbox, "/", { ...form, headers: { origin: "https://evil.example" } });
    expect(response.status).toBe(403);
    expect(sandbox.requests).toHaveLength(1);
  });
});

test("downloads an e-mail and its attachment", async () => {
  await client.statements.emailAccounts({
    date_from: "2026-01-01",
    date_to: "2026-01-31",
    format: "csv",
    currencies: "EUR",
  });
  await open();
  const download = page.waitForEvent("download");
  await panel("Outbox").getByRole("link", { name: ".csv" }).click();
  expect((await download).suggestedFilename()).toMatch(/\.csv$/);
  const message = page.waitForEvent("download");
  await panel("Outbox").getByRole("link", { name: "E-mail 1 as .eml" }).click();
  expect((await message).suggestedFilename()).toMatch(/\.eml$/);
  expect(await readFile(await (await message).path())).toEqual(sandbox.mails[0]!.message);
});

describe("with JavaScript", () => {
  test("refreshes without losing typed text", async () => {
    await open(true);
    await panel("Market").getByLabel("Symbol").fill("EURUSD");
    sandbox.control.advanceClock({ days: 1 });
    await pollNow();
    await panel("Clock").getByText("Tue, 17 Mar 2026").waitFor();
    expect(await panel("Market").getByLabel("Symbol").inputValue()).toBe("EURUSD");
  });

  test("preserves scroll position and focus when a form is sent", async () => {
    await open(true);
    await panel("Clock").getByLabel("Now").fill("2026-03-20T09:00:00Z");
    await panel("Market").getByText("Other currencies").click();
    const pair = panel("Market").getByRole("row").filter({ hasText: "USDCAD" });
    const rate = () => sandbox.control.listRates().find(({ symbol }) => symbol === "USDCAD")!.rate;
    const before = rate();
    await page.getByRole("button", { name: "USDCAD up 1 %" }).focus();
    for (const moved of [before * 1.01, before * 1.01 * 1.01]) {
      const placed = await pair.boundingBox();
      const answered = page.waitForResponse((response) => response.request().method() === "POST");
      await page.keyboard.press("Enter");
      await answered;
      expect(rate()).toBeCloseTo(moved, 4);
      await pair.getByText(String(rate()), { exact: true }).waitFor();
      expect(await pair.boundingBox()).toEqual(placed);
      expect(await pair.locator("button:focus").getAttribute("aria-label")).toBe("USDCAD up 1 %");
    }
    expect(await notice()).toBe("Move rate: done.");
    expect(await panel("Clock").getByLabel("Now").inputValue()).toBe("2026-03-20T09:00:00Z");
    expect(new URL(page.url()).search).toBe("");
    expect(warnings).toEqual([]);
  });

  test("preserves the values of a refused form", async () => {
    await open(true);
    const field = (name: string) => panel("Faults").locator(`[name=${name}]`);
    await field("operation").selectOption("trades.book");
    await field("times").fill("3");
    await press("Add fault");
    expect(await page.getByRole("alert").textContent()).toContain("status is needed with kind status.");
    expect([await field("operation").inputValue(), await field("times").inputValue()]).toEqual([
      "trades.book",
      "3",
    ]);
    await field("status").fill("409");
    await press("Add fault");
    await panel("Faults").getByText("trades.book: status 409 × 3").waitFor();
    expect(sandbox.control.listFaults()).toHaveLength(3);
    await press("Clear faults");
    await panel("Faults").getByText("No pending faults.").waitFor();
  });

  test("preserves expanded details", async () => {
    await open(true);
    const folds = page.locator("details");
    for (const fold of await folds.all()) await fold.locator("summary").click();
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    sandbox.control.moveRate({ symbol: "USDCAD", rate: 1.5 });
    await pollNow();
    await panel("Market").getByText("1.5", { exact: true }).waitFor();
    sandbox.control.advanceClock({ days: 1 });
    await pollNow();
    await panel("Clock").getByText("Tue, 17 Mar 2026").waitFor();
    for (const fold of await folds.all()) expect(await fold.getAttribute("open")).not.toBeNull();
    expect(warnings).toEqual([]);
  });

  test("sends a form once on a double click", async () => {
    await open(true);
    const held: (() => void)[] = [];
    await page.route("**/*", async (route) => {
      if (route.request().method() === "POST") await new Promise<void>((release) => held.push(release));
      await route.continue();
    });
    await page.getByRole("button", { name: "+ 1 day" }).dblclick();
    await eventually(() => held.length > 0, { withinMs: 30_000, what: "what is sent" });
    held.forEach((release) => release());
    await panel("Clock").getByText("17 Mar 2026").waitFor();
    // Requests are handled in order.
    await page.reload();
    expect(held).toHaveLength(1);
    expect(sandbox.control.getClock()).toEqual({ now: "2026-03-17T09:00:00.000Z" });
    await page.unroute("**/*");
  });

  test.each([
    ["cannot be reached", (route: Route) => route.abort()],
    ["fails", (route: Route) => route.fulfill({ status: 500, body: "{}" })],
  ])("shows a notice while the sandbox %s", async (_how, fail) => {
    await open(true);
    await page.route("**/*", fail);
    await pollNow();
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("alert").textContent()).toBe("The sandbox does not respond.");
    await page.unroute("**/*");
    await pollNow();
    await page.getByRole("alert").waitFor({ state: "detached" });
  });
});

describe("for a treasurer", () => {
  const row = (title: string, text: string) =>
    panel(title).getByRole("row").filter({ hasText: text }).innerText();

  test("shows margin calls with due dates", async () => {
    const called = async () => {
      const [account] = await client.accounts.list({ currencies: "EUR" });
      const { account_id } = account!;
      const [found] = await client.accounts.listBalances({ account_id, balance_types: ["MarginCall"] });
      return found!.amount.amount;
    };
    const before = await called();
    sandbox.control.moveRate({ symbol: "EURUSD", rate: 1.4 });
    expect(Number(await called())).toBeGreaterThan(Number(before));
    await open();
    const shown = (await row("Accounts", "EUR")).replaceAll(",", "");
    expect(shown).toContain(`${await called()}\ndue from 2026-03-18`);
    expect(await row("Accounts", "JPY")).toMatch(/\t0\t/);
  });

  test("orders a payment, approves it as another contact and returns it", async () => {
    await client.approvalsWorkflow.updateSettings({ enabled: true, dual_admin: false });
    const { trade_id } = await client.trades.book({ quote_id: await makeQuote(client), reason: "other" });
    await open();
    await panel("Payments").getByLabel("Trade").selectOption(trade_id);
    await panel("Payments").getByLabel("Beneficiary").selectOption({ label: "Lakeside Components Inc, USD" });
    await panel("Payments").getByLabel("Amount").fill("412.34");
    await press("Allocate payment");
    const question = panel("Pending decisions").getByRole("article").filter({ hasText: "412.34 USD" });
    expect(await question.getByRole("option").allTextContents()).not.toContain("Ada Lindqvist");
    expect(await question.innerText()).toContain("Ada Lindqvist");
    await question.getByRole("button", { name: "Approve" }).click();
    expect(await row("Payments", "412.34 USD")).toContain("Validating beneficiary information");
    sandbox.control.advanceClock({ days: 4 });
    await page.reload();
    const paid = panel("Payments").getByRole("row").filter({ hasText: "412.34 USD" });
    expect(await paid.innerText()).toContain("Payment complete");
    await paid.getByRole("button", { name: /^Return PM/ }).click();
    expect(await row("Payments", "412.34 USD")).toContain("Returned");
  });

  test("collapses a long list of decisions", async () => {
    await open();
    const waiting = await panel("Pending decisions").getByRole("article").count();
    const input = await sampleInput("payments.initiate", client);
    for (let more = waiting; more < 14; more += 1) await client.payments.initiate(input as never);
    await page.reload();
    const questions = panel("Pending decisions").getByRole("article");
    expect(await questions.count()).toBe(12);
    expect((await questions.getByRole("heading").allInnerTexts()).join()).toContain("Requested account");
    await panel("Pending decisions").getByText("2 more decisions").click();
    expect(await questions.count()).toBe(14);
    const headings = await questions.getByRole("heading").allInnerTexts();
    expect(new Set(headings).size).toBe(14);
  });

  test.each([
    ["2026-03-13T16:00:00Z", "2026-03-16T09:00:00.000Z"],
    ["2026-04-02T08:00:00Z", "2026-04-07T09:00:00.000Z"],
  ])("moves from %s to the next business day", async (now, next) => {
    sandbox.control.reset({ now });
    await open();
    await press("Next business day");
    expect(sandbox.control.getClock()).toEqual({ now: next });
  });
});

test("escapes text from third parties", async () => {
  const name = `<img src=x onerror="document.title='taken'">`;
  await client.trades.get({ trade_id: name }).catch(() => {});
  await open(true);
  expect(await panel("Requests").textContent()).toContain("The trade is unknown.");
  expect(await page.title()).toBe("fxdesk sandbox");
  expect(await panel("Requests").locator("img").count()).toBe(0);
});

test("forbids framing and foreign scripts", async () => {
  const { headers } = await ask(sandbox, "/");
  const policy = headers.get("content-security-policy")!;
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).toMatch(/script-src 'sha256-[^']+'(;|$)/);
});

test.each(["light", "dark"] as const)("fits a phone screen, %s", async (colorScheme) => {
  const context = await browser.newContext({ viewport: { width: 390, height: 800 }, colorScheme });
  page = await context.newPage();
  await page.goto(sandbox.baseUrl);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  expect(background).toBe({ light: "rgb(243, 245, 248)", dark: "rgb(15, 20, 26)" }[colorScheme]);
});
