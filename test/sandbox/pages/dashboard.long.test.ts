/** Tests the dashboard and the page of operations in a browser, and the accessibility of every page. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page, Route } from "playwright-core";
import type { FxdeskClient } from "@fxdesk/toolkit";
import { controls, demo, type Sandbox } from "@fxdesk/sandbox";
import { launchBrowser } from "../../nodes/support/browser";
import { eventually } from "../../support/eventually";
import { closeLater } from "../../support/resources";
import { makeQuote, sampleInput } from "../../support/samples";
import { openSandboxAndClient } from "../../support/sandboxes";
import { consentTerms, decide } from "../open-banking/bank";
import { Visitor } from "./visitor";

let browser: Browser;
beforeAll(async () => {
  browser = closeLater(await launchBrowser());
});

let sandbox: Sandbox;
let client: FxdeskClient;
let visitor: Visitor;
let page: Page;
beforeEach(async () => {
  ({ sandbox, client } = await openSandboxAndClient({ now: new Date("2026-03-16T09:00:00Z") }));
});

/** Opens a page. Timers of the dashboard wait for `pollNow`. */
async function open(path = "/", options: BrowserContextOptions = {}): Promise<void> {
  visitor = await Visitor.in(browser, options);
  ({ page } = visitor);
  if (path === "/" && options.javaScriptEnabled !== false) await page.clock.install();
  await page.goto(new URL(path, sandbox.baseUrl).href);
}
const withoutScript = { javaScriptEnabled: false };

/** Triggers the periodic refresh of the page immediately. */
const pollNow = () => page.clock.fastForward("00:05");

const panel = (title: string) => visitor.panel(title);
const press = (name: string) => visitor.press(name);
const notice = () => page.getByRole("status").textContent();
const alert = () => page.getByRole("alert").textContent();
const rowWith = (title: string, text: string) => panel(title).getByRole("row").filter({ hasText: text });

/** Calls an operation with its sample. */
async function callSample(name: string): Promise<unknown> {
  const [section, method] = name.split(".") as ["trades", "list"];
  return client[section][method]((await sampleInput(name, client)) as never);
}

/** Fills each panel of the dashboard. */
async function fillEveryPanel(): Promise<void> {
  await callSample("payments.initiate");
  await callSample("accountDetails.request");
  await client.approvalsWorkflow.updateSettings({ enabled: true, dual_admin: true });
  await callSample("approvalsWorkflow.replaceConfig");
  await callSample("statements.emailAccounts");
  await client.trades.get({ trade_id: "none" }).catch(() => {});
  sandbox.control.moveRate({ symbol: "EURUSD", rate: 1.35 });
  sandbox.control.addFault({ operation: "trades.list", kind: "latency", milliseconds: 10 });
}

test("shows accounts, trades and the log, escaped, and loads nothing from elsewhere", async () => {
  const quote_id = await makeQuote(client);
  const { trade_id } = await client.trades.book({ quote_id, reason: "other" });
  const name = `<img src=x onerror="document.title='taken'">`;
  await client.trades.get({ trade_id: name }).catch(() => {});
  await open();
  const requested: string[] = [];
  page.on("request", (request) => requested.push(new URL(request.url()).origin));
  await page.reload();
  expect(await panel("Accounts").textContent()).toMatch(/EUR.*GBP.*USD.*JPY/s);
  expect(await panel("Trades").textContent()).toContain(trade_id);
  expect(await panel("Requests").textContent()).toContain("POST /trades?quote_id=");
  expect(await panel("Requests").textContent()).toContain("The trade is unknown.");
  expect([await page.title(), await panel("Requests").locator("img").count()]).toEqual(["fxdesk sandbox", 0]);
  expect(new Set(requested)).toEqual(new Set([sandbox.baseUrl]));
  expect(visitor.errors).toEqual([]);
});

test("has a form for every control that changes something", async () => {
  await fillEveryPanel();
  await open("/", withoutScript);
  const sent = await page
    .locator("input[name=control]")
    .evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).value));
  const changing = controls.filter(({ effect }) => effect === "change");
  expect(new Set(sent)).toEqual(new Set(changing.map(({ name }) => name.replace("sandbox.", ""))));
});

