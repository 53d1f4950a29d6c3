/** Tests the content of the documentation's screenshots; npm run pictures updates them. */
import type { Browser } from "playwright-core";
import type { FxdeskClient } from "@fxdesk/toolkit";
import { type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { launchBrowser } from "../../nodes/support/browser";
import { takePicture } from "../../support/picture";
import { sampleInput, sandboxClient } from "../../support/samples";
import { Visitor } from "./visitor";

let browser: Browser;
let sandbox: Sandbox;
let client: FxdeskClient;
let visitor: Visitor;
beforeAll(async () => {
  browser = await launchBrowser();
  sandbox = await startSandbox({ now: new Date("2026-03-16T09:00:00Z") });
  client = sandboxClient(sandbox);
  visitor = await Visitor.in(browser, { viewport: { width: 1280, height: 1085 } });
});
afterAll(async () => {
  await visitor.close();
  await client.close();
  await sandbox.close();
  await browser.close();
});

test("shows pending decisions, accounts with a margin call, and the market", async () => {
  await client.payments.initiate((await sampleInput("payments.initiate", client)) as never);
  sandbox.control.moveRate({ symbol: "EURUSD", rate: 1.15 });
  await visitor.page.goto(sandbox.baseUrl);
  expect(await visitor.panel("Pending decisions").getByRole("article").count()).toBe(4);
  expect(await visitor.panel("Accounts").innerText()).toMatch(/EUR.*due from 2026-03-18/s);
  await takePicture(visitor.page, "images/sandbox");
});

test("shows an operation with its response", async () => {
  const { page } = visitor;
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto(`${sandbox.baseUrl}/docs#?route=get-/funding-account`);
  await page.locator("[data-pname=currency]").fill("EUR");
  await page.getByRole("button", { name: "Execute" }).click();
  await page.getByText('"Sandbox Bank DE"').first().scrollIntoViewIfNeeded();
  await page.getByRole("button", { name: "Execute", disabled: false }).waitFor();
  await takePicture(page, "images/sandbox-operations");
});
