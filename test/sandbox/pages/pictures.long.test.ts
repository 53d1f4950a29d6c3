/** Tests the content of the documentation's screenshots; npm run pictures updates them. */
import type { FxdeskClient } from "@fxdesk/toolkit";
import type { Sandbox } from "@fxdesk/sandbox";
import { launchBrowser } from "../../nodes/support/browser";
import { takePicture } from "../../support/picture";
import { closeLater } from "../../support/resources";
import { sampleInput } from "../../support/samples";
import { openSandboxAndClient } from "../../support/sandboxes";
import { Visitor } from "./visitor";

let sandbox: Sandbox;
let client: FxdeskClient;
let visitor: Visitor;
beforeAll(async () => {
  ({ sandbox, client } = await openSandboxAndClient({ now: new Date("2026-03-16T09:00:00Z") }));
  const browser = closeLater(await launchBrowser());
  visitor = await Visitor.in(browser, { viewport: { width: 1280, height: 1085 } });
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