describe.each([
  ["without JavaScript", withoutScript],
  ["with JavaScript", {}],
])("a form, %s", (_how, options) => {
  test("moves the clock, pays in, decides, forks and shows errors", async () => {
    const { "authorisation-id": id, ...payment } = await sampleInput("payments.getAuthorisation", client);
    await open("/", options);
    await press("+ 1 day");
    await panel("Clock").getByText("Tue, 17 Mar 2026 09:00:00 UTC").waitFor();
    expect(await notice()).toBe("Advance clock: done.");
    expect(sandbox.control.getClock().now).toContain("2026-03-17T09:00");

    await panel("Accounts").getByLabel("Currency").selectOption("EUR");
    await panel("Accounts").getByLabel("Amount").fill("7777777.77");
    await press("Pay in");
    await page.getByText("Pay in: done.").waitFor();
    const [account] = await client.accounts.list({ currencies: "EUR" });
    const query = { account_id: account!.account_id, transaction_type: "incoming", page_size: 1 };
    expect(await client.transactions.list(query)).toMatchObject([{ amount: { amount: "7777777.77" } }]);

    await panel("Market").getByLabel("Symbol").fill("EURXAU");
    await panel("Market").getByLabel("Rate").fill("1.2");
    await press("Move rate");
    await page.getByRole("alert").waitFor();
    expect(await alert()).toContain("XAU is not traded");

    const question = panel("Pending decisions").getByRole("article").filter({ hasText: "Ferme Duval" });
    await question.getByRole("button", { name: "Approve" }).click();
    await question.waitFor({ state: "detached" });
    const read = { ...payment, "authorisation-id": id } as never;
    expect((await client.payments.getAuthorisation(read)).scaStatus).toBe("finalised");

    await press("Fork");
    const address = await panel("Save and restore").getByRole("link", { name: "http://" }).innerText();
    expect((await fetch(`${address}/_sandbox/clock`)).status).toBe(200);
  });

  test("loads a saved sandbox, and refuses other files", async () => {
    const [saved, before] = [JSON.stringify(sandbox.save()), sandbox.control.getClock()];
    sandbox.control.advanceClock({ days: 3 });
    await open("/", options);
    const load = async (name: string, text: string) => {
      const file = { name, mimeType: "application/json", buffer: Buffer.from(text) };
      await panel("Save and restore").getByLabel("Saved file").setInputFiles(file);
      await press("Load");
    };
    for (const [name, text, message] of [
      ["statement.mt940", ":20:1", `"statement.mt940" is not a saved sandbox.`],
      ["other.json", `{"hello": 1}`, "fxdesk_sandbox is required"],
      ["new.json", `{"fxdesk_sandbox":9,"state":{}}`, "has format version 9"],
      ["empty.json", "", "The file is empty."],
    ] as const) {
      await load(name, text);
      await page.getByRole("alert").filter({ hasText: message }).waitFor();
      expect(sandbox.control.getClock()).not.toEqual(before);
    }
    await load("friday.json", saved);
    await panel("Clock").getByText("Mon, 16 Mar 2026").waitFor();
    expect([await notice(), sandbox.control.getClock()]).toEqual(["Load: done.", before]);
  });
});

test("shows request, response and curl command", async () => {
  await client.trades.list({ page_size: 1 });
  await open("/", withoutScript);
  await panel("Requests").getByText("Request and response").first().click();
  const [request, response] = await panel("Requests").locator(".sides pre").allInnerTexts();
  expect(request).toContain("authorization: Bearer demo-access-token");
  const command = await panel("Requests").locator("#command-1").innerText();
  const env = { ...process.env, FXDESK_BASE_URL: sandbox.baseUrl };
  const { stdout } = await promisify(execFile)("sh", ["-c", `${command} -s`], { env });
  expect(JSON.parse(stdout)).toEqual(JSON.parse(response!.slice(response!.indexOf("["))));
});

test("downloads an e-mail and its attachment", async () => {
  await callSample("statements.emailAccounts");
  await open();
  const download = async (link: string) => {
    const started = page.waitForEvent("download");
    await panel("Outbox").getByRole("link", { name: link }).first().click();
    return started;
  };
  expect((await download(".csv")).suggestedFilename()).toMatch(/\.csv$/);
  const message = await download("E-mail 1 as .eml");
  expect(message.suggestedFilename()).toMatch(/\.eml$/);
  expect(await readFile(await message.path())).toEqual(sandbox.mails[0]!.message);
});

