/** Tests the simulation of custom services and operations. */
import { contract, extendService, json, operation } from "@fxdesk/toolkit/operations";
import { type AnyBehaviour, HttpError, type Sandbox } from "@fxdesk/sandbox";
import { z } from "zod";
import { extensionOperations } from "../../sandbox/src/extensions/extension-operations";
import { openSandbox } from "../support/sandboxes";
import { secondService } from "../support/second-service";
import { ask, demoHeaders } from "./support/http";

const behaviours: Readonly<Record<string, AnyBehaviour>> = {
  "rates.get": () => ({ status: 200, body: { pair: "EURUSD", rate: 1.1 } }),
  "rates.set": ({ values }: { values: object }) => ({ status: 201, body: values }),
};
const trace = "00000000-0000-4000-8000-000000000001";
const key = { "x-desk-key": "demo-desk-key", "x-trace": trace };

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openSandbox({ service: secondService, behaviours });
});

const get = (path: string, headers: Record<string, string> = key) => ask(sandbox, path, { headers });

test("serves its operations with its credentials", async () => {
  const response = await get("/v1/rates/EURUSD");
  expect([response.status, response.text]).toEqual([200, '{"pair":"EURUSD","rate":1.1}']);
  expect(sandbox.demo.deskKey).toBe("demo-desk-key");
});

test.each([
  ["with the key of the contract", { "x-api-key": "demo-api-key" }, "X-Desk-Key is missing or unknown."],
  ["with another key", { "x-desk-key": "other" }, "X-Desk-Key is missing or unknown."],
  ["with a token it does not know", { ...key, "x-desk-token": "Bearer x" }, "The access token is unknown."],
])("refuses a call %s with its own error body", async (_case, headers, text) => {
  const { status, text: body } = await get("/v1/rates/EURUSD", { "x-trace": trace, ...headers });
  expect([status, JSON.parse(body)]).toEqual([401, { errors: [{ id: "token_invalid", text }] }]);
});

test("accepts an optional token from the header of the service", async () => {
  const headers = { ...key, "x-desk-token": "Bearer demo-access-token" };
  expect(await get("/v1/rates/EURUSD", headers)).toMatchObject({ status: 200 });
});

test.each([
  ["a path parameter", "/v1/rates/EUR", { headers: key }],
  [
    "a body",
    "/v1/rates",
    { method: "POST", headers: { ...key, "content-type": "application/json" }, body: "{}" },
  ],
])("refuses an invalid %s", async (_case, path, request) => {
  const { status, text } = await ask(sandbox, path, request);
  expect([status, JSON.parse(text)]).toMatchObject([400, { errors: [{ id: "validation_error" }] }]);
});

test("echoes the request ID, including under /v1/", async () => {
  const sent = await get("/v1/rates/EURUSD");
  expect(sent.headers.get("x-trace")).toBe(trace);
  const unsent = await get("/v1/nothing", {});
  expect([unsent.status, unsent.headers.has("x-trace"), unsent.headers.has("x-request-id")]).toEqual([
    404,
    false,
    false,
  ]);
  expect(JSON.parse(unsent.text)).toEqual({
    errors: [{ id: "not_found", text: "The path is unknown." }],
  });
});

test("serves the controls but no operations of the contract", async () => {
  expect(await get("/_sandbox/clock")).toMatchObject({ status: 200 });
  const refused = await get("/_sandbox/clock", { origin: "http://elsewhere.example" });
  expect([refused.status, JSON.parse(refused.text)]).toMatchObject([403, { code: "foreign_origin" }]);
  for (const path of ["/quotes/fx-availability", "/v1/consents/none", "/accounts"])
    expect(await get(path, demoHeaders)).toMatchObject({ status: 404 });
});

test("tells monitoring systems its health and its responses by status", async () => {
  const before = await get("/metrics");
  expect((await get("/health")).status).toBe(200);
  await get("/v1/rates/EURUSD");
  const counted = ({ text }: { readonly text: string }) =>
    Number(/^fxdesk_sandbox_requests_total\{status="200"\} (\d+)$/m.exec(text)?.[1] ?? 0);
  // Its own pages do not count.
  expect(counted(await get("/metrics")) - counted(before)).toBe(1);
});

test("applies faults to its operations", async () => {
  sandbox.force("rates.get", 400);
  const { text } = await get("/v1/rates/EURUSD");
  expect(JSON.parse(text)).toEqual({ errors: [{ id: "forced", text: "Wrong." }] });
});

test("keeps the sandbox's own operations for an extended contract", async () => {
  const path = "/quotes/fx-availability?client_id=client-demo";
  const echo = operation({
    ...secondService.operations[0],
    server: "service",
    credentials: ["accessToken"],
    name: "more.rate",
    tool: "more_rate",
  });
  const whole = extendService(contract, { operations: extensionOperations }, ["quotes.create"]);
  for (const service of [extendService(contract, { operations: [echo] }), whole]) {
    const playing = await openSandbox({ service });
    expect((await ask(playing, path, { headers: demoHeaders })).status).toBe(200);
  }
});

const echo = operation({
  name: "tools.echo",
  tool: "echo",
  title: "Echo",
  summary: "Says it again.",
  effect: "read",
  method: "GET",
  path: "/docs",
  server: "service",
  credentials: ["accessToken"],
  query: { word: z.string() },
  responses: { 200: json(z.object({ word: z.string() }), "The word.") },
  errors: {},
  contract: "",
});

test("answers with an example, or by a custom behaviour, also at a path of the sandbox", async () => {
  const service = { ...contract, operations: [echo] };
  const silent = await openSandbox({ service });
  const answering = await openSandbox({
    service,
    behaviours: {
      "tools.echo": ({ values }: { values: { word: string } }) => {
        if (values.word === "hush") throw new HttpError(409, "quiet", "Not now.");
        return { status: 200, body: values };
      },
    },
  });
  const said = async (playing: Sandbox, word: string) => {
    const { status, text } = await ask(playing, `/docs?word=${word}`, { headers: demoHeaders });
    return [status, JSON.parse(text)] as const;
  };
  expect(await said(silent, "hello")).toEqual([200, { word: "example" }]);
  expect(await said(answering, "hello%20you")).toEqual([200, { word: "hello you" }]);
  expect(await said(answering, "hush")).toMatchObject([409, { code: "quiet" }]);
});
