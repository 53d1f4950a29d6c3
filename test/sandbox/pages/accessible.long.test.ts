/** Tests the accessibility of every page with axe: names, headings, order and contrast. */
import axe from "axe-core";
import type { Browser } from "playwright-core";
import type { FxdeskClient } from "@fxdesk/toolkit";
import { demo, type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { launchBrowser } from "../../nodes/support/browser";
import { sampleInput, sandboxClient } from "../../support/samples";
import { ask } from "../support/http";
import { consentTerms } from "../open-banking/bank";
import { Visitor } from "./visitor";

let browser: Browser;
let sandbox: Sandbox;
let client: FxdeskClient;
let sca: { readonly open: string; readonly choice: string; readonly answered: string };
beforeAll(async () => {
  browser = await launchBrowser();
  sandbox = await startSandbox({ now: new Date("2026-03-16T09:00:00Z") });
  client = sandboxClient(sandbox);
  const initiate = async () => {
    const input = await sampleInput("payments.initiate", client);
    const { _links } = await client.payments.initiate(input as never);
    return _links.scaRedirect!.href!;
  };
  const consent = await client.consents.create(consentTerms);
  sca = { open: await initiate(), choice: consent._links.scaRedirect!.href!, answered: await initiate() };
  await ask(sandbox, new URL(sca.answered).pathname, {
    method: "POST",
    body: new URLSearchParams({ decision: "refuse" }),
  });
  await somethingOfEverything();
});
afterAll(async () => {
  await client.close();
  await sandbox.close();
  await browser.close();
});

/** Fills each panel of the dashboard. */
async function somethingOfEverything(): Promise<void> {
  await client.accountDetails.request((await sampleInput("accountDetails.request", client)) as never);
  await client.approvalsWorkflow.updateSettings({ enabled: true, dual_admin: true });
  const config = await sampleInput("approvalsWorkflow.replaceConfig", client);
  await client.approvalsWorkflow.replaceConfig(config as never);
  await client.statements.emailTrades({ date_from: "2026-01" });
  await client.trades.get({ trade_id: "none" }).catch(() => {});
  sandbox.control.moveRate({ symbol: "EURUSD", rate: 1.35 });
  sandbox.control.addFault({ operation: "trades.list", kind: "latency", milliseconds: 10 });
}

const login = () =>
  `${sandbox.baseUrl}/authenticate?${new URLSearchParams({
    scope: "openid",
    response_type: "code",
    client_id: demo.authClientId,
    redirect_uri: demo.redirectUri,
    state: "s",
  }).toString()}`;

/** Opens a page in the state to test. */
const pages: Readonly<Record<string, (visitor: Visitor) => Promise<unknown>>> = {
  "the login page": ({ page }) => page.goto(login()),
  "the login page after a wrong password": async (visitor) => {
    await visitor.page.goto(login());
    await visitor.page.getByLabel("E-mail").fill(demo.email);
    await visitor.page.getByLabel("Password").fill("guess");
    await visitor.press("Log in");
    await visitor.page.getByRole("alert").waitFor();
  },
  "a question": ({ page }) => page.goto(sca.open),
  "a question with accounts to choose": ({ page }) => page.goto(sca.choice),
  "a question that was answered": ({ page }) => page.goto(sca.answered),
  "the dashboard": ({ page }) => page.goto(sandbox.baseUrl),
  "the dashboard, everything unfolded": async ({ page }) => {
    await page.goto(sandbox.baseUrl);
    await page.evaluate(() => document.querySelectorAll("details").forEach((each) => (each.open = true)));
  },
  "the dashboard after a control": async (visitor) => {
    await visitor.page.goto(sandbox.baseUrl);
    await visitor.press("EURUSD up 1 %");
    await visitor.page.getByRole("status").waitFor();
  },
  "the dashboard after a refusal": async (visitor) => {
    await visitor.page.goto(sandbox.baseUrl);
    await visitor.panel("Clock").getByLabel("Now").fill("2020-01-01T00:00:00Z");
    await visitor.press("Set clock");
    await visitor.page.getByRole("alert").waitFor();
  },
};

const looks = [
  { colorScheme: "light", viewport: { width: 1280, height: 900 } },
  { colorScheme: "dark", viewport: { width: 390, height: 800 } },
] as const;

const cases = Object.keys(pages).flatMap((name) =>
  looks.map((look) => [name, look.colorScheme, look] as const),
);

test.each(cases)("%s, %s", async (name, _scheme, look) => {
  const visitor = await Visitor.in(browser, look);
  await pages[name]!(visitor);
  await visitor.page.evaluate(axe.source);
  const violations = await visitor.page.evaluate(async () => {
    const found = await (globalThis as unknown as { axe: typeof axe }).axe.run();
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  });
  await visitor.close();
  expect(violations).toEqual([]);
});
