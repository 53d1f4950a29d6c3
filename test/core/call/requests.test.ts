/** Requests as sent: addresses, credentials, parameters; and input that is never sent. */
import {
  type CallOptions,
  createClient,
  type ClientOptions,
  type FxdeskClient,
  InvalidInput,
} from "../../../core";
import { faultServer, type FaultServer, inSequence, respond } from "../../support/fault-server";

let server: FaultServer;
const clients: FxdeskClient[] = [];

function connectClient(options: ClientOptions = {}): FxdeskClient {
  const client = createClient({
    baseUrl: server.url,
    xs2aUrl: `${server.url}/open-banking/`,
    clientId: "c 1",
    credentials: { accessToken: "token-1" },
    ...options,
  });
  clients.push(client);
  return client;
}

const startServer = async (...responses: Parameters<typeof inSequence>) =>
  (server = await faultServer(inSequence(...responses)));

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await server.close();
});

const account = "11111111-2222-3333-4444-555555555555";

test("sends client ID, token, contact and API key of the connection", async () => {
  await startServer(respond(200, "[]"));
  await connectClient({
    contactId: "contact-1",
    credentials: { accessToken: "token-1", apiKey: "key-1" },
  }).trades.list({ trade_type: ["spot", "ndf"], page: 2 });
  const [head] = server.heads;
  expect(head).toMatch(/^GET \/trades\?client_id=c%201&trade_type=spot,ndf&page=2 HTTP/);
  expect(head).toMatch(/authorization: Bearer token-1\r\n/i);
  expect(head).toMatch(/x-api-key: key-1\r\n/i);
  expect(head).toMatch(/X-Contact-ID: contact-1\r\n/i);
});

test("lets a call override the client", async () => {
  await startServer(respond(200, "[]"));
  await connectClient().trades.list({}, { clientId: "other" });
  expect(server.heads[0]).toContain("client_id=other");
});

test("sends only body fields in the body", async () => {
  await startServer(respond(201, '{"trade_id":"t-1"}'));
  await connectClient().trades.book({ quote_id: "q/1", reason: "mortage_repayment", reference: "FI/21" });
  expect(server.heads[0]).toMatch(/^POST \/trades\?quote_id=q%2F1&client_id=c%201 HTTP/);
  expect(server.heads[0]!.split("\r\n\r\n")[1]).toBe('{"reason":"mortage_repayment","reference":"FI/21"}');
});

test.each(["PDF", "pdf"])("accepts the format %s and sends it in lower case", async (format) => {
  await startServer(respond(202, "ok", { "content-type": "text/plain" }));
  const [date_from, date_to] = ["2026-01-01", "2026-01-31"];
  await connectClient().statements.emailAccounts({ date_from, date_to, format: format as "pdf" });
  expect(server.heads[0]!.split("\r\n\r\n")[1]).toBe(JSON.stringify({ date_from, date_to, format: "pdf" }));
});

const invalidCalls: [message: RegExp, call: (client: FxdeskClient) => Promise<unknown>][] = [
  [/quote_id is required/, (client) => client.trades.book({ reason: "other" } as never)],
  [
    /reason must be one of .*not "gift"/,
    (client) => client.trades.book({ quote_id: "q", reason: "gift" } as never),
  ],
  [/amount is not a known field; the fields are/, (client) => client.trades.list({ amount: 1 } as never)],
  [/trade_id must not be empty/, (client) => client.trades.get({ trade_id: ".." })],
  [
    /account_id must be a UUID/,
    (client) => client.statements.getFile({ account_id: "7", statement_id: account }),
  ],
];

test.each(invalidCalls)("does not send invalid input: %s", async (message, call) => {
  await startServer(respond(200, "[]"));
  const error = await call(connectClient()).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(InvalidInput);
  expect(error).toMatchObject({ outcome: "not-sent", message: expect.stringMatching(message) as string });
  expect(server.heads).toHaveLength(0);
});

describe("settings of the connection", () => {
  const refused = (options: ClientOptions, call: CallOptions = {}) =>
    connectClient(options).consents.get({ "consent-id": "c1" }, call);

  test.each<[options: ClientOptions, call: CallOptions, message: string]>([
    [{ psu: { "PSU-IP-Address": "zzz" } }, {}, "PSU-IP-Address must be an IPv4 address"],
    [{}, { psu: { "PSU-Http-Method": "TRACE" } }, "PSU-Http-Method must be one of GET"],
    [{}, { psu: { "PSU-User-Agent": "a\r\nb: c" } }, "PSU-User-Agent must be ASCII text"],
    [{}, { requestId: "once" }, "X-Request-ID must be a UUID"],
    [{ credentials: { accessToken: "token\n" } }, {}, "accessToken must be ASCII text"],
  ])("are validated: %j, %j", async (options, call, message) => {
    await startServer(respond(200, "{}"));
    await expect(refused(options, call)).rejects.toMatchObject({
      name: "InvalidInput",
      outcome: "not-sent",
      message: expect.stringContaining(message) as string,
    });
    expect(server.heads).toHaveLength(0);
  });
});

test("reports a missing token and sends nothing", async () => {
  await startServer(respond(200, "[]"));
  await expect(connectClient({ credentials: {} }).trades.list()).rejects.toMatchObject({
    name: "Unauthorized",
    outcome: "not-sent",
  });
  expect(server.heads).toHaveLength(0);
});

test("calls an undocumented path with the same credentials and errors", async () => {
  await startServer(
    respond(201, '{"quote_id":"q-1"}'),
    respond(409, '{"code":"c","message":"m","details":"d"}'),
  );
  const client = connectClient();
  const request = {
    method: "POST",
    path: "/quotes",
    query: { quote_type: "quote" },
    body: { amount: 1 },
  } as const;
  await expect(client.request(request)).resolves.toMatchObject({ status: 201, body: { quote_id: "q-1" } });
  expect(server.heads[0]).toMatch(/^POST \/quotes\?quote_type=quote HTTP/);
  expect(server.heads[0]).toMatch(/authorization: Bearer token-1/i);
  await expect(client.request(request)).rejects.toMatchObject({ name: "Conflict", service: { code: "c" } });
});

test.each<[message: string, request: object]>([
  ["effect must be one of read, change, money", { method: "POST", path: "/payments", effect: "Money" }],
  ["body must be an object of fields", { method: "POST", path: "/payments", body: [{ amount: 1 }] }],
  ["query must be an object of fields", { method: "GET", path: "/payments", query: "a=1" }],
  ["path must be a string that starts with a slash", { method: "GET", path: "payments" }],
  ["method must be one of GET, POST, PUT, PATCH, DELETE", { method: "GET\r\n", path: "/payments" }],
])("validates an undeclared request: %s", async (message, request) => {
  await startServer(respond(200, "[]"));
  await expect(connectClient().request(request as never)).rejects.toMatchObject({
    name: "InvalidInput",
    outcome: "not-sent",
    message: expect.stringContaining(message) as string,
  });
  expect(server.heads).toHaveLength(0);
});
