/** Requests as prepared and as sent: addresses, credentials and parameters; and input that is never sent. */
import { createClient, type FxdeskClient, InvalidInput } from "../../../core";
import type { Values } from "../../../core/operations";
import { inSequence, respond } from "../../support/fault-server";
import { operationNamed } from "../../support/operations";
import { closeLater } from "../../support/resources";
import { accountId, failureOf, startClientAndServer } from "../support/client-fixtures";

const requestId = "99999999-8888-7777-6666-555555555555";
const payment = {
  "payment-service": "payments",
  "payment-product": "sepa-credit-transfers",
  debtorAccount: { iban: "DE52000000000012345678" },
  instructedAmount: { currency: "EUR", amount: "12.50" },
  creditorAccount: { iban: "NL13TEST0123456789" },
  creditorName: "Example Süpplies",
} as const;
const credentials = { accessToken: "canary-token", apiKey: "canary-key" };

/** Request line, headers and body as received. */
function parseRequest(request: string) {
  const [head = "", body] = request.split("\r\n\r\n");
  const [line = "", ...fields] = head.split("\r\n");
  return {
    line,
    headers: Object.fromEntries(new Headers(fields.map((each) => each.split(": ") as [string, string]))),
    body,
  };
}

test.each<[name: string, input: Values]>([
  ["trades.list", { trade_type: ["spot", "ndf"], page: 2 }],
  ["trades.book", { quote_id: "q/1", reason: "other", reference: "ü" }],
  ["accounts.get", { account_id: accountId }],
  ["accountDetails.updateAlias", { account_details_id: "d-1", alias: "Collections" }],
  ["payments.initiate", payment],
  ["consents.get", { "consent-id": "c-1" }],
])("sends %s as prepared, with the credentials of the connection", async (name, input) => {
  const operation = operationNamed(name);
  const { server, client } = await startClientAndServer(respond(418), {
    contactId: "contact-1",
    credentials,
  });
  const prepared = client.prepare(operation, input, { requestId });
  await failureOf(client.call(operation, input, { requestId }));
  const { line, headers, body } = parseRequest(server.heads[0]!);
  expect(line).toBe(`${operation.method} ${prepared.target} HTTP/1.1`);
  expect(Buffer.from(body ?? "", "latin1").toString()).toBe(prepared.body ?? "");
  const carried = ["accessToken", "apiKey", "contactId"].map((credential) =>
    operation.credentials.some((each) => each.replace("?", "") === credential),
  );
  expect(["authorization", "x-api-key", "x-contact-id"].map((each) => each in headers)).toEqual(carried);
  expect(headers).toMatchObject({
    ...Object.fromEntries(new Headers(prepared.headers)),
    host: new URL(server.url).host,
    authorization: "Bearer canary-token",
    connection: operation.effect === "money" ? "close" : "keep-alive",
    ...(prepared.body !== undefined && { "content-length": String(Buffer.byteLength(prepared.body)) }),
  });
  expect(JSON.stringify(prepared)).not.toContain("canary");
});

test("adds the client, which a call can override, and keeps the path of the address", async () => {
  const server = await startClientAndServer(respond(200, "[]"));
  const { url } = server.server;
  const client = closeLater(
    createClient({ baseUrl: `${url}/base/`, clientId: "c 1", credentials: { accessToken: "t" } }),
  );
  await client.trades.list();
  await client.trades.list({}, { clientId: "other" });
  expect(server.server.heads.map((head) => head.split(" ")[1])).toEqual([
    "/base/trades?client_id=c%201",
    "/base/trades?client_id=other",
  ]);
});

test.each(["PDF", "pdf"])("accepts the format %s and sends it in lower case", async (format) => {
  const { server, client } = await startClientAndServer(respond(202, "ok", { "content-type": "text/plain" }));
  const [date_from, date_to] = ["2026-01-01", "2026-01-31"];
  await client.statements.emailAccounts({ date_from, date_to, format: format as "pdf" });
  expect(parseRequest(server.heads[0]!).body).toBe(JSON.stringify({ date_from, date_to, format: "pdf" }));
});

test("accepts a reason in its usual spelling and sends that of the contract", async () => {
  const { server, client } = await startClientAndServer(respond(201, '{"trade_id":"T-1"}'));
  await client.trades.book({
    quote_id: "q",
    reason: "mortgage_repayment" as "mortage_repayment",
    reference: "r",
  });
  expect(JSON.parse(parseRequest(server.heads[0]!).body!)).toMatchObject({ reason: "mortage_repayment" });
});

