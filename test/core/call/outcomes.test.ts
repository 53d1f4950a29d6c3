/** Error class and outcome after failures of the network or the service. */
import { createClient, type FxdeskClient, type FxdeskError } from "../../../core";
import { eventually } from "../../support/eventually";
import {
  type Fault,
  faultServer,
  type FaultServer,
  inSequence,
  reset,
  respond,
  silence,
} from "../../support/fault-server";

const trade = { quote_id: "q-1", reason: "other" } as const;

let server: FaultServer;
let client: FxdeskClient;

async function startServerAndClient(fault: Fault, options: { timeoutMs?: number } = {}) {
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

const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => {
      throw new Error("expected the call to fail");
    },
    (error: FxdeskError) => error,
  );

const outages: [name: string, fault: Fault][] = [
  ["a reset after the request", reset],
  ["a connection closed without a response", (socket) => socket.end()],
  ["an invalid status line", (socket) => socket.end("garbage\r\n\r\n")],
  ["incomplete headers", (socket) => socket.end("HTTP/1.1 201 X\r\ncontent-le")],
  ["an incomplete body", (socket) => socket.end("HTTP/1.1 201 X\r\ncontent-length: 99\r\n\r\n{")],
  ["a success that is not JSON", respond(201, "<html>")],
  ["500", respond(500)],
  ["502 with an ErrorMessage", respond(502, '{"code":"upstream_error","message":"m","details":"d"}')],
  ["504 with a page of HTML", respond(504, "<html>gateway</html>", { "content-type": "text/html" })],
];

test.each(outages)("sends a booking once and throws OutcomeUnknown after %s", async (_, fault) => {
  await startServerAndClient(fault);
  const error = await failureOf(client.trades.book(trade));
  expect(error).toMatchObject({
    name: "OutcomeUnknown",
    code: "outcome_unknown",
    outcome: "unknown",
    retryable: false,
  });
  expect(error.message).toContain("Do not repeat it");
  expect(error.message).not.toContain("<html>");
  // Allows time for an erroneous second request.
  await client.close();
  expect(server.heads).toHaveLength(1);
});

test("sends a booking once and throws OutcomeUnknown if it times out", async () => {
  await startServerAndClient(silence, { timeoutMs: 2_000 });
  const error = await failureOf(client.trades.book(trade));
  expect(error).toMatchObject({ name: "OutcomeUnknown", outcome: "unknown" });
  expect(server.heads).toHaveLength(1);
});

test("sends a change once and throws Unavailable with outcome unknown without a response", async () => {
  await startServerAndClient(reset);
  const error = await failureOf(client.request({ method: "POST", path: "/things", body: { a: 1 } }));
  expect(error).toMatchObject({ name: "Unavailable", outcome: "unknown", retryable: false });
  expect(server.heads).toHaveLength(1);
});

test("reports an unknown outcome for a change that times out or gets a 504", async () => {
  await startServerAndClient(inSequence(respond(504), silence), { timeoutMs: 2_000 });
  const change = () => failureOf(client.request({ method: "POST", path: "/things", body: { a: 1 } }));
  for (const error of [await change(), await change()]) {
    expect(error).toMatchObject({ name: "Timeout", outcome: "unknown", retryable: false });
    expect(error.message).toContain("check before repeating it");
  }
});

const brokenBody: Fault = (socket) => socket.end("HTTP/1.1 200 X\r\ncontent-length: 99\r\n\r\n[");

test("sends a change once and reports an incomplete response", async () => {
  await startServerAndClient(brokenBody);
  const error = await failureOf(client.request({ method: "POST", path: "/things", body: { a: 1 } }));
  expect(error).toMatchObject({ name: "Unavailable", status: 200, outcome: "unknown", retryable: false });
  expect(error.message).toContain("The response (200) was incomplete");
  expect(server.heads).toHaveLength(1);
});

test("lets the caller abort, and removes its listener from the signal", async () => {
  await startServerAndClient(silence);
  const controller = new AbortController();
  const removed = jest.spyOn(controller.signal, "removeEventListener");
  const call = failureOf(client.trades.list({}, { signal: controller.signal }));
  await eventually(() => server.heads.length === 1, { withinMs: 20_000, what: "the request" });
  controller.abort();
  expect(await call).toMatchObject({ name: "Aborted", code: "aborted" });
  expect(removed).toHaveBeenCalled();
});

test("does not follow redirects", async () => {
  await startServerAndClient(respond(302, "", { location: "http://127.0.0.1:1/elsewhere" }));
  const error = await failureOf(client.trades.list());
  expect(error).toMatchObject({ code: "invalid_response", outcome: "unknown", status: 302 });
  expect(server.heads).toHaveLength(1);
});

test("passes on a malformed response with its violations", async () => {
  await startServerAndClient(respond(200, '[{"trade_id":7,"extra":true}]'));
  const { body, violations } = await client.trades.list.response();
  expect(body).toEqual([{ trade_id: 7, extra: true }]);
  expect(violations).toContainEqual(expect.objectContaining({ field: "0.trade_id" }));
});

test("reports a booked trade as booked if its response is malformed", async () => {
  await startServerAndClient(respond(201, '{"trade_id":"t-1"}'));
  await expect(client.trades.book(trade)).resolves.toEqual({ trade_id: "t-1" });
});

test("does not repeat the service's message", async () => {
  const meaning = "Client or trade ID not found.";
  await startServerAndClient(
    respond(404, JSON.stringify({ code: "none", message: meaning, details: "t-1" })),
  );
  const { message } = await failureOf(client.trades.get({ trade_id: "t-1" }));
  expect(message).toBe(`trades.get: ${meaning} (404) t-1 [none]`);
});

test.each([
  ["more digits than JavaScript represents", '{"trade_id":12345678901234567890}'],
  ["an infinite number", '{"trade_id":1e400}'],
  ["invisible characters", '{"trade_id":"\\u200b\\u0000"}'],
  ["deeply nested lists", `{"trade_id":"t-1","x":${"[".repeat(4_000)}${"]".repeat(4_000)}}`],
])("reports an unknown outcome for a booking whose response has %s", async (_, body) => {
  await startServerAndClient(respond(201, body));
  const error = await failureOf(client.trades.book(trade));
  expect(error).toMatchObject({ code: "outcome_unknown", outcome: "unknown", status: 201 });
});

test("refuses lookups after the client is closed", async () => {
  await startServerAndClient(respond(201, '{"trade_id":"t-1"}'));
  await client.close();
  expect(await failureOf(client.recover())).toMatchObject({ code: "no_connection", outcome: "not-sent" });
});
