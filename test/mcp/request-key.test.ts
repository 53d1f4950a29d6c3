/** The request_key argument: repeated requests are carried out once. */
import { createClient, type FxdeskClient } from "@fxdesk/toolkit";
import { openJournal } from "../../core/journal/journal";
import { parseStoreSettings } from "../../core/store/settings";
import { createToolbox } from "../../mcp/toolbox";
import type { Toolbox } from "../../mcp/protocol";
import type { JsonObject } from "../../mcp/render/content";
import { faultServer, type FaultServer, respond } from "../support/fault-server";
import { textOf } from "./support/clients";

const response = {
  trade_id: "t-1",
  paymentId: "p-1",
  transactionStatus: "RCVD",
  _links: { self: { href: "/p-1" } },
};

let server: FaultServer;
let client: FxdeskClient;
let tools: Toolbox;

beforeAll(async () => {
  jest.spyOn(console, "error").mockImplementation();
  server = await faultServer(respond(201, JSON.stringify(response)));
  const settings = { redirectUri: "https://app.example/done" };
  const credentials = { accessToken: "token" };
  client = createClient({
    baseUrl: server.url,
    xs2aUrl: server.url,
    clientId: "C-1",
    actor: "desk",
    settings,
    credentials,
  });
  tools = createToolbox({ client, toolsets: ["all"], allow: ["money"], release: "never" });
});
afterAll(async () => {
  await client.close();
  await server.close();
  jest.restoreAllMocks();
});
beforeEach(() => server.heads.splice(0));

const { signal } = new AbortController();
const call = async (tool: string, input: JsonObject) => (await tools.call(tool, input, signal))!;

const payment = {
  payment_service: "payments",
  payment_product: "sepa-credit-transfers",
  debtor_account: { iban: "DE40100100103307118608" },
  instructed_amount: { currency: "EUR", amount: "123.50" },
  creditor_account: { iban: "FR6400000000000000012345697" },
  creditor_name: "Ferme Duval",
};

test("makes a payment once per key, in any spelling of the arguments", async () => {
  const first = await call("initiate_payment", { ...payment, request_key: "INV-17" });
  const again = await call("initiate_payment", { ...payment, requestKey: "INV-17" });
  expect(server.heads).toHaveLength(1);
  const { journal_entry: entry } = first.structuredContent!.fxdesk as { journal_entry: string };
  expect(again.structuredContent).toMatchObject({
    paymentId: "p-1",
    fxdesk: {
      journal_entry: entry,
      notes: expect.arrayContaining([expect.stringContaining("Nothing was sent now")]) as string[],
    },
  });
  const other = await call("initiate_payment", {
    ...payment,
    creditor_name: "Ferme Durand",
    request_key: "INV-17",
  });
  expect(textOf(other)).toContain('The key "INV-17" was already used');
  expect(textOf(other)).toContain("it was carried out (p-1)");
  expect(textOf(other)).toContain("ask the user before you call initiate_payment again");
  expect(textOf(other)).toContain(`Journal entry: ${entry}.`);
  expect(server.heads).toHaveLength(1);

  const journal = await openJournal(parseStoreSettings({}));
  expect(await journal.get(entry)).toMatchObject({
    key: "INV-17",
    surface: "mcp",
    intent: { actor: "desk" },
  });
  await journal.close();
});

test.each(["initiate_payment", "initiate_bulk_payment"])(
  "%s: sends nothing without a key, and states what to send",
  async (tool) => {
    const { instructed_amount, creditor_account, creditor_name, payment_service: _, ...others } = payment;
    const bulk = { ...others, payments: [{ instructed_amount, creditor_account, creditor_name }] };
    for (const key of [undefined, null]) {
      const given = { ...(tool === "initiate_payment" ? payment : bulk), request_key: key };
      expect(textOf(await call(tool, given))).toMatch(/request_key is required: choose a text/);
    }
    expect(server.heads).toHaveLength(0);
  },
);
