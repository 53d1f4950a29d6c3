/** Lifetime and availability of quotes, and other start options. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { FxdeskClient } from "@fxdesk/toolkit";
import { demo, type Sandbox, type SandboxOptions, startSandbox } from "@fxdesk/sandbox";
import { makeQuote } from "../../support/samples";
import { tempFolder } from "../../support/resources";
import { openClient, openSandboxAndClient } from "../../support/sandboxes";
import { ask, demoHeaders } from "../support/http";

let sandbox: Sandbox;
let client: FxdeskClient;
const start = async (options: SandboxOptions = {}) =>
  ({ sandbox, client } = await openSandboxAndClient({ now: new Date("2026-11-20T10:00:00Z"), ...options }));

/** Books with a journal of its own, which does not know that a quote was used. */
const book = async (quote_id: string) =>
  openClient(sandbox, { store: join(await tempFolder(), "store.db") }).trades.book(
    { quote_id, reason: "other" },
    { key: randomUUID() },
  );

const estimate = () =>
  client.request({
    method: "POST",
    path: "/quotes",
    query: { client_id: demo.clientId, quote_type: "estimate" },
    body: { amount: 1000, operation: "sell", buy_currency: "USD", sell_currency: "EUR" },
  });

async function isAvailable(): Promise<boolean> {
  const { status, text, headers } = await ask(sandbox, `/quotes/fx-availability?client_id=${demo.clientId}`, {
    headers: demoHeaders,
  });
  expect([status, headers.get("x-fxdesk-extension")]).toEqual([200, "true"]);
  return (JSON.parse(text) as { fx_available: boolean }).fx_available;
}

describe("a quote", () => {
  test.each([
    [undefined, 30],
    [5, 5],
    [86_400, 86_400],
  ])("with quoteSeconds %p lives for %i seconds", async (quoteSeconds, seconds) => {
    await start(quoteSeconds === undefined ? {} : { quoteSeconds });
    const [good, late] = [await makeQuote(client), await makeQuote(client)];
    sandbox.advance(seconds * 1_000 - 500);
    await book(good);
    sandbox.advance(500);
    await expect(book(late)).rejects.toMatchObject({ status: 409, service: { code: "quote_expired" } });
    await expect(book("none")).rejects.toMatchObject({ status: 404 });
  });

  test.each([false, true])("is deleted a day after it has expired; used: %p", async (used) => {
    await start();
    const quote = await makeQuote(client);
    if (used) await book(quote);
    const code = used ? "quote_already_used" : "quote_expired";
    sandbox.advance(30_000 + 86_400_000 - 1_000);
    await expect(book(quote)).rejects.toMatchObject({ status: 409, service: { code } });
    sandbox.advance(1_000);
    await expect(book(quote)).rejects.toMatchObject({ status: 404 });
  });

  test.each([0, -1, Number.NaN, 31_622_401, Infinity])(
    "refuses a lifetime of %p seconds",
    async (quoteSeconds) => {
      await expect(startSandbox({ quoteSeconds })).rejects.toThrow("quoteSeconds must be");
    },
  );
});

describe("at the weekend", () => {
  const saturday = new Date("2026-11-21T10:00:00Z");

  test("gives quotes without market hours", async () => {
    await start({ now: saturday });
    expect(await isAvailable()).toBe(true);
    await book(await makeQuote(client));
  });

  test("gives estimates but no quotes with market hours", async () => {
    await start({ now: saturday, marketHours: "real" });
    expect(await isAvailable()).toBe(false);
    expect((await estimate()).body).toMatchObject({ value_date: "2026-11-25" });
    await expect(makeQuote(client)).rejects.toMatchObject({
      status: 409,
      service: { code: "market_closed", details: "It opens at 2026-11-22T22:00:00.000Z." },
    });
    sandbox.control.setClock({ now: "2026-11-22T22:00:00Z" });
    expect(await isAvailable()).toBe(true);
    await book(await makeQuote(client));
  });

  test("keeps an unexpired quote bookable after the close", async () => {
    await start({ now: new Date("2026-11-20T21:59:50Z"), marketHours: "real" });
    const [unexpired, expired] = [await makeQuote(client), await makeQuote(client)];
    sandbox.advance(15_000);
    expect(await isAvailable()).toBe(false);
    await book(unexpired);
    sandbox.advance(15_000);
    await expect(book(expired)).rejects.toMatchObject({ service: { code: "quote_expired" } });
  });

  test("keeps the start options after a reset", async () => {
    await start({ now: saturday, marketHours: "real" });
    sandbox.control.reset({});
    expect(await isAvailable()).toBe(false);
  });
});

test("books a quote more than once with reusableQuotes", async () => {
  await start({ reusableQuotes: true });
  const quote = await makeQuote(client);
  const ids = [(await book(quote)).trade_id, (await book(quote)).trade_id];
  expect(new Set(ids).size).toBe(2);
});

describe("the count of a list", () => {
  const countOf = async (path: string) =>
    (
      await ask(sandbox, `${path}?client_id=${demo.clientId}&page_size=1`, { headers: demoHeaders })
    ).headers.get("x-total-count");

  test("is sent where the contract documents it, and on every paged list with totalCount", async () => {
    await start();
    expect([await countOf("/trades"), await countOf("/account-details")]).toEqual([null, "11"]);
    await start({ totalCount: true });
    const all: unknown[] = [];
    for await (const page of client.trades.list.pages({})) all.push(...page);
    expect([await countOf("/trades"), await countOf("/account-details")]).toEqual([String(all.length), "11"]);
  });
});
