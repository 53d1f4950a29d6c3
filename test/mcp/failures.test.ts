/** What a model is told when nobody knows what became of a call, and when fxdesk itself is at fault. */
import { createClient, type Reply, ReceivedFile } from "@fxdesk/toolkit";
import { contract, operations } from "@fxdesk/toolkit/operations";
import { Readable } from "node:stream";
import type { McpOptions } from "../../mcp";
import { toolbox } from "../../mcp/toolbox";
import { type Fault, faultServer, reset, respond } from "../support/fault-server";
import { textOf } from "./support/clients";

const { signal } = new AbortController();
const booking = { quote_id: "quote-1", reason: "payment_for_goods" };

/** Calls a tool on a service that misbehaves. */
async function callOn(fault: Fault, tool: string, input: Record<string, unknown>) {
  const server = await faultServer(fault);
  const client = createClient({
    baseUrl: server.url,
    clientId: "client",
    credentials: { accessToken: "canary-token", apiKey: "canary-key" },
  });
  const result = (await toolbox({ client, allow: ["change", "money"] }).call(tool, input, signal))!;
  await client.close();
  await server.close();
  expect(JSON.stringify(result)).not.toContain("canary");
  return { ...result, text: textOf(result), calls: server.heads.length };
}

test.each<[string, Fault]>([
  ["the connection breaks", reset],
  ["the answer is no JSON", respond(201, "<html>")],
  ["the service fails", respond(502, "{}")],
])("when %s, a booking is not repeated but looked up", async (_, fault) => {
  const { isError, text, calls } = await callOn(fault, "book_trade", booking);
  expect(isError).toBe(true);
  expect(text).toContain("It is unknown whether it was carried out: look with list_trades or get_trade");
  expect(text).toContain("ask the user before any other call of book_trade");
  expect(text).not.toContain("may succeed");
  expect(calls).toBe(1);
});

test("a booking whose answer does not fit the contract is booked", async () => {
  const { isError, structuredContent } = await callOn(
    respond(201, '{"trade_id":"T-1"}'),
    "book_trade",
    booking,
  );
  expect(isError).toBeUndefined();
  expect(structuredContent).toMatchObject({ trade_id: "T-1", differs_from_contract: expect.any(Array) });
});

test("a refused booking was not carried out", async () => {
  const body = '{"code":"quote_expired","message":"Expired.","details":"Make\\u202e a new quote."}';
  const { text } = await callOn(respond(409, body), "book_trade", booking);
  expect(text).toContain("Expired. Make a new quote. [quote_expired]");
  expect(text).toContain("Book trade: not carried out.");
});

test("a service that asks to wait is quoted", async () => {
  const busy = respond(429, "{}", { "retry-after": "7", "x-request-id": "request-9" });
  const { text } = await callOn(busy, "book_trade", booking);
  expect(text).toContain("Book trade: not carried out. The same call may succeed in 7 seconds.");
  expect(text).toContain("Request id: request-9.");
});

test("a very long message of the service is cut", async () => {
  const body = JSON.stringify({ code: "c", message: "m".repeat(10_000), details: "" });
  const { text } = await callOn(respond(400, body), "list_trades", {});
  expect(text.length).toBeLessThan(2_000);
});

const reply = (status: number, body: unknown): Reply => ({
  status,
  body,
  headers: {},
  total: undefined,
  requestId: undefined,
  attempts: 1,
  problems: [],
});

/** Calls a tool on a client that does as told. */
const callWith = async (call: McpOptions["client"]["call"], tool: string, input = {}) => {
  const client = { ...createClient({ baseUrl: "http://127.0.0.1:1" }), call };
  return textOf((await toolbox({ client, allow: ["money"] }).call(tool, input, signal))!);
};

describe("what nobody foresaw", () => {
  let logged: jest.SpyInstance;
  beforeEach(() => {
    logged = jest.spyOn(console, "error").mockImplementation();
  });
  afterEach(() => logged.mockRestore());

  test("is for the log; the model learns only what to do", async () => {
    const bug = new TypeError("secret=abc at /root/x.js");
    const text = await callWith(() => Promise.reject(bug), "book_trade", booking);
    expect(text).toBe(
      "book_trade failed inside fxdesk; the log of the server has the details. It is unknown whether it was carried " +
        "out: look with list_trades or get_trade, and ask the user before any other call of book_trade.",
    );
    expect(logged).toHaveBeenCalledWith(bug);
  });

  test("after the service said yes, the model learns that it did", async () => {
    const unreadable = {
      toString: () => "",
      get trade_id(): string {
        throw new Error("no");
      },
    };
    const text = await callWith(() => Promise.resolve(reply(201, unreadable)), "book_trade", booking);
    expect(text).toContain("book_trade was answered (201: The trade is booked.)");
    expect(text).toContain("It was carried out: do not call it again.");
  });

  test("a file that breaks off is told, without a word about what was carried out", async () => {
    const stream = Readable.from(
      (function* () {
        yield Buffer.from("%PDF");
        throw new Error("socket hang up");
      })(),
    ) as ReceivedFile["stream"];
    const body = new ReceivedFile("application/pdf", undefined, undefined, stream, "statements.getFile");
    const text = await callWith(() => Promise.resolve(reply(200, body)), "get_statement_file");
    expect(text).toBe(
      "get_statement_file was answered (200: The statement file.) The answer itself broke off or cannot be shown.",
    );
  });
});

test("a tool that does not exist is no tool", async () => {
  const client = createClient({ baseUrl: "http://127.0.0.1:1" }, { ...contract, operations });
  expect(await toolbox({ client }).call("no_tool", {}, signal)).toBeUndefined();
});
