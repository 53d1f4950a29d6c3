/** Tests a person's steps in a browser: logging in, approving and refusing. */
import { Big } from "big.js";
import type { Browser } from "playwright-core";
import type { FxdeskClient } from "@fxdesk/toolkit";
import { demo, type Sandbox } from "@fxdesk/sandbox";
import { launchBrowser } from "../../nodes/support/browser";
import { closeLater } from "../../support/resources";
import { openClient, openSandbox } from "../../support/sandboxes";
import { euroAccount, single, transfer } from "../open-banking/bank";
import { ask } from "../support/http";
import { startApplication, Visitor } from "./visitor";

let browser: Browser;
beforeAll(async () => {
  browser = closeLater(await launchBrowser());
});

let application: Awaited<ReturnType<typeof startApplication>>;
let sandbox: Sandbox;
beforeEach(async () => {
  application = await startApplication();
  const now = new Date("2026-03-02T09:00:00Z");
  sandbox = await openSandbox({ now, redirectUri: `${application.url}/callback` });
});

const state = "a state & more";
const loginAddress = () =>
  `${sandbox.baseUrl}/authenticate?${new URLSearchParams({
    scope: "openid",
    response_type: "code",
    client_id: demo.authClientId,
    redirect_uri: sandbox.demo.redirectUri,
    state,
  }).toString()}`;

async function exchange(code: string): Promise<{ access_token: string; refresh_token: string }> {
  const { authClientId, authClientSecret, redirectUri } = sandbox.demo;
  const { status, text } = await ask(sandbox, "/token", {
    method: "POST",
    headers: {
      authorization: `Basic ${Buffer.from(`${authClientId}:${authClientSecret}`).toString("base64")}`,
    },
    body: new URLSearchParams({ grant_type: "authorization_code", code, redirect_uri: redirectUri }),
  });
  expect(status).toBe(200);
  return JSON.parse(text) as { access_token: string; refresh_token: string };
}

/** Creates a client with the tokens of a login. */
async function clientFor(code: string): Promise<FxdeskClient> {
  const { access_token: accessToken, refresh_token: refreshToken } = await exchange(code);
  const { authClientId, authClientSecret, apiKey } = demo;
  return openClient(sandbox, {
    credentials: { authClientId, authClientSecret, accessToken, refreshToken, apiKey },
  });
}

const rent = { ...transfer("1250.50"), creditorName: "Brouwer & Zoon BV" };
const fine = { ...transfer("99.00", "FR6400000000000000012345697"), creditorName: "Ferme Duval SARL" };

async function initiate(client: FxdeskClient, order: typeof rent) {
  const { amount } = order.instructedAmount;
  const { paymentId, _links } = await client.payments.initiate({
    ...single,
    debtorAccount: { iban: (await euroAccount({ sandbox, client })).iban },
    ...order,
    "TPP-Redirect-URI": `${application.url}/done?for=${amount}`,
    "TPP-Nok-Redirect-URI": `${application.url}/refused?for=${amount}`,
  });
  return { paymentId, page: _links.scaRedirect!.href! };
}

async function readAccount(client: FxdeskClient) {
  const { resourceId: account_id } = await euroAccount({ sandbox, client });
  const [balance] = await client.accounts.listBalances({ account_id });
  const [newest] = await client.transactions.list({ account_id, page_size: 1 });
  return { available: new Big(balance!.amount.amount), newest };
}

test("logs in after a wrong password, approves a payment and refuses another", async () => {
  const visitor = await Visitor.in(browser);
  const { page, errors } = visitor;
  const { keyboard } = page;

  /** Waits for focus and first paint, because earlier input is lost. */
  const waitForFocus = async (field: string) => {
    await page.locator(`input[name=${field}]:focus`).waitFor();
    await page.evaluate("new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)))");
  };

  // Types with the keyboard only, starting in the focused first field.
  await page.goto(loginAddress());
  await waitForFocus("email");
  await keyboard.type(demo.email);
  await keyboard.press("Tab");
  await keyboard.type("guess");
  await keyboard.press("Enter");
  await page.getByRole("alert").waitFor();
  // The browser logs the expected error status.
  expect(errors.splice(0)).toHaveLength(2);
  expect(application.visits).toEqual([]);
  await waitForFocus("password");
  await keyboard.type(demo.password);
  await keyboard.press("Enter");
  await page.waitForURL(`${sandbox.demo.redirectUri}?**`);
  const [back] = application.visits;
  expect(back!.searchParams.get("state")).toBe(state);

  const client = await clientFor(back!.searchParams.get("code")!);
  const { iban } = await euroAccount({ sandbox, client });
  const before = await readAccount(client);
  const approved = await initiate(client, rent);
  const refused = await initiate(client, fine);
  for (const [{ page: address }, order, button] of [
    [approved, rent, "Approve"],
    [refused, fine, "Refuse"],
  ] as const) {
    await page.goto(address);
    const terms = await page.getByRole("main").innerText();
    const { instructedAmount, creditorName, creditorAccount } = order;
    for (const term of [`${instructedAmount.amount} EUR`, creditorName, creditorAccount.iban, iban])
      expect(terms).toContain(term);
    await visitor.press(button);
    await page.waitForURL(`${application.url}/**`);
  }
  expect(application.visits.slice(1).map(({ pathname, search }) => pathname + search)).toEqual([
    "/done?for=1250.50",
    "/refused?for=99.00",
  ]);
  sandbox.control.advanceClock({ seconds: 600 });
  const statusOf = async ({ paymentId }: typeof approved) =>
    (await client.payments.getStatus({ ...single, paymentId })).transactionStatus;
  expect([await statusOf(approved), await statusOf(refused)]).toEqual(["ACSC", "RJCT"]);
  const after = await readAccount(client);
  expect(before.available.minus(after.available).toFixed(2)).toBe("1250.50");
  expect(after.newest).toMatchObject({ amount: { amount: "1250.50" }, creditor_name: rent.creditorName });
  expect(errors).toEqual([]);
});

test.each([
  ["login", "Log in", async () => loginAddress()],
  ["payment", "Approve", async () => (await initiate(openClient(sandbox), rent)).page],
] as const)("sees the whole %s page on a phone", async (_name, button, address) => {
  const { page, errors } = await Visitor.in(browser, { viewport: { width: 360, height: 640 } });
  await page.goto(await address());
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  const { y, height } = (await page.getByRole("button", { name: button }).boundingBox())!;
  expect(y + height).toBeLessThan(640);
  expect(errors).toEqual([]);
});
