/** Cards in a browser, with a host that passes results on: amounts are shown, hostile texts stay texts, and nothing is fetched. */
import { join } from "node:path";
import type { Browser, Frame, Page } from "playwright-core";
import { readCard } from "../../mcp/cards";
import type { JsonObject } from "../../mcp/render/content";
import { launchBrowser } from "../nodes/support/browser";
import { eventually } from "../support/eventually";
import { closeLater } from "../support/resources";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: JsonObject;
}

interface Host {
  readonly page: Page;
  readonly card: Frame;
  /** Requests for anything outside the page. */
  readonly fetched: readonly string[];
  readonly messages: () => Promise<readonly Message[]>;
  readonly send: (message: JsonObject) => Promise<void>;
}

/** A host with the policy that the specification requires, which would allow inline scripts. */
const hostPage = (html: string, context: JsonObject) => `<!doctype html>
<iframe sandbox="allow-scripts" style="width: 100%; height: 900px; border: 0"></iframe>
<script>
const frame = document.querySelector("iframe");
const messages = [];
const send = (message) => frame.contentWindow.postMessage({ jsonrpc: "2.0", ...message }, "*");
addEventListener("message", ({ data }) => {
  messages.push(data);
  if (data.method === "ui/initialize")
    send({ id: data.id, result: { protocolVersion: "2026-01-26", hostCapabilities: { serverTools: {}, openLinks: {} },
      hostInfo: { name: "test", version: "1" }, hostContext: ${JSON.stringify(context)} } });
});
frame.srcdoc = ${JSON.stringify(html).replaceAll("</", "<\\/")};
</script>`;

async function openCard(
  name: "position" | "order",
  structuredContent: JsonObject,
  { theme = "light", width = 720 } = {},
): Promise<Host> {
  const page = closeLater(await browser.newPage({ viewport: { width, height: 920 } }));
  const fetched: string[] = [];
  await page.route("**", (route) => {
    fetched.push(route.request().url());
    return route.abort();
  });
  const target = { environment: "production", client: "C-1", host: "api.example.com" };
  const { contents } = readCard(`ui://fxdesk/${name}`, target) as { contents: [{ text: string }] };
  await page.setContent(hostPage(contents[0].text, { theme }));
  const messages = () => page.evaluate("messages") as Promise<Message[]>;
  const send = (message: JsonObject) => page.evaluate(`send(${JSON.stringify(message)})`) as Promise<void>;
  await page.waitForFunction(`messages.some(({ method }) => method === "ui/notifications/initialized")`);
  await send({ method: "ui/notifications/tool-input", params: { arguments: {} } });
  await send({
    method: "ui/notifications/tool-result",
    params: { content: [{ type: "text", text: "…" }], structuredContent },
  });
  const [, card] = page.frames();
  await card!.waitForSelector("h1");
  return { page, card: card!, fetched, messages, send };
}

const hostileText = `<img src=x onerror="parent.postMessage({jsonrpc:'2.0',method:'ran'},'*')"><script>parent.postMessage({jsonrpc:"2.0",method:"ran"},"*")</script>`;

const currencies = ["EUR", "GBP", "USD", "JPY"];

/** The position of a company with a number of accounts. */
function positionOf(count: number, name = "Meridian Tools GmbH"): JsonObject {
  const accounts = Array.from({ length: count }, (_, index) => ({
    account_id: `account-${index + 1}`,
    account_name: `${name} ${index + 1}`,
    currency: currencies[index % currencies.length]!,
  }));
  const amountOf = (index: number, currency: string) =>
    currency === "JPY" ? `${index + 1}000000` : `${index + 1}234567.${String(index % 100).padStart(2, "0")}`;
  return {
    at: "2026-11-29T09:00:00.000Z",
    totals: [...new Set(accounts.map(({ currency }) => currency))].flatMap((currency) => [
      {
        type: "InterimAvailable",
        currency,
        amount: currency === "JPY" ? "90071992547409931" : "-1234567.80",
      },
      { type: "RequiredFunds", currency, amount: "2500.5" },
      { type: "MarginCall", currency, amount: "0.00" },
    ]),
    unread: [],
    complete: true,
    balances: accounts.flatMap((account, index) => [
      { ...account, type: "InterimAvailable", amount: amountOf(index, account.currency) },
      { ...account, type: "RequiredFunds", amount: "0" },
    ]),
  };
}

