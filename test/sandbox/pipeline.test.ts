/** Tests authorisation, validation, formats, routing errors and the log, and the page of operations. */
import { contract } from "@fxdesk/toolkit/operations";
import { demo, type Sandbox } from "@fxdesk/sandbox";
import type { OpenApiDocument } from "../../core/openapi/document";
import { extensionOperations } from "../../sandbox/src/extensions/extension-operations";
import { newRequestId } from "../support/request-id";
import { openSandbox } from "../support/sandboxes";
import { consentTerms, person } from "./open-banking/bank";
import { ask, demoHeaders } from "./support/http";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});

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
    ["another scheme", `/accounts?currencies=EUR&${demoClient}`, { authorization: "Basic ZGVtbzpkZW1v" }],
    ["no API key on trades", `/trades?${demoClient}`, { authorization }],
    ["an unknown API key on trades", `/trades?${demoClient}`, { authorization, "x-api-key": "other" }],
    ["an API key alone", `/trades?${demoClient}`, { "x-api-key": apiKey }],
  ])("%s is 401 without a body", async (_case, path, headers) => {
    expect(await get(path, headers)).toMatchObject({ status: 401, text: "" });
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

test("requires the contact to read a transaction", async () => {
  const path = `/accounts/${account}/transactions/${account}?${demoClient}`;
  expect(await get(path)).toMatchObject({ status: 400 });
  expect(lastRefusal()).toContain("X-Contact-ID is required");
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
  test("unknown paths are 404, with codes of the standard for open banking", async () => {
    const { status, text } = await get("/accounts/a/b/c/d/e");
    expect([status, codeOf(text)]).toEqual([404, "not_found"]);
    const standard = await get("/v1/cards");
    expect(standard.status).toBe(404);
    expect(JSON.parse(standard.text)).toMatchObject({ tppMessages: [{ code: "RESOURCE_UNKNOWN" }] });
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
    ["/v1/payments/wire-transfers", "PRODUCT_UNKNOWN", "payment-product wire-transfers"],
    ["/v1/loans/sepa-credit-transfers", "PRODUCT_UNKNOWN", "payment-service loans"],
    ["/v1/loans/wire-transfers", "RESOURCE_UNKNOWN", "path"],
    [
      "/v1/payments/sepa-credit-transfers/p-1/approvals",
      "RESOURCE_UNKNOWN",
      "payment-authorisation approvals",
    ],
  ])("names the invalid part of %s", async (path, code, text) => {
    const response = await ask(sandbox, path, { method: "POST" });
    expect(response.status).toBe(404);
    expect(JSON.parse(response.text)).toEqual({
      tppMessages: [{ category: "ERROR", code, text: expect.stringContaining(text) as string }],
    });
  });
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

describe("formats", () => {
  let accountId: string;
  beforeAll(async () => {
    const { text } = await get(`/accounts?currencies=EUR&${demoClient}`);
    accountId = (JSON.parse(text) as { account_id: string }[])[0]!.account_id;
  });

  const reason = () => lastRefusal()?.replace("The request is invalid. ", "");

  test.each([
    [
      "balances?balance_types=Incoming,Outgoing",
      "balance_types must be repeated for each value, without commas.",
    ],
    [
      "balances?balance_types=Incoming%2COutgoing",
      "balance_types must be repeated for each value, without commas.",
    ],
    ["balances?balance_types=", "balance_types must not be empty."],
    ['balances?balance_types=["Incoming"]', "balance_types must be a list without brackets."],
    ["balances?balance_types=Incoming&balance_types=", "balance_types must not be empty."],
    ["transactions?page=%201", "page must be a whole number of at most 2147483647."],
    ["transactions?page=1%20", "page must be a whole number of at most 2147483647."],
    ["transactions?page=2147483648", "page must be a whole number of at most 2147483647."],
    ["transactions?page_size=2147483648", "page_size must be a whole number of at most 2147483647."],
  ])("refuses %s of an account", async (rest, details) => {
    expect(await get(`/accounts/${accountId}/${rest}&${demoClient}`)).toMatchObject({ status: 400 });
    expect(reason()).toBe(details);
  });

  test.each([
    ["trade_type=", "trade_type must not be empty."],
    ["trade_type=spot,,forward", "trade_type must not be empty."],
    ["trade_type=[spot]", "trade_type must be a list without brackets."],
  ])("refuses %s of trades", async (query, details) => {
    expect(await get(`/trades?${query}&${demoClient}`)).toMatchObject({ status: 400 });
    expect(reason()).toBe(details);
  });

  test.each(["trade_type=spot,ndf", "trade_type=spot&trade_type=ndf"])(
    "accepts %s of trades",
    async (query) => {
      const { text } = await get(`/trades?${query}&${demoClient}`);
      const types = (JSON.parse(text) as { trade_type: string }[]).map(({ trade_type: type }) => type);
      expect(new Set(types)).toEqual(new Set(["spot", "ndf"]));
    },
  );

  test("accepts file formats in lower case only", async () => {
    const period = { from_value_datetime: "2026-03-01T00:00", to_value_datetime: "2026-03-02T00:00" };
    const path = `/accounts/${accountId}/statements/file?format=PDF&${demoClient}`;
    expect(await post(path, JSON.stringify(period))).toMatchObject({ status: 400 });
    expect(reason()).toBe("format must be one of pdf, csv, mt940, xls.");
  });

  test.each(["javascript:alert(1)", "http://example.com/", "https://user:secret@example.com/"])(
    "refuses to redirect to %s",
    async (address) => {
      const headers = { "x-request-id": newRequestId(), ...person, "tpp-redirect-uri": address };
      expect(await post("/v1/consents", JSON.stringify(consentTerms), headers)).toMatchObject({
        status: 400,
      });
    },
  );
});

describe("the page of operations", () => {
  interface Described {
    readonly operationId: string;
    readonly servers: readonly { readonly url: string }[];
    readonly parameters: readonly {
      readonly name: string;
      readonly schema: { readonly default?: unknown };
    }[];
  }

  async function described(): Promise<readonly Described[]> {
    const { text } = await ask(sandbox, "/docs/openapi.json");
    const { paths } = JSON.parse(text) as OpenApiDocument;
    return Object.values(paths).flatMap((atPath) => Object.values(atPath) as Described[]);
  }

  test("lists all operations with this sandbox as server", async () => {
    const all = await described();
    const names = [...contract.operations, ...extensionOperations].map(({ name }) => name);
    expect(all.map(({ operationId }) => operationId).toSorted()).toEqual(names.toSorted());
    for (const { servers } of all) expect(servers).toEqual([{ url: sandbox.baseUrl }]);
  });

  test("fills in connection settings as defaults", async () => {
    const defaults = (await described()).flatMap(({ parameters }) =>
      parameters
        .filter(({ name }) => /^(client_id|PSU-IP-Address)$/.test(name))
        .map(({ schema }) => schema.default),
    );
    expect(new Set(defaults)).toEqual(new Set([demo.clientId, "127.0.0.1"]));
  });

  test("is neither logged nor readable by other origins", async () => {
    const before = sandbox.requests.length;
    const foreign = { headers: { origin: "http://elsewhere.example" } };
    for (const path of ["/docs", "/docs/openapi.json", "/docs/explorer.js"]) {
      expect((await ask(sandbox, path)).status).toBe(200);
      expect((await ask(sandbox, path, foreign)).status).toBe(403);
    }
    expect(sandbox.requests).toHaveLength(before);
  });

  test.each([
    ["/docs", "'self'"],
    ["/", ""],
  ])("%s cannot be framed, and loads its own content only", async (path, own) => {
    const policy = (await ask(sandbox, path)).headers.get("content-security-policy")!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toMatch(new RegExp(`script-src 'sha256-[^']+' ?${own}(;|$)`));
    expect(policy).not.toMatch(/https?:|unsafe-eval|script-src[^;]*unsafe-inline/);
  });
});
