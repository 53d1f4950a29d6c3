/** prepare() returns the request that is sent, without credentials. */
import { type Declaration, type Values, contract } from "../../../core/operations";
import { createClient, InvalidInput } from "../../../core";
import { respond } from "../../support/fault-server";
import { accountId, startClientAndServer } from "../support/client-fixtures";

const requestId = "99999999-8888-7777-6666-555555555555";
const payment = {
  "payment-service": "payments",
  "payment-product": "sepa-credit-transfers",
  debtorAccount: { iban: "DE52000000000012345678" },
  instructedAmount: { currency: "EUR", amount: "12.50" },
  creditorAccount: { iban: "NL13TEST0123456789" },
  creditorName: "Example Süpplies",
};
const cases: [name: string, input: Values][] = [
  ["trades.list", { trade_type: ["spot", "ndf"], page: 2 }],
  ["trades.book", { quote_id: "q/1", reason: "other", reference: "ü" }],
  ["accounts.get", { account_id: accountId }],
  ["accountDetails.updateAlias", { account_details_id: "d-1", alias: "Collections" }],
  ["approvalsWorkflow.updateSettings", { enabled: true, dual_admin: false }],
  ["payments.initiate", payment],
  ["consents.get", { "consent-id": "c-1" }],
];
const operationNamed = (name: string): Declaration => contract.operations.find((each) => each.name === name)!;
const credentials = { accessToken: "canary-token", apiKey: "canary-key" };

/** Request line, headers and body as received. */
function parseRequest(request: string) {
  const [head = "", body] = request.split("\r\n\r\n");
  const [line = "", ...fields] = head.split("\r\n");
  const headers = Object.fromEntries(
    fields.map((field) => {
      const colon = field.indexOf(":");
      return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
    }),
  );
  return { line, headers, body };
}

const withLowerCaseNames = (headers: object) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value as string]));

test.each(cases)("%s", async (name, input) => {
  const operation = operationNamed(name);
  const { server, client } = await startClientAndServer(respond(418), {
    contactId: "contact-1",
    credentials,
  });
  const prepared = client.prepare(operation, input, { requestId });
  await client.call(operation, input, { requestId }).catch(() => undefined);
  const { line, headers, body } = parseRequest(server.heads[0]!);
  expect(line).toBe(`${operation.method} ${prepared.target} HTTP/1.1`);
  expect(Buffer.from(body ?? "", "latin1").toString()).toBe(prepared.body ?? "");
  const { host, connection, "content-length": length, authorization, ...rest } = headers;
  expect([host, authorization]).toEqual([prepared.address.slice("http://".length), "Bearer canary-token"]);
  expect(connection).toBe(operation.effect === "money" ? "close" : "keep-alive");
  expect(Number(length ?? 0)).toBe(Buffer.byteLength(prepared.body ?? ""));
  const { "x-api-key": _key, "x-contact-id": _contact, ...left } = rest;
  expect(left).toEqual(withLowerCaseNames(prepared.headers));
  expect(JSON.stringify(prepared)).not.toContain("canary");
});

test("keeps a prepared booking unchanged if its input changes", async () => {
  const { client } = await startClientAndServer(respond(200));
  const input = structuredClone(payment);
  const prepared = client.prepare(operationNamed("payments.initiate"), input);
  input.instructedAmount.amount = "9999";
  expect(prepared.values.instructedAmount).toEqual({ currency: "EUR", amount: "12.50" });
  expect(prepared.body).toContain("12.50");
});

describe("redirect addresses", () => {
  const settings = {
    redirectUri: "https://app.example/done",
    notificationUri: "https://app.example/notices",
  };
  const client = createClient({ xs2aUrl: "https://xs2a.example", settings });
  const initiate = operationNamed("payments.initiate");
  afterAll(() => client.close());

  test("must be https, also in settings", async () => {
    const other = createClient({
      xs2aUrl: "https://xs2a.example",
      settings: { redirectUri: "http://x.example" },
    });
    expect(() => other.prepare(initiate, payment)).toThrow("TPP-Redirect-URI must be an https address");
    await other.close();
  });
});

describe("a booking without a reference", () => {
  const client = createClient({ baseUrl: "https://api.example", clientId: "C-1" });
  const prepared = (input: Values) =>
    client.prepare(operationNamed("trades.book"), { quote_id: "q", ...input });
  const referenceOf = (input: Values) => prepared({ reason: "other", ...input }).values.reference;
  afterAll(() => client.close());

  test("gets a generated one, which is sent", () => {
    const { values, body } = prepared({ reason: "other" });
    expect(values.reference).toMatch(/^FX-[0-9A-HJKMNP-TV-Z]{8}-[0-9A-HJKMNP-TV-Z]{8}$/);
    expect(JSON.parse(body!)).toEqual({ reason: "other", reference: values.reference });
    expect(referenceOf({})).not.toBe(values.reference);
  });

  test("is validated", () => {
    expect(() => prepared({})).toThrow("trades.book: reason is required");
    const throwing = Object.defineProperty({ quote_id: "q" }, "reason", {
      enumerable: true,
      get: () => {
        throw new Error("no reason");
      },
    });
    expect(() => client.prepare(operationNamed("trades.book"), throwing)).toThrow(InvalidInput);
    expect(() => client.prepare(operationNamed("trades.book"), null!)).toThrow(InvalidInput);
  });
});