const consent = { "consent-id": "c1" };
test.each<[field: string, call: (client: FxdeskClient) => Promise<unknown>]>([
  ["quote_id", (client) => client.trades.book({ reason: "other" } as never)],
  ["reason", (client) => client.trades.book({ quote_id: "q", reason: "gift" } as never)],
  ["amount", (client) => client.trades.list({ amount: 1 } as never)],
  ["trade_id", (client) => client.trades.get({ trade_id: ".." })],
  ["account_id", (client) => client.statements.getFile({ account_id: "7", statement_id: accountId })],
  ["PSU-Http-Method", (client) => client.consents.get(consent, { psu: { "PSU-Http-Method": "TRACE" } })],
  ["PSU-User-Agent", (client) => client.consents.get(consent, { psu: { "PSU-User-Agent": "a\r\nb: c" } })],
  ["X-Request-ID", (client) => client.consents.get(consent, { requestId: "once" })],
  ["effect", (client) => client.request({ method: "POST", path: "/p", effect: "read" } as never)],
  ["body", (client) => client.request({ method: "POST", path: "/p", body: [{ a: 1 }] } as never)],
  ["query", (client) => client.request({ method: "GET", path: "/p", query: "a=1" } as never)],
  ["path", (client) => client.request({ method: "GET", path: "payments" })],
  ["method", (client) => client.request({ method: "GET\r\n", path: "/payments" } as never)],
])("does not send invalid input, and names %s", async (field, call) => {
  const { server, client } = await startClientAndServer(respond(200, "[]"));
  const error = await failureOf(call(client));
  expect(error).toBeInstanceOf(InvalidInput);
  expect(error).toMatchObject({
    outcome: "not-sent",
    message: expect.stringContaining(field) as string,
  });
  expect(server.heads).toHaveLength(0);
});

test.each([
  ["InvalidInput", { psu: { "PSU-IP-Address": "zzz" } }, "consents.get"],
  ["InvalidInput", { credentials: { accessToken: "token\n" } }, "trades.list"],
  ["Unauthorized", { credentials: {} }, "trades.list"],
])("sends nothing but fails with %s for the connection %j", async (name, options, operation) => {
  const { server, client } = await startClientAndServer(respond(200, "{}"), options);
  const call = client.call(operationNamed(operation), operation === "consents.get" ? consent : {});
  expect(await failureOf(call)).toMatchObject({ name, outcome: "not-sent" });
  expect(server.heads).toHaveLength(0);
});

test("calls an undocumented path with the same credentials and errors", async () => {
  const refusal = respond(409, '{"code":"c","message":"m","details":"d"}');
  const { server, client } = await startClientAndServer(
    inSequence(respond(201, '{"quote_id":"q-1"}'), refusal),
  );
  const request = {
    method: "POST",
    path: "/quotes",
    query: { quote_type: "quote" },
    body: { a: 1 },
  } as const;
  await expect(client.request(request)).resolves.toMatchObject({ status: 201, body: { quote_id: "q-1" } });
  expect(server.heads[0]).toMatch(/^POST \/quotes\?quote_type=quote HTTP[^]*authorization: Bearer token/i);
  await expect(client.request(request)).rejects.toMatchObject({ name: "Conflict", service: { code: "c" } });
});

describe("a prepared call", () => {
  const settings = { redirectUri: "http://x.example" };
  const options = {
    baseUrl: "https://api.example",
    xs2aUrl: "https://xs2a.example",
    clientId: "C-1",
    settings,
  };
  const prepare = (name: string, input: Values) =>
    closeLater(createClient(options)).prepare(operationNamed(name), input);

  test("stays unchanged if its input changes", () => {
    const input = structuredClone<Values>({ ...payment, "TPP-Redirect-URI": "https://app.example/done" });
    const prepared = prepare("payments.initiate", input);
    (input.instructedAmount as { amount: string }).amount = "9999";
    expect(prepared.values.instructedAmount).toEqual({ currency: "EUR", amount: "12.50" });
    expect(prepared.body).toContain("12.50");
  });

  test("validates what settings fill in", () => {
    expect(() => prepare("payments.initiate", payment)).toThrow("TPP-Redirect-URI must be an https address");
  });

  test("of a booking without a reference gets a new one, which is sent", () => {
    const input = { quote_id: "q", reason: "other" };
    const { values, body } = prepare("trades.book", input);
    expect(values.reference).toMatch(/^FX-[0-9A-HJKMNP-TV-Z]{8}-[0-9A-HJKMNP-TV-Z]{8}$/);
    expect(JSON.parse(body!)).toEqual({ reason: "other", reference: values.reference });
    const other = prepare("trades.book", { ...input, quote_id: "q-2" });
    expect(other.values.reference).not.toBe(values.reference);
  });

  test("of a booking without a reference is validated", () => {
    const throwing = Object.defineProperty({ quote_id: "q" }, "reason", {
      enumerable: true,
      get: () => {
        throw new Error("no reason");
      },
    });
    for (const input of [{ quote_id: "q" }, throwing, null!])
      expect(() => prepare("trades.book", input)).toThrow(InvalidInput);
  });
});
