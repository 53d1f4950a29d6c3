/** Spans of OpenTelemetry: one trace from a caller through the core to the service, without secrets or personal data. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inSequence, reset, respond } from "../../support/fault-server";
import { tempFolder } from "../../support/resources";
import { openSandbox, openClient } from "../../support/sandboxes";
import { bearer, revisions, serve, token } from "../../mcp/support/clients";
import { disableBackoff, failureOf, startClientAndServer } from "../support/client-fixtures";

interface SpanLine {
  readonly name: string;
  readonly attributes: Record<string, string | number>;
  readonly status: { readonly code: number };
  readonly traceId: string;
  readonly spanId: string;
  readonly parent?: string;
}

const callerTrace = "4bf92f3577b34da6a3ce929d0e0e4736";
const traceparent = `00-${callerTrace}-00f067aa0ba902b7-01`;
const ok = 0;
const failed = 2;

beforeAll(async () => {
  process.env.SPANS_FILE = join(await tempFolder(), "spans");
  require("../../support/collect-spans");
});

let read = 0;
/** Returns the spans since the last call, in the order in which they ended. */
function endedSpans(): SpanLine[] {
  const lines = readFileSync(process.env.SPANS_FILE!, "utf8").trim().split("\n").slice(read);
  read += lines.length;
  return lines.map((line) => JSON.parse(line) as SpanLine);
}

const traceIdOf = (head: string) => /^traceparent: 00-(\w+)-(\w+)/m.exec(head)?.slice(1);

test("a call has one span for each attempt, whose context the service receives", async () => {
  disableBackoff();
  const { client, server } = await startClientAndServer(inSequence(reset, respond(503), respond(200, "[]")));
  await client.trades.list({ parent_trade_id: "PRIVATE-7" });
  const spans = endedSpans();
  const [call] = spans.slice(-1);
  const attempts = spans.slice(0, -1);
  const url = new URL(server.url);
  const shared = {
    "http.request.method": "GET",
    "url.template": "/trades",
    "server.address": url.hostname,
    "server.port": Number(url.port),
  };
  expect(call).toMatchObject({
    name: "trades.list",
    attributes: { "fxdesk.operation": "trades.list", "fxdesk.effect": "read" },
    status: { code: ok },
  });
  expect(attempts.map(({ attributes, status }) => ({ ...attributes, code: status.code }))).toEqual([
    { ...shared, "error.type": "connection", code: failed },
    {
      ...shared,
      "http.request.resend_count": 1,
      "http.response.status_code": 503,
      "error.type": "503",
      code: failed,
    },
    { ...shared, "http.request.resend_count": 2, "http.response.status_code": 200, code: ok },
  ]);
  expect(attempts.map(({ parent }) => parent)).toEqual(attempts.map(() => call!.spanId));
  expect(server.heads.map(traceIdOf)).toEqual(attempts.map(({ traceId, spanId }) => [traceId, spanId]));
  expect(JSON.stringify(spans)).not.toMatch(/PRIVATE|token|client-/);
});

test("a refused call names the code and the outcome, and no text of the service", async () => {
  const { client } = await startClientAndServer(respond(403, '{"message":"PRIVATE"}'));
  const error = await failureOf(client.trades.list());
  const [, call] = endedSpans();
  expect(call).toMatchObject({
    status: { code: failed },
    attributes: { "error.type": error.code, "fxdesk.outcome": error.outcome },
  });
  expect(JSON.stringify(call)).not.toContain("PRIVATE");
});

test("one trace leads from the call of a tool to the service, and a failed tool is an error", async () => {
  const { client, server } = await startClientAndServer(inSequence(respond(200, "[]"), respond(403, "{}")));
  const { url } = await serve({ client, port: 0, token });
  const host = await revisions["2026-07-28"].http(url, bearer());
  const call = { name: "list_trades", arguments: {}, _meta: { traceparent } };
  await host.callTool(call);
  await host.callTool(call);
  const tools = endedSpans().filter(({ name }) => name.startsWith("tools/"));
  expect(tools.map(({ attributes, traceId, parent }) => ({ ...attributes, traceId, parent }))).toMatchObject([
    { "gen_ai.tool.name": "list_trades", "mcp.method.name": "tools/call", parent: "00f067aa0ba902b7" },
    { "error.type": "tool_error", traceId: callerTrace },
  ]);
  expect(server.heads.map((head) => traceIdOf(head)?.[0])).toEqual([callerTrace, callerTrace]);
});

test("a round of a watch is a span with its calls", async () => {
  const sandbox = await openSandbox();
  const client = openClient(sandbox, { store: join(await tempFolder(), "store.db") });
  for await (const _ of client.trades.watch({}, { from: "beginning" })) break;
  const spans = endedSpans();
  const round = spans.find(({ name }) => name === "watch trades.watch");
  const calls = spans.filter(({ name }) => name === "trades.list");
  expect(calls.length).toBeGreaterThan(0);
  expect(calls.map(({ parent }) => parent)).toEqual(calls.map(() => round!.spanId));
});
