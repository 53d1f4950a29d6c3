/** What each example needs, what happens while it runs, and what comes out of it. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { FxdeskClient } from "@fxdesk/toolkit";
import { slugOf } from "../../../nodes/generate/pages";
import { revisions, textOf } from "../../mcp/support/clients";
import { eventually } from "../../support/eventually";
import { anOrder } from "../../core/releases/place";
import { approve, makeQuote, sampleInput } from "../../support/samples";
import { root } from "./node-red";
import { addressOf, behind, buttonNamed, byType, flowOf, inItsTab, isWatching } from "./recipes";
import { mcpToken, type Stage, type Variables } from "./stage";

const holding = (part: object) => expect.objectContaining(part) as unknown;
const listWith = (part: object) => expect.arrayContaining([holding(part)]) as unknown;
const words = (pattern: RegExp) => expect.stringMatching(pattern) as unknown;
const anything = expect.anything() as unknown;

/** What the extension adds to the client. */
interface Placing {
  order(input: object): Promise<{ readonly release: string }>;
}

interface Expectation {
  /** Of the variables of the flow. */
  readonly variables?: () => Promise<Variables>;
  /** The buttons that are pressed at once, by their names; all unless told. */
  readonly presses?: readonly string[];
  /** What happens while the flow runs. */
  readonly event?: (variables: Variables) => unknown;
  /** What the Debug nodes show, by their names. */
  readonly shows?: Readonly<Record<string, unknown>>;
  /** What there is beside that. */
  readonly leaves?: () => unknown;
  /** It needs a policy and people who release. */
  readonly isGuarded?: boolean;
}

/** The examples on a stage. */
export class RecipeRuns {
  constructor(readonly stage: Stage) {}

  /** Runs an example, and checks what comes out. */
  async run(title: string): Promise<void> {
    const { stage } = this;
    const flow = flowOf(title);
    const { variables, presses, event, shows = {}, leaves, isGuarded } = this.expectations[title]!;
    const on = isGuarded ? stage.guarded : stage.nodeRed;
    const values = (await variables?.()) ?? {};
    await stage.deploy(flow, values, on);

    for (const listening of byType(flow, "http in")) {
      const response = await this.requests[addressOf(listening)]!();
      expect([listening.url, response.ok]).toEqual([listening.url, true]);
    }
    await stage.succeeded(flow.filter(isWatching), on);
    // What happens meanwhile may be what the nodes behind a button wait for.
    const happened = event?.(values);
    const injects = byType(flow, "inject");
    const pressed = presses ? presses.map((name) => buttonNamed(flow, name)) : injects;
    for (const inject of pressed) {
      await stage.inject(inject, on);
      if (!event) await stage.succeeded(behind(inject, flow), on);
    }
    await happened;
    for (const [name, expected] of Object.entries(shows))
      expect([name, await stage.shown(name)]).toEqual([name, expected]);
    await leaves?.();
    await stage.succeeded(flow, on);
  }

