/** Tests a person's steps in a browser: logging in, approving and refusing. */
import { Big } from "big.js";
import type { Browser } from "playwright-core";
import type { FxdeskClient } from "@fxdesk/toolkit";
import { demo, type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { launchBrowser } from "../../nodes/support/browser";
import { sandboxClient } from "../../support/samples";
import { consentTerms } from "../open-banking/bank";
import { ask } from "../support/http";
import { Application, Visitor } from "./visitor";

let application: Application;
let browser: Browser;
beforeAll(async () => {
  application = await Application.listen();
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  application.close();
});

let sandbox: Sandbox;
let visitor: Visitor;
let client: FxdeskClient;
beforeEach(async () => {
  application.visits.length = 0;
  const now = new Date("2026-03-02T09:00:00Z");
  sandbox = await startSandbox({ now, redirectUri: `${application.url}/callback`, daysBehind: 90 });
  client = sandboxClient(sandbox);
  visitor = await Visitor.in(browser);
});
afterEach(async () => {
  await visitor.close();
  await client.close();
  await sandbox.close();
});

const loginRequest = (): Readonly<Record<string, string>> => ({
  scope: "openid",
  response_type: "code",
  client_id: demo.authClientId,
  redirect_uri: sandbox.demo.redirectUri,
  state: "a state & more",
});

const loginAddress = (request: Readonly<Record<string, string>> = loginRequest()) =>
  `${sandbox.baseUrl}/authenticate?${new URLSearchParams(request).toString()}`;

/** Waits for focus and first paint, because earlier input is lost. */
async function waitForFocus(field: string): Promise<void> {
  await visitor.page.locator(`input[name=${field}]:focus`).waitFor();
  await visitor.page.evaluate("new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)))");
}

/** Types with the keyboard only, starting in the focused first field. */
async function logIn(email: string, password: string): Promise<void> {
  const { keyboard } = visitor.page;
  await waitForFocus("email");
  await keyboard.type(email);
  await keyboard.press("Tab");
  await keyboard.type(password);
  await keyboard.press("Enter");
}

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
  return sandboxClient(sandbox, {
    credentials: { authClientId, authClientSecret, accessToken, refreshToken, apiKey },
  });
}

const product = { "payment-product": "sepa-credit-transfers" } as const;
const single = { "payment-service": "payments", ...product } as const;

async function euroAccount() {
  const [account] = await client.accounts.list({ currencies: "EUR" });
  const { account_id, account_details: details } = account!;
  const iban = details!.find(({ account_number_type: type }) => type === "IBAN")!.account_number!;
  return { account_id, iban };
}

interface Asked {
  readonly amount: string;
  readonly creditorName: string;
  readonly creditorIban: string;
}
const rent: Asked = {
  amount: "1250.50",
  creditorName: "Brouwer & Zoon BV",
  creditorIban: "NL13TEST0123456789",
};
const fine: Asked = {
  amount: "99.00",
  creditorName: "Ferme Duval SARL",
  creditorIban: "FR6400000000000000012345697",
};

async function initiate({ amount, creditorName, creditorIban }: Asked) {
  const { iban } = await euroAccount();
  const { paymentId, transactionStatus, _links } = await client.payments.initiate({
    ...single,
    debtorAccount: { iban },
    instructedAmount: { currency: "EUR", amount },
    creditorAccount: { iban: creditorIban },
    creditorName,
    "TPP-Redirect-URI": `${application.url}/done?for=${amount}`,
    "TPP-Nok-Redirect-URI": `${application.url}/refused?for=${amount}`,
  });
  expect(transactionStatus).toBe("RCVD");
  return { paymentId, page: _links.scaRedirect!.href! };
}

const statusOf = async (paymentId: string) =>
  (await client.payments.getStatus({ ...single, paymentId })).transactionStatus;

async function scaStatusOf(paymentId: string) {
  const of = { ...single, paymentId, "payment-authorisation": "authorisations" } as const;
  const { authorisationIds } = await client.payments.listAuthorisations(of);
  const [id] = authorisationIds;
  return (await client.payments.getAuthorisation({ ...of, "authorisation-id": id! })).scaStatus;
}

async function readAccount() {
  const { account_id } = await euroAccount();
  const [balance] = await client.accounts.listBalances({ account_id });
  const { amount, currency } = balance!.amount;
  const transactions = await client.transactions.list({
    account_id,
    from_value_datetime: "2026-03-02T08:59",
    credit_debit_indicator: "debit",
  });
  return { available: new Big(amount), currency, transactions };
}

const seconds = (count: number) => sandbox.control.advanceClock({ seconds: count });