const orderOf = (changes: JsonObject = {}): JsonObject => ({
  release: "R-7K3M9QW2X5ABC",
  state: "waiting",
  description: "The request awaits release by a person. Nothing was sent.",
  operation: "trades.order",
  environment: "production https://api.example.com",
  client: "C-1",
  requested_by: "anna",
  requested_at: "2026-11-29T09:00:00.000Z",
  valid_until: "2026-11-29T16:30:00.000Z",
  summary: "spot: at least 1.09 USD for one EUR (rate when requested: 1.0931)",
  terms: {
    trade_type: "spot",
    buy_currency: "USD",
    sell_currency: "EUR",
    fixed_side: "sell",
    amount: "250000.00",
    worst_rate: "1.09",
    rate_symbol: "EURUSD",
    rate_seen: "1.0931",
  },
  seal: "4b02b74a",
  ...changes,
});

/** A payment run that waits for release. */
const paymentsOf = (count: number): JsonObject =>
  orderOf({
    operation: "payments.initiateBulk",
    summary: `${count} payments`,
    terms: {
      method: "POST",
      values: {
        requestedExecutionDate: "2026-11-30",
        payments: Array.from({ length: count }, (_, index) => ({
          creditorName: `Supplier ${index + 1}`,
          creditorAccount: { iban: "DE89370400440532013000" },
          instructedAmount: { amount: `${(index + 1) * 1_111}.5`, currency: "EUR" },
          remittanceInformationUnstructured: `Invoice ${index + 1}`,
        })),
      },
    },
  });

const textOf = (card: Frame) => card.locator("body").innerText();

test("a position shows amounts digit by digit, grouped and aligned, and the connection", async () => {
  const { card, messages } = await openCard("position", positionOf(5));
  const text = await textOf(card);
  expect(text).toContain("production, client C-1, at api.example.com");
  expect(await card.locator(".amount").allTextContents()).toEqual(
    expect.arrayContaining([
      "-1,234,567.80",
      "90,071,992,547,409,931",
      "2,500.5",
      "5,234,567.04",
      "4,000,000",
    ]),
  );
  expect(text).toContain("All zero: Margin call.");
  /** The places of decimal points in the first table, which end the whole part. */
  const places = await card
    .locator(".table")
    .first()
    .locator("td.amount:nth-child(2) span")
    .evaluateAll((parts) => parts.map((part) => Math.round(part.getBoundingClientRect().left)));
  expect(new Set(places).size).toBe(1);
  const sizes = (await messages()).filter(({ method }) => method === "ui/notifications/size-changed");
  expect(sizes.at(-1)?.params).toMatchObject({ height: expect.any(Number) });
});

test("says first what is missing", async () => {
  const unread = [{ account_id: "account-9", currency: "CHF", reason: "The service does not answer." }];
  const { card } = await openCard("position", { ...positionOf(1), complete: false, unread, part: "1 of 9." });
  expect(await card.locator(".warning").allTextContents()).toEqual([
    expect.stringContaining("Incomplete"),
    expect.stringContaining("account-9 CHF"),
    "1 of 9.",
  ]);
});

test("an exposure shows positions by currency and time", async () => {
  const figures = { expected: "-100000.00", trades: "60000.00", net: "-40000.00", covered: "60.0" };
  const { card } = await openCard("position", {
    as_of: "2026-11-29",
    positions: [{ currency: "USD", month: "2026-12", ...figures }],
    currencies: [{ currency: "USD", ...figures }],
    base: { currency: "EUR", net: "-36500.00" },
    complete: true,
    gaps: [],
  });
  const text = await textOf(card);
  for (const shown of ["Currency exposure", "-36,500.00", "2026-12", "-40,000.00", "60.0"])
    expect(text).toContain(shown);
});