describe("with JavaScript", () => {
  test("refreshes without losing typed text or expanded details", async () => {
    await open();
    await panel("Clock").getByLabel("Now").fill("2026-03-20");
    const folds = page.locator("details");
    for (const fold of await folds.all()) await fold.locator("summary").click();
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    sandbox.control.moveRate({ symbol: "USDCAD", rate: 1.5 });
    await pollNow();
    await panel("Market").getByText("1.5", { exact: true }).waitFor();
    expect(await panel("Clock").getByLabel("Now").inputValue()).toBe("2026-03-20");
    for (const fold of await folds.all()) expect(await fold.getAttribute("open")).not.toBeNull();
    expect(visitor.errors).toEqual([]);
  });

  test("preserves scroll position, focus and other fields when a form is sent", async () => {
    await open();
    await panel("Clock").getByLabel("Now").fill("2026-03-20T09:00:00Z");
    await panel("Market").getByText("Other currencies").click();
    const pair = rowWith("Market", "USDCAD");
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
    expect(await panel("Clock").getByLabel("Now").inputValue()).toBe("2026-03-20T09:00:00Z");
    expect([new URL(page.url()).search, visitor.errors]).toEqual(["", []]);
  });

  test("preserves the values of a refused form", async () => {
    await open();
    const field = (name: string) => panel("Faults").locator(`[name=${name}]`);
    await field("operation").selectOption("trades.book");
    await field("times").fill("3");
    await press("Add fault");
    expect(await alert()).toContain("status is required if kind is status.");
    await field("status").fill("409");
    await press("Add fault");
    await panel("Faults").getByText("trades.book: status 409 × 3").waitFor();
    await press("Clear faults");
    await panel("Faults").getByText("No pending faults.").waitFor();
  });

  test("sends a form once on a double click", async () => {
    await open();
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
    expect([held.length, sandbox.control.getClock().now]).toEqual([1, "2026-03-17T09:00:00.000Z"]);
    await page.unroute("**/*");
  });

  test.each([
    ["cannot be reached", (route: Route) => route.abort()],
    ["fails", (route: Route) => route.fulfill({ status: 500, body: "{}" })],
  ])("shows a notice while the sandbox %s", async (_how, fail) => {
    await open();
    await page.route("**/*", fail);
    await pollNow();
    await page.getByRole("alert").waitFor();
    expect(await alert()).toBe("The sandbox does not respond.");
    await page.unroute("**/*");
    await pollNow();
    await page.getByRole("alert").waitFor({ state: "detached" });
  });
});

describe("for a treasurer", () => {
  test("shows margin calls with due dates", async () => {
    sandbox.control.moveRate({ symbol: "EURUSD", rate: 1.4 });
    const [account] = await client.accounts.list({ currencies: "EUR" });
    const query = { account_id: account!.account_id, balance_types: ["MarginCall" as const] };
    const [called] = await client.accounts.listBalances(query);
    await open("/", withoutScript);
    const shown = (await rowWith("Accounts", "EUR").innerText()).replaceAll(",", "");
    expect(shown).toContain(`${called!.amount.amount}\ndue from 2026-03-18`);
    expect(await rowWith("Accounts", "JPY").innerText()).toMatch(/\t0\t/);
  });

  test("orders a payment, approves it as another contact and returns it", async () => {
    await client.approvalsWorkflow.updateSettings({ enabled: true, dual_admin: false });
    const { trade_id } = await client.trades.book({ quote_id: await makeQuote(client), reason: "other" });
    await open("/", withoutScript);
    await panel("Payments").getByLabel("Trade").selectOption(trade_id);
    await panel("Payments").getByLabel("Beneficiary").selectOption({ label: "Lakeside Components Inc, USD" });
    await panel("Payments").getByLabel("Amount").fill("412.34");
    await press("Allocate payment");
    const question = panel("Pending decisions").getByRole("article").filter({ hasText: "412.34 USD" });
    expect(await question.getByRole("option").allTextContents()).not.toContain("Ada Lindqvist");
    expect(await question.innerText()).toContain("Ada Lindqvist");
    await question.getByRole("button", { name: "Approve" }).click();
    const paid = rowWith("Payments", "412.34 USD");
    expect(await paid.innerText()).toContain("Validating beneficiary information");
    sandbox.control.advanceClock({ days: 4 });
    await page.reload();
    expect(await paid.innerText()).toContain("Payment complete");
    await paid.getByRole("button", { name: /^Return PM/ }).click();
    expect(await paid.innerText()).toContain("Returned");
  });

  test("collapses a long list of decisions", async () => {
    for (let more = 0; more < 14; more += 1) await callSample("payments.initiate");
    await open("/", withoutScript);
    const questions = panel("Pending decisions").getByRole("article");
    expect(await questions.count()).toBe(12);
    const headings = await questions.getByRole("heading").allInnerTexts();
    expect(headings.join()).toContain("Requested account");
    await panel("Pending decisions")
      .getByText(/more decisions/)
      .click();
    expect(await questions.count()).toBeGreaterThanOrEqual(14);
  });

  test.each([
    ["2026-03-13T16:00:00Z", "2026-03-16T09:00:00.000Z"],
    ["2026-04-02T08:00:00Z", "2026-04-07T09:00:00.000Z"],
  ])("moves from %s to the next business day", async (now, next) => {
    sandbox.control.reset({ now });
    await open("/", withoutScript);
    await press("Next business day");
    expect(sandbox.control.getClock()).toEqual({ now: next });
  });
});

