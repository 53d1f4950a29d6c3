/** Requirements, events and expected results of each example. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { FxdeskClient } from "@fxdesk/toolkit";
import { slugOf } from "../../../nodes/generate/document-files";
import { revisions, textOf } from "../../mcp/support/clients";
import { eventually } from "../../support/eventually";
import { sampleOrder } from "../../core/releases/release-fixture";
import { takePicture } from "../../support/picture";
import { approve, makeQuote, sampleInput } from "../../support/samples";
import { root } from "./node-red";
import {
  httpAddressOf,
  nodesBehind,
  findButton,
  byType,
  findExample,
  ownTabPlacement,
  isWatchNode,
} from "./recipes";
import { mcpToken, type ExampleEnvironment, type Variables } from "./example-environment";

const anything = expect.anything() as unknown;

/** Matches a value that has at least these properties, entries and texts. An empty list matches only itself. */
function partially(expected: unknown): unknown {
  if (expected instanceof RegExp) return expect.stringMatching(expected);
  if (Array.isArray(expected))
    return expected.length === 0 ? expected : expect.arrayContaining(expected.map(partially));
  if (typeof expected !== "object" || expected === null || "asymmetricMatch" in expected) return expected;
  const properties = Object.entries(expected).map(([name, value]) => [name, partially(value)]);
  return expect.objectContaining(Object.fromEntries(properties) as object);
}

/** Methods that the extension adds to the client. */
interface OrderMethods {
  order(input: object): Promise<{ readonly release: string }>;
}

interface Expectation {
  /** Values of the flow variables. */
  readonly variables?: () => Promise<Variables>;
  /** The buttons that are pressed at once, by their names; all unless told. */
  readonly presses?: readonly string[];
  /** Events while the flow runs. */
  readonly during?: (variables: Variables) => unknown;
  /** Expected output of the Debug nodes, by name. */
  readonly expectedDebug?: Readonly<Record<string, unknown>>;
  /** Other expected results. */
  readonly checkAfterwards?: () => unknown;
  /** It needs a policy and people who release. */
  readonly isGuarded?: boolean;
}

