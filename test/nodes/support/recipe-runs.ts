/** Requirements, events and expected results of each example. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { FxdeskClient } from "@fxdesk/toolkit";
import { slugOf } from "../../../nodes/generate/document-files";
import { revisions, textOf } from "../../mcp/support/clients";
import { eventually } from "../../support/eventually";
import { sampleOrder } from "../../core/releases/release-fixture";
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

const containing = (part: object) => expect.objectContaining(part) as unknown;
const listWith = (part: object) => expect.arrayContaining([containing(part)]) as unknown;
const textMatching = (pattern: RegExp) => expect.stringMatching(pattern) as unknown;
const anything = expect.anything() as unknown;

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

/** The examples on a stage. */
export class RecipeRuns {
  constructor(readonly environment: ExampleEnvironment) {}

  /** Runs an example, and checks what comes out. */
  async run(title: string): Promise<void> {
    const { environment } = this;
    const flow = findExample(title);
    const {
      variables,
      presses,
      during,
      expectedDebug = {},
      checkAfterwards,
      isGuarded,
    } = this.expectations[title]!;
    const on = isGuarded ? environment.guardedNodeRed : environment.nodeRed;
    const values = (await variables?.()) ?? {};
    await environment.deploy(flow, values, on);

    for (const listening of byType(flow, "http in")) {
      const response = await this.requests[httpAddressOf(listening)]!();
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
      expect([name, await environment.nextDebugValue(name)]).toEqual([name, expected]);
    await checkAfterwards?.();
    await environment.expectSucceeded(flow, on);
  }

  /** The release ID of what a Debug node tells. */
  async #readReleaseId(expectedText: string): Promise<string> {
    const text = (await this.environment.nextDebugValue("Notify people who release")) as string;
    expect(text).toContain(expectedText);
    return /R-[A-Z0-9]+/.exec(text)![0];
  }

