/** The way of a call through the sandbox, over HTTP. */
import { createClient } from "@fxdesk/toolkit";
import { type Sandbox, startSandbox } from "@fxdesk/sandbox";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

test("a quote becomes one trade, which the list then shows", async () => {
  const { demo, baseUrl, xs2aUrl } = sandbox;
  const client = createClient({ baseUrl, xs2aUrl, clientId: demo.clientId, credentials: demo });
  const quote = await client.request({
    method: "POST",
    path: "/quotes",
    query: { client_id: demo.clientId, quote_type: "quote" },
    body: { amount: 1000, operation: "sell", buy_currency: "USD", sell_currency: "EUR" },
  });
  const { quote_id } = quote.body as { quote_id: string };
  const { trade_id } = await client.trades.book({ quote_id, reason: "other", reference: "INV-1" });
  const listed = await client.trades.list();
  expect(listed).toContainEqual(expect.objectContaining({ trade_id, sell_amount: 1000, reference: "INV-1" }));
  await expect(client.trades.book({ quote_id, reason: "other" })).rejects.toMatchObject({ status: 409 });
  await client.close();
});