/** Returns functions that run the examples in an environment and check their results. */
export function recipeRuns(environment: ExampleEnvironment) {
  const { client, nodeRed, guardedNodeRed, releaseFixture, sandbox } = environment;
  const { control } = sandbox;
  const nextDebugValue = (name: string) => environment.nextDebugValue(name);

  /** Runs an example, and checks what comes out. */
  async function run(title: string): Promise<void> {
    const flow = findExample(title);
    const {
      variables,
      presses,
      during,
      expectedDebug = {},
      checkAfterwards,
      isGuarded,
    } = expectations[title]!;
    const on = isGuarded ? guardedNodeRed : nodeRed;
    const values = (await variables?.()) ?? {};
    await environment.deploy(flow, values, on);

    for (const listening of byType(flow, "http in")) {
      const response = await requests[httpAddressOf(listening)]!();
      expect([listening.url, response.ok]).toEqual([listening.url, true]);
    }
    await environment.expectSucceeded(flow.filter(isWatchNode), on);
    // What happens meanwhile may be what the nodes behind a button wait for.
    const happened = during?.(values);
    const injects = byType(flow, "inject");
    const pressed = presses ? presses.map((name) => findButton(flow, name)) : injects;
    for (const inject of pressed) {
      await environment.inject(inject, on);
      if (!during) await environment.expectSucceeded(nodesBehind(inject, flow), on);
    }
    await happened;
    for (const [name, expected] of Object.entries(expectedDebug))
      expect([name, await nextDebugValue(name)]).toEqual([name, partially(expected)]);
    await checkAfterwards?.();
    await environment.expectSucceeded(flow, on);
  }

  /** The release ID of what a Debug node tells. */
  async function readReleaseId(expectedText: string): Promise<string> {
    const text = (await nextDebugValue("Notify people who release")) as string;
    expect(text).toContain(expectedText);
    return /R-[A-Z0-9]+/.exec(text)![0];
  }

  /** A person decides on what a Debug node tells, with a button of the flow; the store knows who it was. */
  async function decideInFlow(expectedText: string, button: string, state: string): Promise<void> {
    const release = await readReleaseId(expectedText);
    await environment.pressButton(button);
    expect(await nextDebugValue("Decided")).toMatchObject({ release, state });
    const { decisions } = await releaseFixture.service.get(release);
    expect(decisions).toMatchObject([{ person: "anna" }]);
  }

  /** A page of the dashboard, once it shows all these texts; nothing sticks out of it, on a narrow screen either. */
  async function expectPage(path: string, ...texts: readonly (string | RegExp)[]): Promise<Page> {
    const [page, narrow] = [await environment.page(path), await environment.page(path, 500)];
    for (const each of [narrow, page]) {
      for (const text of texts) await each.getByText(text).first().waitFor({ timeout: 20_000 });
      expect(await each.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    }
    await narrow.close();
    return page;
  }

  /** The documents show it, where they are written. */
  async function saveScreenshot(page: Page, title: string): Promise<void> {
    if (environment.placement === ownTabPlacement)
      await takePicture(page, `recipes/images/${slugOf(title)}-page`, { fullPage: true });
  }

  /** An order that waits for a yes. */
  async function createOrder(amount: string): Promise<{ readonly release: string }> {
    const { trades } = releaseFixture.client() as unknown as {
      readonly trades: OrderMethods;
    };
    return trades.order(sampleOrder({ amount }));
  }

  /** One that its person has given, for some days. */
  async function createEndingConsent(): Promise<string> {
    const input = await sampleInput("consents.create", client);
    const validUntil = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10);
    const asked = { ...input, validUntil } as Parameters<typeof client.consents.create>[0];
    const { consentId, _links: links } = await client.consents.create(asked);
    await approve(client, links.scaRedirect!);
    return consentId;
  }

  /** A consent that its person has given. */
  async function createConsent(): Promise<string> {
    const { "Consent-ID": id } = await sampleInput("openBanking.listAccounts", client);
    return String(id);
  }

  /** HTTP requests to listening flows, by method and path. */
  const requests: Readonly<Record<string, () => Promise<Response>>> = {
    "get /cash-position": () => nodeRed.request("/cash-position"),
    "get /transactions": () =>
      nodeRed.request("/transactions?direction=in&min_amount=1000&period=last+30+days"),
    "get /login": () => nodeRed.request("/login"),
    "get /trades": () => nodeRed.request("/trades"),
    "post /trades": async () =>
      nodeRed.request("/trades", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          quote_id: await makeQuote(client),
          reason: "payment_for_goods",
          reference: "INV-2041",
        }),
      }),
    "get /open-banking/:consent": async () => nodeRed.request(`/open-banking/${await createConsent()}`),
  };

  function payIn(currency: string, amount: string, reference: string): void {
    control.payIn({ currency, amount, reference });
  }

  function moveRate(symbol: string, by: number): void {
    const { rate } = control.listRates().find((each) => each.symbol === symbol)!;
    control.moveRate({ symbol, rate: rate * by });
  }

  /** Waits for a number of payments in the file of new transactions. On some days, trades of the sandbox settle meanwhile. */
  async function waitForReferences(count: number): Promise<string[]> {
    const references = async () => {
      const text = await environment.read("transactions.jsonl").catch(() => "");
      const found = text
        .split("\n")
        .filter(Boolean)
        .map((line) => (JSON.parse(line) as { transaction_reference: string }).transaction_reference)
        .filter((reference) => reference.startsWith("ONCE-"));
      return found.length >= count && found;
    };
    return eventually(references, { withinMs: 10_000, what: `${count} transactions in the file` });
  }

  const bookTrade = async () =>
    client.trades.book({
      quote_id: await makeQuote(client),
      reason: "payment_for_goods",
      reference: "NEWS",
    });

  /** Decisions of people on the bank's pages. */
  function decideAll(decision: "approve" | "refuse"): void {
    for (const { authorisation_id } of control.listAuthorisations())
      control.decideAuthorisation({ authorisation_id, decision });
  }

  /** Calls the flow as an assistant. */
  async function callTreasurerTool(): Promise<void> {
    const url = `${nodeRed.url}/mcp`;
    const assistant = await eventually(
      () => revisions["2026-07-28"].http(url, { authorization: `Bearer ${mcpToken}` }).catch(() => undefined),
      { withinMs: 10_000, what: "the MCP server" },
    );
    const result = await assistant.callTool({
      name: "tell_treasurer",
      arguments: { message: "Cash is low." },
    });
    expect(textOf(result)).toBe("The treasurer was notified.");
    await assistant.close();
  }

  /** Expected result of each example, by title. */
  const expectations: Readonly<Record<string, Expectation>> = {
    "Cash position": {
      expectedDebug: { "Cash position": [{ currency: "EUR", type: "InterimAvailable" }] },
    },
    "Cash position over HTTP": {
      checkAfterwards: async () => {
        const page = await (await requests["get /cash-position"]!()).text();
        for (const currency of ["EUR", "GBP", "USD", "JPY"])
          expect(page).toMatch(
            new RegExp(`<td>${currency}</td><td class="amount">-?\\d{1,3}( \\d{3})+(\\.\\d\\d)?<`),
          );
        expect(page).toMatch(/As of \d{4}-\d\d-\d\d \d\d:\d\d UTC/);
      },
    },
    "Cash position as CSV": {
      expectedDebug: { Written: /account_id,account_name,type,currency,amount/ },
      checkAfterwards: async () =>
        expect(await environment.read("cash-position.csv")).toMatch(/InterimAvailable,EUR,-?\d/),
    },
    "Cash in one currency": { expectedDebug: { "In euros": [{ currency: "EUR" }] } },
    "Low balance": {
      during: async () => {
        await nextDebugValue("Low");
        payIn("GBP", "900000.00", "BACK");
      },
      expectedDebug: { Recovered: { currency: "GBP", type: "InterimAvailable" } },
    },
    "Find transactions": { expectedDebug: { Found: { complete: true, sums: anything } } },
    "Search transactions over HTTP": {
      checkAfterwards: async () => {
        const found = (await (await requests["get /transactions"]!()).json()) as {
          transactions: { amount: string }[];
        };
        expect(found.transactions.length).toBeGreaterThan(0);
        for (const { amount } of found.transactions) expect(Number(amount)).toBeGreaterThanOrEqual(1000);
      },
    },
    "Spending by supplier": {
      expectedDebug: { Spending: [{ count: expect.any(Number) as unknown }] },
    },
    "Each new transaction once": {
      during: () => payIn("EUR", "12.34", "ONCE-1"),
      checkAfterwards: async () => {
        await waitForReferences(1);
        await environment.deploy(findExample("Each new transaction once"));
        payIn("EUR", "12.34", "ONCE-2");
        expect(await waitForReferences(2)).toEqual(["ONCE-1", "ONCE-2"]);
      },
    },
    "Large payment received": {
      during: () => [payIn("EUR", "9999.99", "SMALL"), payIn("EUR", "10000.00", "LARGE")],
      expectedDebug: { Received: { transaction_reference: "LARGE" } },
    },
    "Transactions in full": {
      expectedDebug: { Latest: [{ credit_debit_indicator: /credit/i }] },
    },
    "MT940 of all accounts": {
      expectedDebug: {
        Files: {
          complete: true,
          files: [{ currency: "GBP", path: /\.sta$/ }],
        },
      },
    },
    "Statement as data": { expectedDebug: { Entries: [{ amount: anything }] } },
    "Statement step by step": {
      expectedDebug: { File: { statusCode: 200, contentType: /csv/ } },
    },
    "Statements that are ready": {
      variables: async () => {
        const { account_id } = (await client.accounts.list({ currencies: "EUR" }))[0]!;
        const asked = { account_id, format: "csv", from_value_datetime: "2026-01-01T00:00" } as const;
        return { URLS: (await client.statements.createFile(asked)).url };
      },
      expectedDebug: { File: { statusCode: 200, contentType: /csv/ } },
    },
    "Statements by e-mail": {
      expectedDebug: { Accounts: anything, MT940: anything, Trades: anything, "Incoming funds": anything },
    },
    "Reconcile with a list": {
      expectedDebug: {
        "Matched and open": { open_items: [{ reference: "INV-2042" }], complete: true },
      },
    },
    "Currency exposure": { expectedDebug: { Exposure: { positions: anything, complete: true } } },
    Maturities: {
      expectedDebug: { Maturing: { complete: true, period: anything, forwards: anything } },
    },
    "Maturity reminder": {
      expectedDebug: { Reminder: /^drawdown \S+ matures on [-\d]+: pay in [.\d]+ [A-Z]{3}\.$/ },
    },
    "Margin call": {
      during: async () => {
        moveRate("EURUSD", 1.5);
        await nextDebugValue("To be paid");
        moveRate("EURUSD", 1 / 2.25);
      },
      expectedDebug: { Settled: { payload: null, topic: "accounts.watchMargin" } },
      checkAfterwards: () => moveRate("EURUSD", 1.5),
    },
    "Quote and trade": { expectedDebug: { Booked: { trade_id: anything } } },
    "Limit order": {
      expectedDebug: {
        Ordered: { release: /^R-/ },
        Status: { state: "released" },
        Cancelled: { state: "cancelled" },
      },
    },
    "Trades over HTTP": {},
    "Trade news": {
      during: bookTrade,
      expectedDebug: {
        Trade: { payload: { reference: "NEWS" }, topic: "trades.watch" },
      },
    },
    "Pay a supplier": {
      during: async () => {
        const href = await nextDebugValue("Authorisation link");
        expect(href).toMatch(/^http/);
        decideAll("refuse");
      },
      expectedDebug: {
        Outcome: { final: true, payments: [{ status: "RJCT" }] },
      },
    },
    "Payment step by step": {
      expectedDebug: {
        "Authorisation link": { _links: anything },
        Payment: { creditorName: "Ferme Duval SARL" },
        Cancelled: { statusCode: 204 },
      },
    },
    "Bulk payment": {
      expectedDebug: {
        Payments: { payments: [{ creditorName: "Ferme Duval SARL" }] },
      },
    },
    "Payment news": {
      variables: async () => {
        const { paymentId } = await sampleInput("payments.get", client);
        return { PAYMENTS: `payments/sepa-credit-transfers/${String(paymentId)}` };
      },
      during: async () => {
        await nextDebugValue("Payment");
        decideAll("refuse");
      },
      expectedDebug: { Payment: { status: "RJCT" } },
    },
    "Open an account": {
      during: async () => {
        const pending = await eventually(
          async () =>
            (await client.accountDetails.list()).find(
              ({ country, status }) => country === "BE" && status === "pending",
            ),
          { withinMs: 5_000, what: "the request" },
        );
        control.decideAccountDetails({
          account_details_id: pending.account_details_id,
          decision: "confirm",
        });
      },
      expectedDebug: { Account: { status: "confirmed", requested: true } },
    },
    "Account details": {
      expectedDebug: {
        Directory: [{ currency: "EUR", status: "confirmed" }],
        "Virtual account": anything,
      },
    },
    "Account details that change": {
      during: async () =>
        client.accountDetails.updateAlias({
          ...(await sampleInput("accountDetails.makeDefault", client)),
          alias: "Renamed",
        } as Parameters<FxdeskClient["accountDetails"]["updateAlias"]>[0]),
      expectedDebug: { "Account details": { payload: { alias: "Renamed" } } },
    },
    "Accounts and funding": {
      expectedDebug: {
        "Funding account": anything,
        "Euro account": { currency: "EUR" },
        "Account balances": [{ type: "RequiredFunds" }],
      },
    },
    "Consent and read": {
      during: async () => {
        const asked = (await nextDebugValue("Link, accounts, errors")) as {
          payload: { link: string };
        };
        await approve(client, { href: asked.payload.link });
      },
      expectedDebug: {
        "Link, accounts, errors": {
          payload: { accounts: [{ balances: anything }] },
        },
      },
    },
    "Consent step by step": {
      expectedDebug: {
        "Consent link": anything,
        Outcome: { consentStatus: "received" },
      },
    },
    "Open-banking position": {},
    "Consents that end": {
      variables: async () => ({ CONSENTS: await createConsent() }),
      during: ({ CONSENTS }) => client.consents.delete({ "consent-id": CONSENTS! }),
      expectedDebug: { Consent: { status: "terminatedByTpp" } },
    },
    Approvals: {
      expectedDebug: {
        "Groups and rules": { groups: anything },
        Settings: { enabled: anything },
      },
    },
    "Login page": {},
    "Check the service": { expectedDebug: { Differences: { conforms: true } } },
    "Any watch by its name": {
      during: bookTrade,
      expectedDebug: { Change: { topic: "trades.watch", payload: anything } },
    },
    "Tell the treasurer": {
      during: () => callTreasurerTool(),
      expectedDebug: { "To the treasurer": { message: "Cash is low." } },
    },
    "Cash position to mail and chat": {
      variables: async () => ({
        MAIL_SERVER: "127.0.0.1",
        MAIL_PORT: environment.receivers.mailPort,
        CHAT_URL: `${environment.receivers.url}/chat`,
      }),
      expectedDebug: { "Sent to the chat": 200 },
      checkAfterwards: async () => {
        const { receivers } = environment;
        const mail = await receivers.waitForMail("Subject: Cash position");
        expect(mail).toMatch(/^EUR -?[\d.]+$/m);
        const { body } = await receivers.waitForPost("/chat");
        expect(body).toEqual(partially({ text: /\nGBP -?[\d.]+\n/ }));
      },
    },
    "Accounting import": {
      expectedDebug: { Written: /^account,currency,booking_date,/ },
      checkAfterwards: async () => {
        const lines = (await environment.read("accounting-import.csv")).trim().split(/\r?\n/);
        const row = /^\w+,[A-Z]{3},\d{4}-\d\d-\d\d,\d{4}-\d\d-\d\d,-?\d+(\.\d+)?,\w{4},/;
        expect(lines.slice(1).filter((line) => !row.test(line))).toEqual([]);
        const currencies = new Set(lines.slice(1).map((line) => line.split(",")[1]));
        expect([...currencies]).toEqual(expect.arrayContaining(["EUR", "GBP", "USD"]));
      },
    },
    "New transactions to an ERP": {
      variables: async () => ({ ERP_URL: `${environment.receivers.url}/erp`, RETRY_SECONDS: "0.05" }),
      during: () => {
        environment.receivers.refusalsLeft = 2;
        payIn("EUR", "12.34", "TO-THE-ERP");
      },
      expectedDebug: { Accepted: { transaction_reference: "TO-THE-ERP" } },
      checkAfterwards: async () => {
        const { receivers } = environment;
        const { body, headers } = await receivers.waitForPost("/erp");
        expect(receivers.refusalsLeft).toBe(0);
        expect(body).toMatchObject({ transaction_reference: "TO-THE-ERP" });
        expect(headers["idempotency-key"]).toContain((body as { transaction_id: string }).transaction_id);
      },
    },
    "Funding due": {
      expectedDebug: { "Funding due": /^Pay in [\d.]+ EUR to \w+.*, reference client-demo\.$/ },
    },
    Drawdown: { expectedDebug: { "Drawn down": { trade_id: anything } } },
    "Order released by a second person": {
      isGuarded: true,
      presses: ["Order"],
      during: () => decideInFlow("EUR 2500.00 into USD", "Release", "released"),
      expectedDebug: { Ordered: { state: "waiting" } },
      checkAfterwards: async () => {
        const { trade_id } = (await nextDebugValue("Booked")) as { trade_id: string };
        const trade = await client.trades.get({ trade_id });
        expect(trade).toMatchObject({ sell_currency: "EUR", sell_amount: 2500, buy_currency: "USD" });
        await environment.pressButton("Order");
        await decideInFlow("EUR 2500.00 into USD", "Refuse", "refused");
      },
    },
    "Bulk payment with four-eyes release": {
      isGuarded: true,
      during: async () => releaseFixture.decide(await readReleaseId("release"), "anna"),
      expectedDebug: { "Sent: authorisation link": /^http/ },
    },
    "Exposure against policy": {
      expectedDebug: { "Outside policy": [{ currency: "GBP", verdict: "hedged too little" }] },
    },
    "Approvals review": {
      expectedDebug: {
        Changed: { rules: [{ any_of: ["1 of A and 1 of B", "2 of A"] }] },
      },
      checkAfterwards: async () => {
        const review: unknown = JSON.parse(await environment.read("approvals-review.json"));
        expect(review).toEqual(partially({ groups: [{ name: "A" }], rules: [{ currency: "EUR" }] }));
        await environment.inject(byType(findExample("Approvals review"), "inject")[0]!);
        expect(await nextDebugValue("Unchanged")).toMatchObject({ enabled: true });
      },
    },
    "Consent renewal": {
      variables: async () => ({ CONSENTS: await createEndingConsent() }),
      during: async () => {
        const [href] = /http\S+/.exec((await nextDebugValue("Please renew")) as string)!;
        await approve(client, { href });
      },
      expectedDebug: { Renewed: { valid: true, new: anything } },
    },
    "Month end": {
      expectedDebug: { "Month end": { complete: true, failed: [] } },
      checkAfterwards: async () => {
        expect(await environment.read("month-end/balances.csv")).toMatch(/,InterimAvailable,EUR,-?\d/);
        expect(await environment.read("month-end/forwards.csv")).toMatch(/,window_forward,/);
        expect(await environment.read("month-end/turnover.csv")).toMatch(/^counterparty,currency,count,/);
        const files = await readdir(join(environment.folder, "month-end"));
        expect(files.filter((name) => /^GBP_.*\.pdf$/.test(name))).toHaveLength(1);
      },
    },
    "Audit export": {
      variables: async () => ({ COMMAND: `"${process.execPath}" "${join(root, "dist/cli/main.js")}"` }),
      expectedDebug: { "Head for the auditor": { heads: anything } },
    },
    "Sandbox rehearsal": {
      expectedDebug: {
        "Booked despite lost response": { payload: { trade_id: anything } },
        "Received payment": { transaction_id: anything },
        "Sandbox time": { now: anything },
      },
    },
    "Dashboard of cash and maturities": {
      checkAfterwards: async () => {
        const read = /^\d{4}-\d\d-\d\d \d\d:\d\d UTC$/;
        const page = await expectPage("cash", "Available", "JPY", "window forward", read);
        await saveScreenshot(page, "Dashboard of cash and maturities");
      },
    },
    "Dashboard of releases": {
      isGuarded: true,
      checkAfterwards: async () => {
        const [first, second] = [await createOrder("1500.00"), await createOrder("250000.00")];
        await expectPage("releases", first.release, "sell 1500.00 EUR, EUR into USD at 0.5 or better");
        await releaseFixture.decide(first.release, "anna", "refuse");
        const page = await expectPage("releases", "refused", second.release, "Decide at");
        await saveScreenshot(page, "Dashboard of releases");
        await releaseFixture.decide(second.release, "anna", "refuse");
      },
    },
    "Dashboard of statements and transactions": {
      checkAfterwards: async () => {
        payIn("EUR", "1234567.89", "TO-BE-SEEN");
        const page = await expectPage("transactions", "1,234,567.89", "Payment of TO-BE-SEEN");
        await page.getByRole("button", { name: "Last month" }).click();
        for (const text of [/^\d+ files, /, /^GBP_\d+_.*\.pdf$/])
          await page.getByText(text).first().waitFor({ timeout: 20_000 });
        await saveScreenshot(page, "Dashboard of statements and transactions");
      },
    },
  };

  return { run, requests };
}