/** Asserts that only the approved payment is booked. */
async function expectOnlyRentPaid(
  before: Awaited<ReturnType<typeof readAccount>>,
  rentId: string,
  fineId: string,
): Promise<void> {
  expect([await scaStatusOf(rentId), await scaStatusOf(fineId)]).toEqual(["finalised", "failed"]);
  const statuses: unknown[] = [];
  for (const wait of [0, 2, 2]) {
    if (wait > 0) seconds(wait);
    statuses.push([await statusOf(rentId), await statusOf(fineId)]);
  }
  expect(statuses).toEqual([
    ["ACTC", "RJCT"],
    ["ACSP", "RJCT"],
    ["ACSC", "RJCT"],
  ]);
  sandbox.control.advanceClock({ seconds: 600 });
  const after = await readAccount();
  expect(before.available.minus(after.available).toFixed(2)).toBe(rent.amount);
  const more = after.transactions.slice(0, after.transactions.length - before.transactions.length);
  expect(more).toMatchObject([
    {
      amount: { amount: rent.amount, currency: "EUR" },
      credit_debit_indicator: "Debit",
      creditor_name: rent.creditorName,
    },
  ]);
}

test("logs in, approves a payment and refuses another", async () => {
  const { page } = visitor;
  await page.goto(loginAddress());
  expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Log in");
  expect(await visitor.text()).toContain(demo.authClientId);
  expect(await visitor.text()).toContain("Sandbox: no real bank, no real money.");
  await logIn(demo.email, demo.password);
  await page.waitForURL(`${sandbox.demo.redirectUri}?**`);

  const [back] = application.visits;
  expect([back!.pathname, back!.searchParams.get("state")]).toEqual([
    new URL(sandbox.demo.redirectUri).pathname,
    loginRequest().state,
  ]);
  await client.close();
  client = await clientFor(back!.searchParams.get("code")!);

  const { iban } = await euroAccount();
  const before = await readAccount();
  const approved = await initiate(rent);
  const refused = await initiate(fine);
  for (const [{ page: address }, { amount, creditorName, creditorIban }, button] of [
    [approved, rent, "Approve"],
    [refused, fine, "Refuse"],
  ] as const) {
    await page.goto(address);
    const terms = await page.getByRole("main").innerText();
    for (const term of [`${amount} EUR`, creditorName, creditorIban, iban]) expect(terms).toContain(term);
    await visitor.press(button);
    await page.waitForURL(`${application.url}/**`);
  }
  expect(application.visits.slice(1).map(({ pathname, search }) => pathname + search)).toEqual([
    `/done?for=${rent.amount}`,
    `/refused?for=${fine.amount}`,
  ]);
  await expectOnlyRentPaid(before, approved.paymentId, refused.paymentId);
  expect(visitor.errors).toEqual([]);
});

test("can retry after a wrong password", async () => {
  const { page, errors } = visitor;
  await page.goto(loginAddress());
  await logIn(demo.email, "guess");
  expect(await page.getByRole("alert").textContent()).toBe("The e-mail address or password is wrong.");
  expect(application.visits).toEqual([]);
  // The browser logs the expected error status.
  expect(errors).toHaveLength(2);
  expect(errors).toContain(`${sandbox.baseUrl}/login answered 401`);
  expect(errors).toContainEqual(expect.stringContaining("status of 401"));
  await waitForFocus("password");
  await page.keyboard.type(demo.password);
  await page.keyboard.press("Enter");
  await page.waitForURL(`${sandbox.demo.redirectUri}?**`);
  expect(application.visits[0]!.searchParams.get("state")).toBe(loginRequest().state);
});

test("selects the accounts of a consent", async () => {
  const { page } = visitor;
  const { consentId, _links } = await client.consents.create(consentTerms);
  await page.goto(_links.scaRedirect!.href!);
  const accounts = page.getByRole("group", { name: "Accounts" }).getByRole("checkbox");
  expect(await accounts.count()).toBe(4);
  for (const account of await accounts.all()) await account.uncheck();
  await visitor.press("Approve");
  expect(await page.getByRole("alert").textContent()).toBe("Choose at least one account.");
  for (const account of await accounts.all()) await account.uncheck();
  await page.getByRole("checkbox", { name: "GBP" }).check();
  await visitor.press("Approve");
  await page.getByText("Approved. You can close this page.").waitFor();
  const listed = await client.openBanking.listAccounts({ "Consent-ID": consentId });
  expect(listed.accounts.map(({ currency }) => currency)).toEqual(["GBP"]);
});

test.each([
  ["login", "Log in", async () => loginAddress()],
  ["payment", "Approve", async () => (await initiate(rent)).page],
] as const)("sees the whole %s page on a phone", async (_name, button, address) => {
  await visitor.close();
  visitor = await Visitor.in(browser, { viewport: { width: 360, height: 640 } });
  await visitor.page.goto(await address());
  expect(await visitor.page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  const { y, height } = (await visitor.page.getByRole("button", { name: button }).boundingBox())!;
  expect(y + height).toBeLessThan(640);
  expect(visitor.errors).toEqual([]);
});