test.each(["position", "order"] as const)("hostile texts in a card of %s stay texts", async (name) => {
  const hostile = `${hostileText}\u202Egpj.exe`;
  const content = JSON.parse(
    JSON.stringify(name === "position" ? positionOf(2) : paymentsOf(2), (_, value: unknown) =>
      typeof value === "string" && !/^-?\d+(\.\d+)?$/.test(value) ? value + hostile : value,
    ),
  ) as JsonObject;
  const { page, card, fetched, messages } = await openCard(name, {
    ...content,
    state: hostile,
    gaps: [hostile],
  });
  const text = await textOf(card);
  expect(text).toContain("<img src=x");
  expect(text).toContain("<U+202E>gpj.exe");
  expect(text).not.toContain("\u202E");
  expect(await card.locator("img, a, iframe, main script").count()).toBe(0);
  await page.evaluate(
    "new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)))",
  );
  expect((await messages()).map(({ method }) => method)).not.toContain("ran");
  expect(fetched).toEqual([]);
});

test("code that got into a card neither runs nor loads anything", async () => {
  const { card, fetched, messages, page } = await openCard("order", orderOf());
  await card.locator("main").evaluate((main, html) => {
    main.innerHTML = html + '<img src="https://example.com/x.png"><form action="https://example.com"></form>';
    main.querySelector("form")!.submit();
  }, hostileText);
  await page.evaluate(
    "new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)))",
  );
  expect((await messages()).map(({ method }) => method)).not.toContain("ran");
  expect(fetched).toEqual([]);
});

test("a waiting order asks the host to open its releases page", async () => {
  const url = "https://releases.example.com/releases/R-7K3M9QW2X5ABC";
  const { card, messages } = await openCard("order", orderOf({ releases_page: url }));
  await card.getByRole("button", { name: "Open the releases page" }).click();
  const opened = await eventually(
    async () => (await messages()).find(({ method }) => method === "ui/open-link"),
    { withinMs: 10_000, what: "a request to open a link" },
  );
  expect(opened.params).toEqual({ url });
});

test("an order shows its terms and state; its only call reads the state again", async () => {
  const { card, messages, send } = await openCard("order", orderOf());
  const text = await textOf(card);
  for (const shown of ["Sell 250,000.00 EUR, get USD", "Waiting", "2026-11-29 16:30 UTC", "anna", "1.0931"])
    expect(text).toContain(shown);
  await card.locator("button").click();
  const calls = await eventually(
    async () => {
      const found = (await messages()).filter(({ method }) => method === "tools/call");
      return found.length > 0 && found;
    },
    { withinMs: 10_000, what: "a call of the card" },
  );
  expect(calls.map(({ params }) => params)).toEqual([
    { name: "get_release", arguments: { release: "R-7K3M9QW2X5ABC" } },
  ]);
  const booked = orderOf({
    state: "booked",
    trade_id: "TR-1",
    journal: { result: { trade_id: "TR-1", sell_amount: "250000.00" } },
  });
  await send({ id: calls[0]!.id, result: { content: [], structuredContent: booked } });
  await card.getByText("TR-1").first().waitFor();
  expect(await card.locator("button").count()).toBe(0);
});

test("300 payments are one table with search", async () => {
  const { card } = await openCard("order", paymentsOf(300));
  expect(await card.locator("tbody tr").count()).toBe(300);
  await card.locator("input").fill("supplier 299");
  expect(await card.locator("tbody tr:visible").count()).toBe(1);
  expect(await card.locator("tbody tr:visible .amount").textContent()).toBe("332,189.5");
});

test("an error shows its text", async () => {
  const { card, send } = await openCard("order", orderOf());
  const content = [{ type: "text", text: `order_trade failed. ${hostileText}` }];
  await send({ method: "ui/notifications/tool-result", params: { content, isError: true } });
  await card.getByText("The call failed").waitFor();
  expect(await textOf(card)).toContain("order_trade failed. <img");
});

const pictures = process.env.FXDESK_CARD_PICTURES;
if (pictures)
  test.each([1, 5, 300])("pictures with %i rows", async (count) => {
    for (const theme of ["light", "dark"])
      for (const [name, card, content] of [
        ["position", "position", positionOf(count)],
        ["payments", "order", paymentsOf(count)],
        ["order", "order", orderOf({ warnings: ["The limit is 3.1 % worse than the rate seen."] })],
      ] as const) {
        const { page } = await openCard(card, content, { theme });
        await page.screenshot({ path: join(pictures, `${name}-${count}-${theme}.png`) });
      }
  });
