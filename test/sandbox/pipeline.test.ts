/** Tests authorisation, validation and routing errors. */
import { contract, json, operation } from "@fxdesk/toolkit/operations";
import { HttpError, type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { z } from "zod";
import { ask, demoHeaders } from "./support/http";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

const demoClient = "client_id=client-demo";
const account = "00000000-0000-4000-8000-000000000000";
const get = (path: string, headers: Record<string, string> = demoHeaders) => ask(sandbox, path, { headers });
const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  ask(sandbox, path, {
    method: "POST",
    body,
    headers: { ...demoHeaders, "content-type": "application/json", ...headers },
  });

const codeOf = (text: string) => (JSON.parse(text) as { code: string }).code;
const lastRefusal = () => sandbox.requests.at(-1)!.refusal;

describe("credentials", () => {
  const { authorization, "x-api-key": apiKey } = demoHeaders;

  test.each([
    ["no access token", `/accounts?currencies=EUR&${demoClient}`, {}],
    ["an unknown access token", `/accounts?currencies=EUR&${demoClient}`, { authorization: "Bearer nobody" }],
    ["another scheme", `/accounts?currencies=EUR&${demoClient}`, { authorization: "Basic ZGVtbzpkZW1v" }],
    ["no API key on trades", `/trades?${demoClient}`, { authorization }],
    ["an unknown API key on trades", `/trades?${demoClient}`, { authorization, "x-api-key": "other" }],
    ["an API key alone", `/trades?${demoClient}`, { "x-api-key": apiKey }],
  ])("%s is 401 without a body", async (_case, path, headers) => {
    expect(await get(path, headers)).toMatchObject({ status: 401, text: "" });
  });

  test("requires an API key only where documented", async () => {
    expect(await get(`/accounts?currencies=EUR&${demoClient}`, { authorization })).toMatchObject({
      status: 200,
    });
  });

  test("accepts open-banking calls without a token and refuses unknown tokens", async () => {
    expect(await get("/v1/consents/none/status", {})).not.toMatchObject({ status: 401 });
    const refused = await get("/v1/consents/none/status", { authorization: "Bearer nobody" });
    expect(refused.status).toBe(401);
    expect(JSON.parse(refused.text)).toMatchObject({
      tppMessages: [{ category: "ERROR", code: "TOKEN_UNKNOWN" }],
    });
  });
});

test("refuses unknown body fields", async () => {
  const body = JSON.stringify({ currency: "EUR", country: "DE", contry: "DE", client_id: "client-other" });
  const { status, text } = await post(`/account-details/request?${demoClient}&contry=DE`, body);
  expect([status, JSON.parse(text)]).toMatchObject([
    400,
    {
      code: "validation_error",
      details: "contry is not a known field. body.client_id is not a known field.",
    },
  ]);
});

describe("the client", () => {});

describe("the contact", () => {
  const transaction = `/accounts/${account}/transactions/${account}?${demoClient}`;

  test("is required to read a transaction", async () => {
    expect(await get(transaction)).toMatchObject({ status: 400 });
    expect(lastRefusal()).toContain("X-Contact-ID is required");
  });
});

describe("values", () => {
  test("are named in the documented ErrorMessage", async () => {
    const { status, text } = await get(`/account-details?${demoClient}&country=Germany&page=0`);
    expect(status).toBe(400);
    expect(JSON.parse(text)).toEqual({
      code: "validation_error",
      message: "The request is invalid.",
      details: expect.stringMatching(/country must be two capital letters.*page must be at least 1/),
    });
  });

  test("are named in the request log if no body is documented", async () => {
    expect(await get(`/trades?${demoClient}&page=0`)).toMatchObject({ status: 400, text: "" });
    expect(lastRefusal()).toContain("page must be at least 1");
  });

  test("must satisfy rules over several fields", async () => {
    expect(await get(`/funding-account?${demoClient}`)).toMatchObject({ status: 400 });
    expect(await get(`/funding-account?${demoClient}&currency=EUR&account_id=${account}`)).toMatchObject({
      status: 400,
    });
  });

  test.each([
    ["text that is no JSON", "{", "application/json"],
    ["a list", "[]", "application/json"],
    ["null", "null", "application/json"],
    ["nothing", "", "application/json"],
    ["another media type", "a=1", "application/x-www-form-urlencoded"],
    ["a body that is too large", JSON.stringify({ country: "x".repeat(6_000_000) }), "application/json"],
  ])("a body with %s is 400", async (_case, body, type) => {
    const path = `/account-details/request?${demoClient}`;
    const { status, text } = await post(path, body, { "content-type": type });
    expect([status, codeOf(text)]).toEqual([400, "validation_error"]);
  });

  test("a body of another media type is 415 where that is documented", async () => {
    const headers = { "content-type": "text/plain", "x-request-id": account, "psu-ip-address": "192.0.2.1" };
    expect(await post("/v1/consents", "hello", headers)).toMatchObject({ status: 415, text: "" });
  });

  test("a malformed path is 400", async () => {
    expect(await get("/trades/%E0%A4%A?client_id=client-demo")).toMatchObject({ status: 400 });
  });
});

describe("paths", () => {
  test.each([
    ["/nothing", "not_found"],
    ["/accounts/a/b/c/d/e", "not_found"],
  ])("%s is 404", async (path, code) => {
    const { status, text } = await get(path);
    expect([status, codeOf(text)]).toEqual([404, code]);
  });

  test("unknown open-banking paths get codes of the standard", async () => {
    const { status, text } = await get("/v1/cards");
    expect(status).toBe(404);
    expect(JSON.parse(text)).toMatchObject({ tppMessages: [{ code: "RESOURCE_UNKNOWN" }] });
  });

  test("an unsupported method is 405 with Allow", async () => {
    const { status, headers } = await ask(sandbox, `/trades?${demoClient}`, {
      method: "DELETE",
      headers: demoHeaders,
    });
    expect([status, headers.get("allow")]).toEqual([405, "POST, GET"]);
  });

  test("currency-accounts is not taken as an account ID", async () => {
    const { status, text } = await get(`/accounts/currency-accounts?${demoClient}`);
    expect(status).toBe(200);
    expect(JSON.parse(text)).toContainEqual({ account_id: expect.any(Number), currency: "EUR" });
  });

  test.each([
    ["/v1/accounts/sepa-credit-transfers", "POST", 405],
    ["/v1/consents/c-1/status/more", "GET", 404],
    ["/v1/standing-orders/sepa-credit-transfers/p-1/status", "GET", 404],
    ["/v1/payments/sepa-credit-transfers/p-1/other-authorisations", "GET", 404],
  ])("does not route %s as a payment", async (path, method, status) => {
    expect(await ask(sandbox, path, { method })).toMatchObject({ status });
  });

  test.each([
    [
      "/v1/payments/wire-transfers",
      "PRODUCT_UNKNOWN",
      "The payment-product wire-transfers is unknown. It must be one of sepa-",
    ],
    [
      "/v1/loans/sepa-credit-transfers",
      "PRODUCT_UNKNOWN",
      "The payment-service loans is unknown. It must be one of payments,",
    ],
    ["/v1/loans/wire-transfers", "RESOURCE_UNKNOWN", "The path is unknown."],
    [
      "/v1/payments/sepa-credit-transfers/p-1/approvals",
      "RESOURCE_UNKNOWN",
      "payment-authorisation approvals is unknown. It must be",
    ],
  ])("names the invalid part of %s", async (path, code, text) => {
    const response = await ask(sandbox, path, { method: "POST" });
    expect(response.status).toBe(404);
    expect(JSON.parse(response.text)).toEqual({
      tppMessages: [{ category: "ERROR", code, text: expect.stringContaining(text) as string }],
    });
  });
});

test("calls a custom behaviour, or responds with an example", async () => {
  const echo = operation({
    name: "tools.echo",
    tool: "echo",
    title: "Echo",
    summary: "Says it again.",
    effect: "read",
    method: "GET",
    path: "/echo/{word}",
    server: "service",
    credentials: ["accessToken"],
    parameters: { word: z.string() },
    responses: { 200: json(z.object({ word: z.string() }), "The word.") },
    errors: {},
    contract: "",
  });
  const service = { ...contract, operations: [echo] };
  const silent = await startSandbox({ service });
  const answering = await startSandbox({
    service,
    behaviours: {
      "tools.echo": ({ values }: { values: { word: string } }) => {
        if (values.word === "hush") throw new HttpError(409, "quiet", "Not now.");
        return { status: 200, body: values };
      },
    },
  });
  try {
    const nothing = await ask(silent, "/echo/hello", { headers: demoHeaders });
    expect([nothing.status, JSON.parse(nothing.text)]).toEqual([200, { word: "example" }]);
    const hello = await ask(answering, "/echo/hello%20you", { headers: demoHeaders });
    expect(JSON.parse(hello.text)).toEqual({ word: "hello you" });
    expect(await ask(answering, "/echo/hush", { headers: demoHeaders })).toMatchObject({ status: 409 });
  } finally {
    await silent.close();
    await answering.close();
  }
});

test("logs each request with status and reason of refusal", async () => {
  const before = sandbox.requests.length;
  await get(`/accounts?currencies=EUR&${demoClient}`);
  await get(`/trades/none?${demoClient}`);
  const number = expect.any(Number) as number;
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string;
  expect(sandbox.requests.slice(before)).toEqual([
    { number, time, method: "GET", url: `/accounts?currencies=EUR&${demoClient}`, status: 200 },
    {
      number,
      time,
      method: "GET",
      url: `/trades/none?${demoClient}`,
      status: 404,
      refusal: "The trade is unknown. none",
    },
  ]);
});
