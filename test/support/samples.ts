/** A client of the sandbox, and a valid input for each operation against its demo world. */
import { type ClientOptions, createClient, type FxdeskClient } from "@fxdesk/toolkit";
import type { Values } from "@fxdesk/toolkit/operations";
import { demo, type Sandbox } from "@fxdesk/sandbox";

/** A client with the demo company's credentials. */
export function sandboxClient(
  { baseUrl, xs2aUrl }: Sandbox,
  overrides: Partial<ClientOptions> = {},
): FxdeskClient {
  const { clientId, contactId, accessToken, apiKey } = demo;
  return createClient({
    baseUrl,
    xs2aUrl,
    clientId,
    contactId,
    credentials: { accessToken, apiKey },
    ...overrides,
  });
}

/** A quote to book: 1,000 EUR sold for USD unless said otherwise. */
export async function makeQuote(client: FxdeskClient, body: Values = {}): Promise<string> {
  const { body: quote } = await client.request({
    method: "POST",
    path: "/quotes",
    query: { client_id: demo.clientId },
    body: { amount: 1000, operation: "sell", buy_currency: "USD", sell_currency: "EUR", ...body },
  });
  return (quote as { quote_id: string }).quote_id;
}

type Sample = (client: FxdeskClient) => Values | Promise<Values>;

const bookTrade: Sample = async (client) => ({
  quote_id: await makeQuote(client),
  reason: "payment_for_goods",
  reference: "INV-2041",
});

const samples: Readonly<Record<string, Sample>> = {
  "trades.book": bookTrade,
  "trades.list": () => ({}),
  "trades.get": async (client) => {
    const [trade] = await client.trades.list();
    return { trade_id: trade!.trade_id, response_model: "ExtendedBookedTrade" };
  },
};

/**
 * A valid input for an operation. Where it needs something first, a quote, a consent, a payment, a statement, that is
 * made through the client.
 */
export async function sampleInput(name: string, client: FxdeskClient): Promise<Values> {
  const sample = samples[name];
  if (!sample) throw new Error(`There is no sample for ${name}.`);
  return sample(client);
}
