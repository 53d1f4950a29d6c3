/** What a caller learns when the network or the service fails: the class of the error, and what became of the request. */
import { createServer } from "node:net";
import { createClient, type FxdeskClient, type FxdeskError } from "../../../core";
import {
  type Fault,
  faultServer,
  type FaultServer,
  inTurn,
  reset,
  respond,
  silence,
} from "../../support/fault-server";

const trade = { quote_id: "q-1", reason: "other" } as const;

let server: FaultServer;
let client: FxdeskClient;

async function against(fault: Fault, options: { timeoutMs?: number } = {}) {
  server = await faultServer(fault);
  client = createClient({
    baseUrl: server.url,
    clientId: "c-1",
    credentials: { accessToken: "token", apiKey: "key" },
    ...options,
  });
}

afterEach(async () => {
  await client.close().catch(() => undefined);
  await server.close();
});

const failure = (call: Promise<unknown>) =>
  call.then(
    () => {
      throw new Error("expected the call to fail");
    },
    (error: FxdeskError) => error,
  );

async function closedPort(): Promise<string> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as { port: number };
  await new Promise<void>((resolve) => probe.close(() => resolve()));
  return `http://127.0.0.1:${port}`;
}

const outages: [name: string, fault: Fault][] = [
  ["a reset after the request", reset],
  ["a connection closed without an answer", (socket) => socket.end()],
  ["a status line that is none", (socket) => socket.end("garbage\r\n\r\n")],
  ["a head that breaks off", (socket) => socket.end("HTTP/1.1 201 X\r\ncontent-le")],
  ["a body that breaks off", (socket) => socket.end("HTTP/1.1 201 X\r\ncontent-length: 99\r\n\r\n{")],
  ["a success that is not JSON", respond(201, "<html>")],
  ["500", respond(500)],
  ["502 with an ErrorMessage", respond(502, '{"code":"upstream_error","message":"m","details":"d"}')],
  ["504 with a page of HTML", respond(504, "<html>gateway</html>", { "content-type": "text/html" })],
];

test.each(outages)("booking a trade met with %s is OutcomeUnknown and sent once", async (_, fault) => {
  await against(fault);
  const error = await failure(client.trades.book(trade));
  expect(error).toMatchObject({
    name: "OutcomeUnknown",
    code: "outcome_unknown",
    outcome: "unknown",
    retryable: false,
  });
  expect(error.message).toContain("Do not repeat it");
  expect(error.message).not.toContain("<html>");
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(server.heads).toHaveLength(1);
});

test("booking a trade that gets no answer in time is OutcomeUnknown and sent once", async () => {
  await against(silence, { timeoutMs: 300 });
  const error = await failure(client.trades.book(trade));
  expect(error).toMatchObject({ name: "OutcomeUnknown", outcome: "unknown" });
  expect(server.heads).toHaveLength(1);
});

test("a change that got no answer is Unavailable with outcome unknown, and sent once", async () => {
  await against(reset);
  const error = await failure(client.request({ method: "POST", path: "/things", body: { a: 1 } }));
  expect(error).toMatchObject({ name: "Unavailable", outcome: "unknown", retryable: false });
  expect(server.heads).toHaveLength(1);
});

test("a change that gets no answer in time, or 504, may have been carried out", async () => {
  await against(inTurn(respond(504), silence), { timeoutMs: 300 });
  const change = () => failure(client.request({ method: "POST", path: "/things", body: { a: 1 } }));
  for (const error of [await change(), await change()]) {
    expect(error).toMatchObject({ name: "Timeout", outcome: "unknown", retryable: false });
    expect(error.message).toContain("check before repeating it");
  }
});

test("nothing listens: the trade was not sent", async () => {
  await against(silence);
  await client.close();
  client = createClient({ baseUrl: await closedPort(), clientId: "c-1", credentials: { accessToken: "t" } });
  const error = await failure(client.trades.book(trade));
  expect(error).toMatchObject({ name: "Unavailable", outcome: "not-sent", retryable: true });
});

test("a read is tried again after a reset and after 503", async () => {
  await against(inTurn(reset, respond(503), respond(200, "[]")));
  const reply = await client.trades.list.reply();
  expect(reply).toMatchObject({ body: [], attempts: 3 });
});

const brokenBody: Fault = (socket) => socket.end("HTTP/1.1 200 X\r\ncontent-length: 99\r\n\r\n[");

test("a read whose answer breaks off is tried again", async () => {
  await against(inTurn(brokenBody, respond(200, "[]")));
  expect(await client.trades.list.reply()).toMatchObject({ body: [], attempts: 2 });
});

test("a read whose answers all break off says so, with the status", async () => {
  await against(brokenBody);
  const error = await failure(client.trades.list());
  expect(error).toMatchObject({ name: "Unavailable", status: 200, outcome: "unknown", retryable: true });
  expect(error.message).toContain("trades.list: The response (200) broke off");
  expect(server.heads).toHaveLength(3);
});

test("a change whose answer breaks off says so, and is sent once", async () => {
  await against(brokenBody);
  const error = await failure(client.request({ method: "POST", path: "/things", body: { a: 1 } }));
  expect(error).toMatchObject({ name: "Unavailable", status: 200, outcome: "unknown", retryable: false });
  expect(error.message).toContain("The response (200) broke off");
  expect(server.heads).toHaveLength(1);
});

