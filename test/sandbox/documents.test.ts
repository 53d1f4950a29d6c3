/** Tests the documents of trades and payments. */
import type { FxdeskClient } from "@fxdesk/toolkit";
import { demo, type Sandbox } from "@fxdesk/sandbox";
import { makeQuote } from "../support/samples";
import { openSandboxAndClient } from "../support/sandboxes";
import { readPdf } from "./support/documents";

let sandbox: Sandbox;
let client: FxdeskClient;
beforeAll(async () => {
  ({ sandbox, client } = await openSandboxAndClient({ now: new Date("2026-11-20T10:00:00Z") }));
});

const bearer = { authorization: `Bearer ${demo.accessToken}` };

async function extendedTrades() {
  const trades = await client.trades.list({ page_size: 100 });
  return Promise.all(
    trades.map(({ trade_id }) => client.trades.get({ trade_id, response_model: "ExtendedBookedTrade" })),
  );
}

test("shows the terms in a trade receipt", async () => {
  const [trade] = await client.trades.list({ trade_type: ["forward"], page_size: 1 });
  const { trade_receipt: uri, trade_id } = trade!;
  expect(uri).toBe(`${sandbox.baseUrl}/documents/trade-receipts/${trade_id}`);
  const response = await fetch(uri!, { headers: bearer });
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/pdf"]);
  const pdf = Buffer.from(await response.arrayBuffer());
  expect(pdf.subarray(0, 5).toString()).toBe("%PDF-");
  const lines = readPdf(pdf).flat();
  expect(lines).toContain(`Trade receipt ${trade_id}`);
  const sold = trade!.sell_amount.toLocaleString("en", { minimumFractionDigits: 2 });
  expect(lines).toContain(`${sold} ${trade!.sell_currency}`);
  expect(lines).toEqual(expect.arrayContaining(["Sandbox Bank DE", "Page 1 of 1"]));
  expect(lines).toContain(`${trade!.rate_symbol} ${trade!.rate}`);
});

test("shows the window of a window forward, in characters of the standard fonts", async () => {
  const quote_id = await makeQuote(client, {
    trade_type: "window_forward",
    window_start_date: "2026-12-15",
    value_date: "2027-01-29",
  });
  const { trade_id } = await client.trades.book({
    quote_id,
    reason: "other",
    reference: "Zażółć Łódź Müller ООО",
  });
  const response = await fetch(`${sandbox.baseUrl}/documents/trade-receipts/${trade_id}`, {
    headers: bearer,
  });
  const lines = readPdf(Buffer.from(await response.arrayBuffer())).flat();
  expect(lines).toEqual(
    expect.arrayContaining(["window forward", "2026-12-15 to 2027-01-29", "Zazólc Lódz Müller ???"]),
  );
});

test("provides instructions of approved payments and receipts of completed ones", async () => {
  const payments = (await extendedTrades()).flatMap(({ payments: all }) => all!);
  const withUri = (uri: "payment_instruction" | "payment_receipt") =>
    new Set(payments.filter((payment) => payment[uri] !== undefined).map(({ status }) => status));
  expect(withUri("payment_receipt")).toEqual(new Set(["Payment complete"]));
  expect(withUri("payment_instruction")).toEqual(new Set(["Payment complete", "Waiting for payment date"]));
  const paid = payments.find(({ payment_receipt: uri }) => uri !== undefined)!;
  for (const uri of [paid.payment_receipt!, paid.payment_instruction!]) {
    const response = await fetch(uri, { headers: bearer });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/pdf"]);
  }
});

test("refuses requests without a token and documents that do not exist", async () => {
  const [trade] = await client.trades.list({ page_size: 1 });
  expect((await fetch(trade!.trade_receipt!)).status).toBe(401);
  const pending = (await extendedTrades())
    .flatMap(({ payments }) => payments!)
    .find(({ status }) => status === "Payment pending of authorization")!;
  for (const path of ["trade-receipts/TR0", "other/TR0", `payment-instructions/${pending.payment_id}`]) {
    const response = await fetch(`${sandbox.baseUrl}/documents/${path}`, { headers: bearer });
    expect([path, response.status]).toEqual([path, 404]);
  }
});