  /** A person decides on what a Debug node tells, with a button of the flow; the store knows who it was. */
  async #decideInFlow(expectedText: string, button: string, state: string): Promise<void> {
    const { environment } = this;
    const release = await this.#readReleaseId(expectedText);
    await environment.pressButton(button);
    expect(await environment.nextDebugValue("Decided")).toEqual(containing({ release, state }));
    const { decisions } = await environment.releaseFixture.service.get(release);
    expect(decisions).toEqual([containing({ person: "anna" })]);
  }

  /** A page of the dashboard, once it shows all these texts; nothing sticks out of it, on a narrow screen either. */
  async #expectPage(path: string, ...texts: readonly (string | RegExp)[]): Promise<Page> {
    const [page, narrow] = [await this.environment.page(path), await this.environment.page(path, 500)];
    for (const each of [narrow, page]) {
      for (const text of texts) await each.getByText(text).first().waitFor({ timeout: 20_000 });
      expect(await each.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    }
    await narrow.close();
    return page;
  }

  /** The documents show it, where they are written. */
  async #saveScreenshot(page: Page, title: string): Promise<void> {
    if (process.env.FXDESK_WRITE_DOCS && this.environment.placement === ownTabPlacement)
      await page.screenshot({ path: join(root, `docs/recipes/images/${slugOf(title)}.png`), fullPage: true });
  }

  /** An order that waits for a yes. */
  async #createOrder(amount: string): Promise<{ readonly release: string }> {
    const { trades } = this.environment.releaseFixture.client() as unknown as {
      readonly trades: OrderMethods;
    };
    return trades.order(sampleOrder({ amount }));
  }

  /** One that its person has given, for some days. */
  async #createEndingConsent(): Promise<string> {
    const { client } = this.environment;
    const input = await sampleInput("consents.create", client);
    const validUntil = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10);
    const asked = { ...input, validUntil } as Parameters<typeof client.consents.create>[0];
    const { consentId, _links: links } = await client.consents.create(asked);
    await approve(client, links.scaRedirect!);
    return consentId;
  }

  /** A consent that its person has given. */
  async #createConsent(): Promise<string> {
    const { "Consent-ID": id } = await sampleInput("openBanking.listAccounts", this.environment.client);
    return String(id);
  }

  /** HTTP requests to listening flows, by method and path. */
  readonly requests: Readonly<Record<string, () => Promise<Response>>> = {
    "get /cash-position": () => this.environment.nodeRed.request("/cash-position"),
    "get /transactions": () =>
      this.environment.nodeRed.request("/transactions?direction=in&min_amount=1000&period=last+30+days"),
    "get /login": () => this.environment.nodeRed.request("/login"),
    "get /trades": () => this.environment.nodeRed.request("/trades"),
    "post /trades": async () =>
      this.environment.nodeRed.request("/trades", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          quote_id: await makeQuote(this.environment.client),
          reason: "payment_for_goods",
          reference: "INV-2041",
        }),
      }),
    "get /open-banking/:consent": async () =>
      this.environment.nodeRed.request(`/open-banking/${await this.#createConsent()}`),
  };

  #payIn(currency: string, amount: string, reference: string): void {
    this.environment.sandbox.control.payIn({ currency, amount, reference });
  }

  #moveRate(symbol: string, by: number): void {
    const { rate } = this.environment.sandbox.control.listRates().find((each) => each.symbol === symbol)!;
    this.environment.sandbox.control.moveRate({ symbol, rate: rate * by });
  }

  /** Waits until the file of new transactions has the given number of lines. */
  async #waitForReferences(count: number): Promise<string[]> {
    const lines = async () => {
      const text = await this.environment.read("transactions.jsonl").catch(() => "");
      const found = text.split("\n").filter(Boolean);
      return found.length >= count && found;
    };
    const written = await eventually(lines, { withinMs: 10_000, what: `${count} transactions in the file` });
    return written.map(
      (line) => (JSON.parse(line) as { transaction_reference: string }).transaction_reference,
    );
  }

  #bookTrade = async () =>
    this.environment.client.trades.book({
      quote_id: await makeQuote(this.environment.client),
      reason: "payment_for_goods",
      reference: "NEWS",
    });

  /** Decisions of people on the bank's pages. */
  #decideAll(decision: "approve" | "refuse"): void {
    for (const { authorisation_id } of this.environment.sandbox.control.listAuthorisations())
      this.environment.sandbox.control.decideAuthorisation({ authorisation_id, decision });
  }

  /** Calls the flow as an assistant. */
  async #callTreasurerTool(): Promise<void> {
    const url = `${this.environment.nodeRed.url}/mcp`;
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
  readonly expectations: Readonly<Record<string, Expectation>> = {
    "Cash position": {
      expectedDebug: { "Cash position": listWith({ currency: "EUR", type: "InterimAvailable" }) },
    },
    "Cash position as CSV": {
      expectedDebug: { Written: textMatching(/account_id,account_name,type,currency,amount/) },
      checkAfterwards: async () =>
        expect(await this.environment.read("cash-position.csv")).toMatch(/InterimAvailable,EUR,-?\d/),
    },
    "Cash in one currency": { expectedDebug: { "In euros": [containing({ currency: "EUR" })] } },
    "Low balance": {
      during: async () => {
        await this.environment.nextDebugValue("Low");
        this.#payIn("GBP", "900000.00", "BACK");
      },
      expectedDebug: { Recovered: containing({ currency: "GBP", type: "InterimAvailable" }) },
    },
    "Find transactions": { expectedDebug: { Found: containing({ complete: true, sums: anything }) } },
    "Search transactions over HTTP": {},
    "Spending by supplier": {
      expectedDebug: { Spending: listWith({ count: expect.any(Number) as unknown }) },
    },
    "Each new transaction once": {
      during: () => this.#payIn("EUR", "12.34", "ONCE-1"),
      checkAfterwards: async () => {
        await this.#waitForReferences(1);
        await this.environment.deploy(findExample("Each new transaction once"));
        this.#payIn("EUR", "12.34", "ONCE-2");
        expect(await this.#waitForReferences(2)).toEqual(["ONCE-1", "ONCE-2"]);
      },
    },
    "Large payment received": {
      during: () => [this.#payIn("EUR", "9999.99", "SMALL"), this.#payIn("EUR", "10000.00", "LARGE")],
      expectedDebug: { Received: containing({ transaction_reference: "LARGE" }) },
    },
    "Transactions in full": {
      expectedDebug: { Latest: listWith({ credit_debit_indicator: textMatching(/credit/i) }) },
    },
    "MT940 of all accounts": {
      expectedDebug: {
        Files: containing({
          complete: true,
          files: listWith({ currency: "GBP", path: textMatching(/\.sta$/) }),
        }),
      },
    },
    "Statement as data": { expectedDebug: { Entries: listWith({ amount: anything }) } },
    "Statement step by step": {
      expectedDebug: { File: containing({ statusCode: 200, contentType: textMatching(/csv/) }) },
    },
    "Statements that are ready": {
      variables: async () => {
        const { account_id } = (await this.environment.client.accounts.list({ currencies: "EUR" }))[0]!;
        const asked = { account_id, format: "csv", from_value_datetime: "2026-01-01T00:00" } as const;
        return { URLS: (await this.environment.client.statements.createFile(asked)).url };
      },
      expectedDebug: { File: containing({ statusCode: 200, contentType: textMatching(/csv/) }) },
    },
    "Statements by e-mail": {
      expectedDebug: { Accounts: anything, MT940: anything, Trades: anything, "Incoming funds": anything },
    },
    "Reconcile with a list": {
      expectedDebug: {
        "Matched and open": containing({ open_items: listWith({ reference: "INV-2042" }), complete: true }),
      },
    },
    "Currency exposure": { expectedDebug: { Exposure: containing({ positions: anything, complete: true }) } },
    Maturities: {
      expectedDebug: { Maturing: containing({ complete: true, period: anything, forwards: anything }) },
    },
    "Maturity reminder": {
      expectedDebug: { Reminder: textMatching(/^drawdown \S+ matures on [-\d]+: pay in [.\d]+ [A-Z]{3}\.$/) },
    },
    "Margin call": {
      during: async () => {
        this.#moveRate("EURUSD", 1.5);
        await this.environment.nextDebugValue("To be paid");
        this.#moveRate("EURUSD", 1 / 2.25);
      },
      expectedDebug: { Settled: containing({ payload: null, topic: "accounts.watchMargin" }) },
      checkAfterwards: () => this.#moveRate("EURUSD", 1.5),
    },
    "Quote and trade": { expectedDebug: { Booked: containing({ trade_id: anything }) } },
    "Limit order": {
      expectedDebug: {
        Ordered: containing({ release: textMatching(/^R-/) }),
        Status: containing({ state: "released" }),
        Cancelled: containing({ state: "cancelled" }),
      },
    },
    "Trades over HTTP": {},
    "Trade news": {
      during: this.#bookTrade,
      expectedDebug: {
        Trade: containing({ payload: containing({ reference: "NEWS" }), topic: "trades.watch" }),
      },
    },
    "Pay a supplier": {
      during: async () => {
        const href = await this.environment.nextDebugValue("Authorisation link");
        expect(href).toMatch(/^http/);
        this.#decideAll("refuse");
      },
      expectedDebug: {
        Outcome: containing({ final: true, payments: listWith({ status: "RJCT" }) }),
      },
    },
    "Payment step by step": {
      expectedDebug: {
        "Authorisation link": containing({ _links: anything }),
        Payment: containing({ creditorName: "Ferme Duval SARL" }),
        Cancelled: containing({ statusCode: 204 }),
      },
    },
    "Bulk payment": {
      expectedDebug: {
        Payments: containing({ payments: listWith({ creditorName: "Ferme Duval SARL" }) }),
      },
    },
    "Payment news": {
      variables: async () => {
        const { paymentId } = await sampleInput("payments.get", this.environment.client);
        return { PAYMENTS: `payments/sepa-credit-transfers/${String(paymentId)}` };
      },
      during: async () => {
        await this.environment.nextDebugValue("Payment");
        this.#decideAll("refuse");
      },
      expectedDebug: { Payment: containing({ status: "RJCT" }) },
    },
    "Open an account": {
      during: async () => {
        const pending = await eventually(
          async () =>
            (await this.environment.client.accountDetails.list()).find(
              ({ country, status }) => country === "BE" && status === "pending",
            ),
          { withinMs: 5_000, what: "the request" },
        );
        this.environment.sandbox.control.decideAccountDetails({
          account_details_id: pending.account_details_id,
          decision: "confirm",
        });
      },
      expectedDebug: { Account: containing({ status: "confirmed", requested: true }) },
    },
    "Account details": {
      expectedDebug: {
        Directory: listWith({ currency: "EUR", status: "confirmed" }),
        "Virtual account": anything,
      },
    },
    "Account details that change": {
      during: async () =>
        this.environment.client.accountDetails.updateAlias({
          ...(await sampleInput("accountDetails.makeDefault", this.environment.client)),
          alias: "Renamed",
        } as Parameters<FxdeskClient["accountDetails"]["updateAlias"]>[0]),
      expectedDebug: { "Account details": containing({ payload: containing({ alias: "Renamed" }) }) },
    },
    "Accounts and funding": {
      expectedDebug: {
        "Funding account": anything,
        "Euro account": containing({ currency: "EUR" }),
        "Account balances": listWith({ type: "RequiredFunds" }),
      },
    },
    "Consent and read": {
      during: async () => {
        const asked = (await this.environment.nextDebugValue("Link, accounts, errors")) as {
          payload: { link: string };
        };
        await approve(this.environment.client, { href: asked.payload.link });
      },
      expectedDebug: {
        "Link, accounts, errors": containing({
          payload: containing({ accounts: listWith({ balances: anything }) }),
        }),
      },
    },
    "Consent step by step": {
      expectedDebug: {
        "Consent link": anything,
        Outcome: containing({ consentStatus: "received" }),
      },
    },
    "Open-banking position": {},
    "Consents that end": {
      variables: async () => ({ CONSENTS: await this.#createConsent() }),
      during: ({ CONSENTS }) => this.environment.client.consents.delete({ "consent-id": CONSENTS! }),
      expectedDebug: { Consent: containing({ status: "terminatedByTpp" }) },
    },
    Approvals: {
      expectedDebug: {
        "Groups and rules": containing({ groups: anything }),
        Settings: containing({ enabled: anything }),
      },
    },
    "Login page": {},
    "Check the service": { expectedDebug: { Differences: containing({ conforms: true }) } },
    "Any watch by its name": {
      during: this.#bookTrade,
      expectedDebug: { Change: containing({ topic: "trades.watch", payload: anything }) },
    },
    "Tell the treasurer": {
      during: () => this.#callTreasurerTool(),
      expectedDebug: { "To the treasurer": { message: "Cash is low." } },
    },
    "Cash position to mail and chat": {
      variables: async () => ({
        MAIL_SERVER: "127.0.0.1",
        MAIL_PORT: this.environment.receivers.mailPort,
        CHAT_URL: `${this.environment.receivers.url}/chat`,
      }),
      expectedDebug: { "Sent to the chat": 200 },
      checkAfterwards: async () => {
        const { receivers } = this.environment;
        const mail = await receivers.waitForMail("Subject: Cash position");
        expect(mail).toMatch(/^EUR -?[\d.]+$/m);
        expect((await receivers.waitForPost("/chat")).body).toEqual({
          text: textMatching(/\nGBP -?[\d.]+\n/),
        });
      },
    },
    "Accounting import": {
      expectedDebug: { Written: textMatching(/^account,currency,booking_date,/) },
      checkAfterwards: async () => {
        const lines = (await this.environment.read("accounting-import.csv")).trim().split(/\r?\n/);
        const row = /^\w+,[A-Z]{3},\d{4}-\d\d-\d\d,\d{4}-\d\d-\d\d,-?\d+(\.\d+)?,\w{4},/;
        expect(lines.slice(1).filter((line) => !row.test(line))).toEqual([]);
        const currencies = new Set(lines.slice(1).map((line) => line.split(",")[1]));
        expect([...currencies]).toEqual(expect.arrayContaining(["EUR", "GBP", "USD"]));
      },
    },
    "New transactions to an ERP": {
      variables: async () => ({ ERP_URL: `${this.environment.receivers.url}/erp`, RETRY_SECONDS: "0.05" }),
      during: () => {
        this.environment.receivers.refusalsLeft = 2;
        this.#payIn("EUR", "12.34", "TO-THE-ERP");
      },
      expectedDebug: { Accepted: containing({ transaction_reference: "TO-THE-ERP" }) },
      checkAfterwards: async () => {
        const { receivers } = this.environment;
        const { body, headers } = await receivers.waitForPost("/erp");
        expect(receivers.refusalsLeft).toBe(0);
        expect(body).toEqual(containing({ transaction_reference: "TO-THE-ERP" }));
        expect(headers["idempotency-key"]).toContain((body as { transaction_id: string }).transaction_id);
      },
    },
    "Funding due": {
      expectedDebug: { "Funding due": textMatching(/^Pay in [\d.]+ EUR to \w+.*, reference client-demo\.$/) },
    },
    Drawdown: { expectedDebug: { "Drawn down": containing({ trade_id: anything }) } },
    "Order released by a second person": {
      isGuarded: true,
      presses: ["Order"],
      during: () => this.#decideInFlow("EUR 2500.00 into USD", "Release", "released"),
      expectedDebug: { Ordered: containing({ state: "waiting" }) },
      checkAfterwards: async () => {
        const { trade_id } = (await this.environment.nextDebugValue("Booked")) as { trade_id: string };
        const trade = await this.environment.client.trades.get({ trade_id });
        expect(trade).toEqual(containing({ sell_currency: "EUR", sell_amount: 2500, buy_currency: "USD" }));
        await this.environment.pressButton("Order");
        await this.#decideInFlow("EUR 2500.00 into USD", "Refuse", "refused");
      },
    },
    "Payment batch with a second pair of eyes": {
      isGuarded: true,
      during: async () =>
        this.environment.releaseFixture.decide(await this.#readReleaseId("release"), "anna"),
      expectedDebug: { "Sent: authorisation link": textMatching(/^http/) },
    },
    "Exposure against policy": {
      expectedDebug: { "Outside policy": listWith({ currency: "GBP", verdict: "hedged too little" }) },
    },
    "Approvals review": {
      expectedDebug: {
        Changed: containing({ rules: listWith({ any_of: ["1 of A and 1 of B", "2 of A"] }) }),
      },
      checkAfterwards: async () => {
        expect(JSON.parse(await this.environment.read("approvals-review.json"))).toEqual(
          containing({ groups: listWith({ name: "A" }), rules: listWith({ currency: "EUR" }) }),
        );
        await this.environment.inject(byType(findExample("Approvals review"), "inject")[0]!);
        expect(await this.environment.nextDebugValue("Unchanged")).toEqual(containing({ enabled: true }));
      },
    },
    "Consent renewal": {
      variables: async () => ({ CONSENTS: await this.#createEndingConsent() }),
      during: async () => {
        const [href] = /http\S+/.exec((await this.environment.nextDebugValue("Please renew")) as string)!;
        await approve(this.environment.client, { href });
      },
      expectedDebug: { Renewed: containing({ valid: true, new: anything }) },
    },
    "Month end": {
      expectedDebug: { "Month end": containing({ complete: true, failed: [] }) },
      checkAfterwards: async () => {
        expect(await this.environment.read("month-end/balances.csv")).toMatch(/,InterimAvailable,EUR,-?\d/);
        expect(await this.environment.read("month-end/forwards.csv")).toMatch(/,window_forward,/);
        expect(await this.environment.read("month-end/turnover.csv")).toMatch(
          /^counterparty,currency,count,/,
        );
        const files = await readdir(join(this.environment.folder, "month-end"));
        expect(files.filter((name) => /^GBP_.*\.pdf$/.test(name))).toHaveLength(1);
      },
    },
    "Audit export": {
      variables: async () => ({ COMMAND: `"${process.execPath}" "${join(root, "dist/cli/main.js")}"` }),
      expectedDebug: { "Head for the auditor": containing({ head: anything }) },
    },
    "Sandbox rehearsal": {
      expectedDebug: {
        "Booked despite lost response": containing({ payload: containing({ trade_id: anything }) }),
        "Received payment": containing({ transaction_id: anything }),
        "Sandbox time": containing({ now: anything }),
      },
    },
    "Dashboard of cash and maturities": {
      checkAfterwards: async () => {
        const read = /^\d{4}-\d\d-\d\d \d\d:\d\d UTC$/;
        const page = await this.#expectPage("cash", "Available", "JPY", "window forward", read);
        await this.#saveScreenshot(page, "Dashboard of cash and maturities");
      },
    },
    "Dashboard of releases": {
      isGuarded: true,
      checkAfterwards: async () => {
        const [first, second] = [await this.#createOrder("1500.00"), await this.#createOrder("250000.00")];
        await this.#expectPage("releases", first.release, "sell 1500.00 EUR, EUR into USD at 0.5 or better");
        await this.environment.releaseFixture.decide(first.release, "anna", "refuse");
        const page = await this.#expectPage("releases", "refused", second.release, "Decide at");
        await this.#saveScreenshot(page, "Dashboard of releases");
        await this.environment.releaseFixture.decide(second.release, "anna", "refuse");
      },
    },
    "Dashboard of statements and transactions": {
      checkAfterwards: async () => {
        this.#payIn("EUR", "1234567.89", "TO-BE-SEEN");
        const page = await this.#expectPage("transactions", "1,234,567.89", "Payment of TO-BE-SEEN");
        await page.getByRole("button", { name: "Last month" }).click();
        for (const text of [/^\d+ files, /, /^GBP_\d+_.*\.pdf$/])
          await page.getByText(text).first().waitFor({ timeout: 20_000 });
        await this.#saveScreenshot(page, "Dashboard of statements and transactions");
      },
    },
  };
}