describe("the page of operations", () => {
  const openOperation = (route: string) => open(`/docs#?route=${route}`);
  const last = () => sandbox.control.listRequests().at(-1)!;
  const headers = () => sandbox.control.getExchange({ number: last().number }).request.headers;
  const execute = async (path: RegExp) => {
    const [response] = await Promise.all([
      page.waitForResponse(path),
      page.getByRole("button", { name: "Execute" }).click(),
    ]);
    return response;
  };

  test("is linked, calls an operation as the demo company, and shows the response", async () => {
    await open("/", withoutScript);
    expect(await page.getByRole("link", { name: "Operations" }).getAttribute("href")).toBe("/docs");
    await openOperation("get-/trades");
    const response = await execute(/\/trades\?/);
    const [, id] = /"trade_id":("[^"]+")/.exec(await response.text())!;
    await page.getByText(id!).first().waitFor();
    expect(last().url).toContain(`client_id=${demo.clientId}`);
    expect(headers()).toMatchObject({
      authorization: `Bearer ${demo.accessToken}`,
      "x-api-key": demo.apiKey,
      "x-contact-id": demo.contactId,
    });
    expect(visitor.errors).toEqual([]);
  });

  test("generates a request ID per open-banking call", async () => {
    await openOperation("get-/v1/consents/-consent-id-/status");
    const ids = new Set<string | undefined>();
    for (const consent of ["none", "nobody"]) {
      await page.locator("[data-pname='consent-id']").fill(consent);
      await execute(new RegExp(`/v1/consents/${consent}/status`));
      ids.add(headers()["x-request-id"]);
    }
    expect([...ids]).toEqual(
      Array(2).fill(expect.stringMatching(/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/)),
    );
  });
});

describe("is accessible and fits the screen", () => {
  const loginAddress = () =>
    `/authenticate?${new URLSearchParams({
      scope: "openid",
      response_type: "code",
      client_id: demo.authClientId,
      redirect_uri: demo.redirectUri,
      state: "s",
    }).toString()}`;

  const authorisation = async () => (await client.consents.create(consentTerms))._links.scaRedirect!;

  /** Opens a page in the state to test. */
  const pages: Readonly<Record<string, (look: BrowserContextOptions) => Promise<unknown>>> = {
    "the login page after a wrong password": async (look) => {
      await open(loginAddress(), look);
      await page.getByLabel("E-mail").fill(demo.email);
      await page.getByLabel("Password").fill("guess");
      await press("Log in");
      await page.getByRole("alert").waitFor();
    },
    "a question with accounts to choose": async (look) => open((await authorisation()).href, look),
    "a question that was answered": async (look) => {
      const link = await authorisation();
      await decide(link, "refuse");
      await open(link.href, look);
    },
    "the dashboard after a control, everything unfolded": async (look) => {
      await fillEveryPanel();
      await open("/", look);
      await press("EURUSD up 1 %");
      await page.getByRole("status").waitFor();
      await page.evaluate(() => document.querySelectorAll("details").forEach((each) => (each.open = true)));
    },
    "the dashboard after a refusal": async (look) => {
      await open("/", look);
      await panel("Clock").getByLabel("Now").fill("2020-01-01T00:00:00Z");
      await press("Set clock");
      await page.getByRole("alert").waitFor();
    },
    ...Object.fromEntries(
      ["auth", "get-/trades", "post-/v1/-payment-service-/-payment-product-"].map((route) => [
        `the operation ${route}`,
        async (look) => {
          await open(`/docs#?route=${route}`, look);
          await page.getByText("trades", { exact: true }).first().waitFor({ state: "attached" });
        },
      ]),
    ),
  };

  const looks = [
    { colorScheme: "light", viewport: { width: 1280, height: 900 } },
    { colorScheme: "dark", viewport: { width: 390, height: 800 } },
  ] as const;

  const cases = Object.keys(pages).flatMap((name) =>
    looks.map((look) => [name, look.colorScheme, look] as const),
  );

  test.each(cases)("%s, %s", async (name, _scheme, look) => {
    await pages[name]!(look);
    await page.evaluate(axe.source);
    const violations = await page.evaluate(async () => {
      const found = await (globalThis as unknown as { axe: typeof axe }).axe.run();
      return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
    });
    expect(violations).toEqual([]);
    if (!name.startsWith("the operation"))
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(look.viewport.width);
  });
});