test("a read that is aborted while it waits to be tried again was sent", async () => {
  await against(reset);
  const random = jest.spyOn(Math, "random").mockReturnValue(1);
  const controller = new AbortController();
  const call = failure(client.trades.list({}, { signal: controller.signal }));
  while (server.heads.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await new Promise((resolve) => setTimeout(resolve, 30));
  controller.abort();
  expect(await call).toMatchObject({ name: "Aborted", outcome: "unknown" });
  expect(server.heads).toHaveLength(1);
  random.mockRestore();
});

test("a read gives up after three attempts and says why", async () => {
  await against(respond(503));
  const error = await failure(client.trades.list());
  expect(error).toMatchObject({ name: "Unavailable", status: 503, retryable: true });
  expect(server.heads).toHaveLength(3);
});

test("500 to a read is not tried again", async () => {
  await against(respond(500));
  await failure(client.trades.list());
  expect(server.heads).toHaveLength(1);
});

test("a read waits as long as Retry-After says, and the whole connection with it", async () => {
  await against(inTurn(respond(429, "", { "retry-after": "1" }), respond(200, "[]")));
  const start = Date.now();
  const first = client.trades.list();
  while (server.heads.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await new Promise((resolve) => setTimeout(resolve, 50));
  await Promise.all([first, client.trades.list()]);
  expect(Date.now() - start).toBeGreaterThanOrEqual(1_000);
  expect(server.heads).toHaveLength(3);
});

test("a wait beyond the time limit fails at once and tells how long to wait", async () => {
  await against(respond(429, "", { "retry-after": "3600" }), { timeoutMs: 5_000 });
  const error = await failure(client.trades.list());
  expect(error).toMatchObject({ name: "RateLimited", retryAfterMs: 3_600_000, retryable: true });
  expect(server.heads).toHaveLength(1);
});

test("while the service wants no call for longer than the time limit, each call says so at once", async () => {
  await against(respond(429, "", { "retry-after": "3600" }), { timeoutMs: 5_000 });
  await failure(client.trades.list());
  const start = Date.now();
  for (const call of [client.trades.list(), client.trades.book(trade)]) {
    const error = await failure(call);
    expect(error).toMatchObject({ name: "RateLimited", outcome: "not-sent", retryable: true });
    expect(error.toJSON().retryAfterMs).toBeGreaterThan(3_590_000);
    expect(error.message).toMatch(/asked to wait another 3\d\d\d s/);
  }
  expect(Date.now() - start).toBeLessThan(1_000);
  expect(server.heads).toHaveLength(1);
});

test("a throttled booking is rejected, not resent", async () => {
  await against(respond(429, "", { "retry-after": "0" }));
  const error = await failure(client.trades.book(trade));
  expect(error).toMatchObject({ name: "RateLimited", outcome: "rejected" });
  expect(server.heads).toHaveLength(1);
});

test("one time limit covers all attempts", async () => {
  await against(silence, { timeoutMs: 200 });
  const error = await failure(client.trades.list());
  expect(error).toMatchObject({ name: "Timeout", code: "timeout" });
});

test("a body that drips for ever ends with the time limit", async () => {
  await against(
    (socket) => {
      socket.write("HTTP/1.1 200 X\r\ncontent-type: application/json\r\n\r\n");
      const timer = setInterval(() => socket.write(" "), 20);
      socket.on("close", () => clearInterval(timer));
    },
    { timeoutMs: 300 },
  );
  const error = await failure(client.trades.list());
  expect(error).toMatchObject({ name: "Timeout" });
});

test("the caller can abort, and no listener stays on the signal", async () => {
  await against(silence);
  const controller = new AbortController();
  const removed = jest.spyOn(controller.signal, "removeEventListener");
  const call = failure(client.trades.list({}, { signal: controller.signal }));
  while (server.heads.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  controller.abort();
  expect(await call).toMatchObject({ name: "Aborted", code: "aborted" });
  expect(removed).toHaveBeenCalled();
});

test("a call with an aborted signal sends nothing", async () => {
  await against(silence);
  const error = await failure(client.trades.list({}, { signal: AbortSignal.abort() }));
  expect(error).toMatchObject({ name: "Aborted", outcome: "not-sent" });
  expect(server.heads).toHaveLength(0);
});

test("a redirect is not followed", async () => {
  await against(respond(302, "", { location: "http://127.0.0.1:1/elsewhere" }));
  const error = await failure(client.trades.list());
  expect(error).toMatchObject({ code: "invalid_response", outcome: "unknown", status: 302 });
  expect(server.heads).toHaveLength(1);
});

test("an answer of another shape is passed on, with what differs", async () => {
  await against(respond(200, '[{"trade_id":7,"extra":true}]'));
  const { body, problems } = await client.trades.list.reply();
  expect(body).toEqual([{ trade_id: 7, extra: true }]);
  expect(problems).toContainEqual(expect.objectContaining({ field: "0.trade_id" }));
});

test("a booked trade whose answer does not fit is still booked", async () => {
  await against(respond(201, '{"trade_id":"t-1"}'));
  await expect(client.trades.book(trade)).resolves.toEqual({ trade_id: "t-1" });
});

test("what the service says is not said twice", async () => {
  const meaning = "Client or trade ID not found.";
  await against(respond(404, JSON.stringify({ code: "none", message: meaning, details: "t-1" })));
  const { message } = await failure(client.trades.get({ trade_id: "t-1" }));
  expect(message).toBe(`trades.get: ${meaning} (404) t-1 [none]`);
});

test("no secret is in any error", async () => {
  await against(respond(401, '{"code":"c","message":"m","details":"d"}'));
  await client.close();
  client = createClient({
    baseUrl: server.url,
    clientId: "c-1",
    credentials: { accessToken: "canary-token", apiKey: "canary-key" },
  });
  const error = await failure(client.trades.book(trade));
  const { inspect } = await import("node:util");
  expect(inspect(error, { depth: null }) + JSON.stringify(error)).not.toContain("canary");
});