  /** The release ID of what a Debug node tells. */
  async #askedFor(told: string): Promise<string> {
    const text = (await this.stage.shown("To those who release")) as string;
    expect(text).toContain(told);
    return /R-[A-Z0-9]+/.exec(text)![0];
  }

  /** A person decides on what a Debug node tells, with a button of the flow; the store knows who it was. */
  async #decideThere(told: string, button: string, state: string): Promise<void> {
    const { stage } = this;
    const release = await this.#askedFor(told);
    await stage.press(button);
    expect(await stage.shown("Decided")).toEqual(holding({ release, state }));
    const { decisions } = await stage.place.desk.get(release);
    expect(decisions).toEqual([holding({ person: "anna" })]);
  }

  /** A page of the dashboard, once it shows all these texts; nothing sticks out of it, on a narrow screen either. */
  async #sees(path: string, ...texts: readonly (string | RegExp)[]): Promise<Page> {
    const [page, narrow] = [await this.stage.page(path), await this.stage.page(path, 500)];
    for (const each of [narrow, page]) {
      for (const text of texts) await each.getByText(text).first().waitFor({ timeout: 20_000 });
      expect(await each.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    }
    await narrow.close();
    return page;
  }

  /** The documents show it, where they are written. */
  async #picture(page: Page, title: string): Promise<void> {
    if (process.env.FXDESK_WRITE_DOCS && this.stage.placement === inItsTab)
      await page.screenshot({ path: join(root, `docs/recipes/images/${slugOf(title)}.png`), fullPage: true });
  }

  /** An order that waits for a yes. */
  async #order(amount: string): Promise<{ readonly release: string }> {
    const { trades } = this.stage.place.client() as unknown as { readonly trades: Placing };
    return trades.order(anOrder({ amount }));
  }

  /** One that its person has given, for some days. */
  async #consentThatEnds(): Promise<string> {
    const { client } = this.stage;
    const input = await sampleInput("consents.create", client);
    const validUntil = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10);
    const asked = { ...input, validUntil } as Parameters<typeof client.consents.create>[0];
    const { consentId, _links: links } = await client.consents.create(asked);
    await approve(client, links.scaRedirect!);
    return consentId;
  }

  /** A consent that its person has given. */
  async #consent(): Promise<string> {
    const { "Consent-ID": id } = await sampleInput("openBanking.listAccounts", this.stage.client);
    return String(id);
  }

  /** What a person or a program asks of the flows that listen for it, by the method and path they listen on. */
  readonly requests: Readonly<Record<string, () => Promise<Response>>> = {
    "get /cash-position": () => this.stage.nodeRed.request("/cash-position"),
    "get /transactions": () =>
      this.stage.nodeRed.request("/transactions?direction=in&min_amount=1000&period=last+30+days"),
    "get /login": () => this.stage.nodeRed.request("/login"),
    "get /trades": () => this.stage.nodeRed.request("/trades"),
    "post /trades": async () =>
      this.stage.nodeRed.request("/trades", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          quote_id: await makeQuote(this.stage.client),
          reason: "payment_for_goods",
          reference: "INV-2041",
        }),
      }),
    "get /open-banking/:consent": async () =>
      this.stage.nodeRed.request(`/open-banking/${await this.#consent()}`),
  };

  #payIn(currency: string, amount: string, reference: string): void {
    this.stage.sandbox.control.payIn({ currency, amount, reference });
  }

  #moveRate(symbol: string, by: number): void {
    const { rate } = this.stage.sandbox.control.listRates().find((each) => each.symbol === symbol)!;
    this.stage.sandbox.control.moveRate({ symbol, rate: rate * by });
  }

  /** Of the file of new transactions, once it has so many lines. */
  async #referencesWritten(count: number): Promise<string[]> {
    const lines = async () => {
      const text = await this.stage.read("transactions.jsonl").catch(() => "");
      const found = text.split("\n").filter(Boolean);
      return found.length >= count && found;
    };
    const written = await eventually(lines, { withinMs: 10_000, what: `${count} transactions in the file` });
    return written.map(
      (line) => (JSON.parse(line) as { transaction_reference: string }).transaction_reference,
    );
  }

  #bookTrade = async () =>
    this.stage.client.trades.book({
      quote_id: await makeQuote(this.stage.client),
      reason: "payment_for_goods",
      reference: "NEWS",
    });

  /** What people say on the pages of their bank. */
  #decideAll(decision: "approve" | "refuse"): void {
    for (const { authorisation_id } of this.stage.sandbox.control.listAuthorisations())
      this.stage.sandbox.control.decideAuthorisation({ authorisation_id, decision });
  }

  /** As an assistant calls the flow. */
  async #tellTreasurer(): Promise<void> {
    const url = `${this.stage.nodeRed.url}/mcp`;
    const assistant = await eventually(
      () => revisions["2026-07-28"].http(url, { authorization: `Bearer ${mcpToken}` }).catch(() => undefined),
      { withinMs: 10_000, what: "the MCP server" },
    );
    const told = await assistant.callTool({
      name: "tell_treasurer",
      arguments: { message: "Cash is low." },
    });
    expect(textOf(told)).toBe("The treasurer was told.");
    await assistant.close();
  }

  /** What comes out of each example, by its title. */
  readonly expectations: Readonly<Record<string, Expectation>> = {
    "Cash position": { shows: { "Cash position": listWith({ currency: "EUR", type: "InterimAvailable" }) } },
    "Cash position as CSV": {
      shows: { Written: words(/account_id,account_name,type,currency,amount/) },
      leaves: async () =>
        expect(await this.stage.read("cash-position.csv")).toMatch(/InterimAvailable,EUR,-?\d/),
    },
    "Cash in one currency": { shows: { "In euros": [holding({ currency: "EUR" })] } },
    "Low balance": {
      event: async () => {
        await this.stage.shown("Low");
        this.#payIn("GBP", "90000.00", "BACK");
      },
      shows: { Back: holding({ currency: "GBP", type: "InterimAvailable" }) },
    },
    "Find transactions": { shows: { Found: holding({ complete: true, sums: anything }) } },
    "Search transactions over HTTP": {},
    "Spending by supplier": { shows: { Spending: listWith({ count: expect.any(Number) as unknown }) } },
    "Each new transaction once": {
      event: () => this.#payIn("EUR", "12.34", "ONCE-1"),
      leaves: async () => {
        await this.#referencesWritten(1);
        await this.stage.deploy(flowOf("Each new transaction once"));
        this.#payIn("EUR", "12.34", "ONCE-2");
        expect(await this.#referencesWritten(2)).toEqual(["ONCE-1", "ONCE-2"]);
      },
    },
    "Large payment received": {
      event: () => [this.#payIn("EUR", "9999.99", "SMALL"), this.#payIn("EUR", "10000.00", "LARGE")],
      shows: { Received: holding({ transaction_reference: "LARGE" }) },
    },
    "Transactions in full": { shows: { Latest: listWith({ credit_debit_indicator: words(/credit/i) }) } },
    "MT940 of all accounts": {
      shows: {
        Files: holding({ complete: true, files: listWith({ currency: "GBP", path: words(/\.sta$/) }) }),
      },
    },
    "Statement as data": { shows: { Entries: listWith({ amount: anything }) } },
    "Statement step by step": {
      shows: { "The file": holding({ statusCode: 200, contentType: words(/csv/) }) },
    },
    "Statements that are ready": {
      variables: async () => {
        const { account_id } = (await this.stage.client.accounts.list({ currencies: "EUR" }))[0]!;
        const asked = { account_id, format: "csv", from_value_datetime: "2026-01-01T00:00" } as const;
        return { URLS: (await this.stage.client.statements.createFile(asked)).url };
      },
      shows: { "The file": holding({ statusCode: 200, contentType: words(/csv/) }) },
    },
    "Statements by e-mail": {
      shows: { Accounts: anything, MT940: anything, Trades: anything, "Incoming funds": anything },
    },
    "Reconcile with a list": {
      shows: {
        "Matched and open": holding({ open_items: listWith({ reference: "INV-2042" }), complete: true }),
      },
    },
    "Currency exposure": { shows: { Exposure: holding({ positions: anything, complete: true }) } },
    Maturities: { shows: { Maturing: holding({ complete: true, period: anything, forwards: anything }) } },
    "Maturity reminder": {
      shows: { Reminder: words(/^drawdown \S+ matures on [-\d]+: pay in [.\d]+ [A-Z]{3}\.$/) },
    },
    "Margin call": {
      event: async () => {
        this.#moveRate("EURUSD", 1.5);
        await this.stage.shown("To be paid");
        this.#moveRate("EURUSD", 1 / 2.25);
      },
      shows: { Settled: holding({ payload: null, topic: "accounts.watchMargin" }) },
      leaves: () => this.#moveRate("EURUSD", 1.5),
    },
    "Quote and trade": { shows: { Booked: holding({ trade_id: anything }) } },
    "Limit order": {
      shows: {
        Ordered: holding({ release: words(/^R-/) }),
        "How it stands": holding({ state: "released" }),
        "Taken back": holding({ state: "cancelled" }),
      },
    },
    "Trades over HTTP": {},
    "Trade news": {
      event: this.#bookTrade,
      shows: { Trade: holding({ payload: holding({ reference: "NEWS" }), topic: "trades.watch" }) },
    },
    "Pay a supplier": {
      event: async () => {
        const href = await this.stage.shown("Authorise here");
        expect(href).toMatch(/^http/);
        this.#decideAll("refuse");
      },
      shows: { "What became of it": holding({ final: true, payments: listWith({ status: "RJCT" }) }) },
    },
    "Payment step by step": {
      shows: {
        "Authorise here": holding({ _links: anything }),
        "The payment": holding({ creditorName: "Ferme Duval SARL" }),
        Cancelled: holding({ statusCode: 204 }),
      },
    },
    "Bulk payment": {
      shows: { "The payments": holding({ payments: listWith({ creditorName: "Ferme Duval SARL" }) }) },
    },
    "Payment news": {
      variables: async () => {
        const { paymentId } = await sampleInput("payments.get", this.stage.client);
        return { PAYMENTS: `payments/sepa-credit-transfers/${String(paymentId)}` };
      },
      event: async () => {
        await this.stage.shown("Payment");
        this.#decideAll("refuse");
      },
      shows: { Payment: holding({ status: "RJCT" }) },
    },
    "Open an account": {
      event: async () => {
        const pending = await eventually(
          async () =>
            (await this.stage.client.accountDetails.list()).find(
              ({ country, status }) => country === "BE" && status === "pending",
            ),
          { withinMs: 5_000, what: "the request" },
        );
        this.stage.sandbox.control.decideAccountDetails({
          account_details_id: pending.account_details_id,
          decision: "confirm",
        });
      },
      shows: { Account: holding({ status: "confirmed", requested: true }) },
    },
    "Account details": {
      shows: { Directory: listWith({ currency: "EUR", status: "confirmed" }), "Virtual account": anything },
    },
    "Account details that change": {
      event: async () =>
        this.stage.client.accountDetails.updateAlias({
          ...(await sampleInput("accountDetails.makeDefault", this.stage.client)),
          alias: "Renamed",
        } as Parameters<FxdeskClient["accountDetails"]["updateAlias"]>[0]),
      shows: { "Account details": holding({ payload: holding({ alias: "Renamed" }) }) },
    },
    "Accounts and funding": {
      shows: {
        "Funding account": anything,
        "The euro account": holding({ currency: "EUR" }),
        "Its balances": listWith({ type: "RequiredFunds" }),
      },
    },
    "Consent and read": {
      event: async () => {
        const asked = (await this.stage.shown("Link, accounts, errors")) as { payload: { link: string } };
        await approve(this.stage.client, { href: asked.payload.link });
      },
      shows: {
        "Link, accounts, errors": holding({
          payload: holding({ accounts: listWith({ balances: anything }) }),
        }),
      },
    },
    "Consent step by step": {
      shows: { "Agree here": anything, "What became of it": holding({ consentStatus: "received" }) },
    },
    "Open-banking position": {},
    "Consents that end": {
      variables: async () => ({ CONSENTS: await this.#consent() }),
      event: ({ CONSENTS }) => this.stage.client.consents.delete({ "consent-id": CONSENTS! }),
      shows: { Consent: holding({ status: "terminatedByTpp" }) },
    },
    Approvals: {
      shows: { "Groups and rules": holding({ groups: anything }), Settings: holding({ enabled: anything }) },
    },
    "Login page": {},
    "Check the service": { shows: { Differences: holding({ conforms: true }) } },
    "Any watch by its name": {
      event: this.#bookTrade,
      shows: { Change: holding({ topic: "trades.watch", payload: anything }) },
    },
    "Tell the treasurer": {
      event: () => this.#tellTreasurer(),
      shows: { "To the treasurer": { message: "Cash is low." } },
    },
    "Cash position to mail and chat": {
      variables: async () => ({
        MAIL_SERVER: "127.0.0.1",
        MAIL_PORT: this.stage.receivers.mailPort,
        CHAT_URL: `${this.stage.receivers.url}/chat`,
      }),
      shows: { "Sent to the chat": 200 },
      leaves: async () => {
        const { receivers } = this.stage;
        const mail = await receivers.mailed("Subject: Cash position");
        expect(mail).toMatch(/^EUR -?[\d.]+$/m);
        expect((await receivers.posted("/chat")).body).toEqual({ text: words(/\nGBP -?[\d.]+\n/) });
      },
    },
    "Accounting import": {
      shows: { Written: words(/^account,currency,booking_date,/) },
      leaves: async () => {
        const lines = (await this.stage.read("accounting-import.csv")).trim().split(/\r?\n/);
        const row = /^\w+,[A-Z]{3},\d{4}-\d\d-\d\d,\d{4}-\d\d-\d\d,-?\d+(\.\d+)?,\w{4},/;
        expect(lines.slice(1).filter((line) => !row.test(line))).toEqual([]);
        const currencies = new Set(lines.slice(1).map((line) => line.split(",")[1]));
        expect([...currencies]).toEqual(expect.arrayContaining(["EUR", "GBP", "USD"]));
      },
    },
    "New transactions to an ERP": {
      variables: async () => ({ ERP_URL: `${this.stage.receivers.url}/erp`, RETRY_SECONDS: "0.05" }),
      event: () => {
        this.stage.receivers.refuses = 2;
        this.#payIn("EUR", "12.34", "TO-THE-ERP");
      },
      shows: { Taken: holding({ transaction_reference: "TO-THE-ERP" }) },
      leaves: async () => {
        const { receivers } = this.stage;
        const { body, headers } = await receivers.posted("/erp");
        expect(receivers.refuses).toBe(0);
        expect(body).toEqual(holding({ transaction_reference: "TO-THE-ERP" }));
        expect(headers["idempotency-key"]).toContain((body as { transaction_id: string }).transaction_id);
      },
    },
    "Funding due": {
      shows: { "Funding due": words(/^Pay in [\d.]+ EUR to \w+.*, reference client-demo\.$/) },
    },
    Drawdown: { shows: { Drawn: holding({ trade_id: anything }) } },
    "Order released by a second person": {
      isGuarded: true,
      presses: ["Order"],
      event: () => this.#decideThere("EUR 2500.00 into USD", "Release", "released"),
      shows: { Ordered: holding({ state: "waiting" }) },
      leaves: async () => {
        const { trade_id } = (await this.stage.shown("Booked")) as { trade_id: string };
        const trade = await this.stage.client.trades.get({ trade_id });
        expect(trade).toEqual(holding({ sell_currency: "EUR", sell_amount: 2500, buy_currency: "USD" }));
        await this.stage.press("Order");
        await this.#decideThere("EUR 2500.00 into USD", "Refuse", "refused");
      },
    },
    "Payment batch with a second pair of eyes": {
      isGuarded: true,
      event: async () => this.stage.place.say(await this.#askedFor("release"), "anna"),
      shows: { "Sent: authorise here": words(/^http/) },
    },
    "Exposure against policy": {
      shows: { "Outside the policy": listWith({ currency: "GBP", verdict: "hedged too little" }) },
    },
    "Approvals review": {
      shows: {
        "Changed: look at it": holding({ rules: listWith({ any_of: ["1 of A and 1 of B", "2 of A"] }) }),
      },
      leaves: async () => {
        expect(JSON.parse(await this.stage.read("approvals-review.json"))).toEqual(
          holding({ groups: listWith({ name: "A" }), rules: listWith({ currency: "EUR" }) }),
        );
        await this.stage.inject(byType(flowOf("Approvals review"), "inject")[0]!);
        expect(await this.stage.shown("As it was")).toEqual(holding({ enabled: true }));
      },
    },
    "Consent renewal": {
      variables: async () => ({ CONSENTS: await this.#consentThatEnds() }),
      event: async () => {
        const [href] = /http\S+/.exec((await this.stage.shown("Please renew")) as string)!;
        await approve(this.stage.client, { href });
      },
      shows: { Renewed: holding({ valid: true, new: anything }) },
    },
    "Month end": {
      shows: { "Month end": holding({ complete: true, failed: [] }) },
      leaves: async () => {
        expect(await this.stage.read("month-end/balances.csv")).toMatch(/,InterimAvailable,EUR,-?\d/);
        expect(await this.stage.read("month-end/forwards.csv")).toMatch(/,window_forward,/);
        expect(await this.stage.read("month-end/turnover.csv")).toMatch(/^counterparty,currency,count,/);
        const files = await readdir(join(this.stage.folder, "month-end"));
        expect(files.filter((name) => /^GBP_.*\.pdf$/.test(name))).toHaveLength(1);
      },
    },
    "Audit export": {
      variables: async () => ({ COMMAND: `"${process.execPath}" "${join(root, "dist/cli/main.js")}"` }),
      shows: { "Head for the auditor": holding({ head: anything }) },
    },
    "Sandbox rehearsal": {
      shows: {
        "Booked all the same": holding({ payload: holding({ trade_id: anything }) }),
        "Came in": holding({ transaction_id: anything }),
        "The time there": holding({ now: anything }),
      },
    },
    "Dashboard of cash and maturities": {
      leaves: async () => {
        const read = /^\d{4}-\d\d-\d\d \d\d:\d\d UTC$/;
        const page = await this.#sees("cash", "Available", "JPY", "window forward", read);
        await this.#picture(page, "Dashboard of cash and maturities");
      },
    },
    "Dashboard of releases": {
      isGuarded: true,
      leaves: async () => {
        const [first, second] = [await this.#order("1500.00"), await this.#order("250000.00")];
        await this.#sees("releases", first.release, "sell 1500.00 EUR, EUR into USD at 0.5 or better");
        await this.stage.place.say(first.release, "anna", "refuse");
        const page = await this.#sees("releases", "refused", second.release, "Decide at");
        await this.#picture(page, "Dashboard of releases");
        await this.stage.place.say(second.release, "anna", "refuse");
      },
    },
    "Dashboard of statements and transactions": {
      leaves: async () => {
        this.#payIn("EUR", "1234567.89", "TO-BE-SEEN");
        const page = await this.#sees("transactions", "1,234,567.89", "Payment of TO-BE-SEEN");
        await page.getByRole("button", { name: "Last month" }).click();
        for (const text of [/^\d+ files, /, /^GBP_\d+_.*\.pdf$/])
          await page.getByText(text).first().waitFor({ timeout: 20_000 });
        await this.#picture(page, "Dashboard of statements and transactions");
      },
    },
  };
}
