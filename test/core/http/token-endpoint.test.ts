/** Errors of the token endpoint, as callers see them. */
import { reset, respond, silence, type Fault } from "../../support/fault-server";
import {
  untilArrived,
  createTestClient,
  dripFault,
  failureOf,
  tokenPairResponse,
  startFaultServer,
  tradeInput,
  disableBackoff,
} from "../support/client-fixtures";

const credentials = { refreshToken: "refresh-0", authClientId: "app", authClientSecret: "app-secret" };

/** A client with a raw token endpoint and a working service. */
async function startClient(tokens: Fault, timeoutMs = 30_000) {
  disableBackoff();
  const service = await startFaultServer((socket, number) =>
    (service.heads[number - 1]!.startsWith("GET") ? respond(200, "[]") : respond(201, '{"trade_id":"t-1"}'))(
      socket,
      number,
    ),
  );
  const endpoint = await startFaultServer(tokens);
  const client = createTestClient({ baseUrl: service.url, authUrl: endpoint.url, credentials, timeoutMs });
  return { service, endpoint, client };
}

const refused = { name: "Unauthorized", code: "unauthorized", retryable: false };
const down = { name: "Unavailable", code: "unavailable", retryable: true };

const tokenResponses: [name: string, fault: Fault, expected: object, message: RegExp, requests: number][] = [
  ["400", respond(400, '{"error":"invalid_grant"}'), refused, /refused.*400 \(invalid_grant\).*Log in/, 1],
  ["429", respond(429), down, /is temporarily unavailable: 429/, 3],
  [
    "429 for an hour",
    respond(429, "", { "retry-after": "3600" }),
    down,
    /is temporarily unavailable: 429/,
    1,
  ],
  [
    "a redirect",
    respond(302, "", { location: "http://127.0.0.1:1" }),
    down,
    /is temporarily unavailable: 302/,
    1,
  ],
  ["201", respond(201, '{"access_token":"access-token"}'), down, /is temporarily unavailable: 201/, 1],
  ["a success without a token", respond(200, '{"token_type":"bearer"}'), down, /returned no access token/, 1],
  ["a reset", reset, down, /cannot be reached/, 3],
  [
    "an incomplete response",
    (socket) => socket.end("HTTP/1.1 200 X\r\ncontent-length: 9\r\n\r\n{"),
    down,
    /cannot be reached/,
    3,
  ],
  [
    "two megabytes",
    respond(200, Buffer.alloc(2 * 1024 * 1024, " ")),
    down,
    /cannot be reached \(.*larger than 1 MB/,
    3,
  ],
];

test.each(tokenResponses)(
  "handles a response of the endpoint: %s",
  async (_, fault, expected, message, requests) => {
    // The second call is made during the pause, however long the first one takes.
    jest.spyOn(Date, "now").mockReturnValue(Date.now());
    const { service, endpoint, client } = await startClient(fault);
    const [read, booking] = [
      await failureOf(client.trades.list()),
      await failureOf(client.trades.book(tradeInput)),
    ];
    for (const error of [read, booking]) {
      expect(error).toMatchObject({ ...expected, outcome: "not-sent", attempts: 0 });
      expect(error.message).toMatch(message);
      expect(error.message).toMatch(/^trades\.(list|book): No access token\. /);
    }
    expect(booking.message).toContain("Nothing was sent.");
    expect(service.heads).toHaveLength(0);
    expect(endpoint.heads).toHaveLength(requests);
  },
);

test.each<[name: string, fault: Fault]>([
  ["that never responds", silence],
  ["with an endless response", dripFault],
])("ends an endpoint %s at the time limit of the call", async (_, fault) => {
  const { service, client } = await startClient(fault, 200);
  for (const call of [() => client.trades.list(), () => client.trades.book(tradeInput)])
    expect(["timeout", "unavailable"]).toContain((await failureOf(call())).code);
  expect(await failureOf(client.trades.book(tradeInput))).toMatchObject({ outcome: "not-sent", attempts: 0 });
  expect(service.heads).toHaveLength(0);
});

test("retries the endpoint after growing pauses", async () => {
  const { endpoint, client } = await startClient(respond(400, '{"error":"invalid_grant"}'));
  let now = 1_800_000_000_000;
  const clock = jest.spyOn(Date, "now").mockImplementation(() => now);
  const requestTimes: number[] = [];
  for (let second = 0; second < 16; second += 1) {
    const before = endpoint.heads.length;
    expect(await failureOf(client.trades.list())).toMatchObject(refused);
    if (endpoint.heads.length > before) requestTimes.push(second);
    now += 1_000;
  }
  clock.mockRestore();
  expect(requestTimes).toEqual([0, 1, 3, 7, 15]);
});

test("resets the pause when the endpoint works again", async () => {
  let fault: Fault = respond(503);
  const { service, endpoint, client } = await startClient((socket, number) => fault(socket, number));
  let now = 1_800_000_000_000;
  const clock = jest.spyOn(Date, "now").mockImplementation(() => now);
  for (const wait of [1_000, 2_000]) {
    await failureOf(client.trades.list());
    now += wait;
  }
  fault = tokenPairResponse("access-1", "refresh-1", 60);
  await client.trades.list();
  now += 60_000;
  fault = respond(503);
  await failureOf(client.trades.list());
  now += 1_000;
  const before = endpoint.heads.length;
  await failureOf(client.trades.list());
  clock.mockRestore();
  expect(endpoint.heads.length - before).toBe(3);
  expect(service.heads).toHaveLength(1);
});

test("retries a lost response with the same refresh token", async () => {
  const { endpoint, client } = await startClient((socket, number) =>
    (number < 3 ? reset : tokenPairResponse("access-1", "refresh-1"))(socket, number),
  );
  await client.trades.list();
  await untilArrived(endpoint, 3);
  for (const head of endpoint.heads) expect(head).toContain("refresh_token=refresh-0");
});

test("sends requests that conform to RFC 6749", async () => {
  const { endpoint, client } = await startClient(tokenPairResponse("access-1", "refresh-1"));
  await client.trades.list();
  const [head = ""] = endpoint.heads;
  expect(head).toMatch(/^POST \/token HTTP\/1\.1\r\n/);
  expect(head).toMatch(new RegExp(`authorization: Basic ${btoa("app:app-secret")}\r\n`, "i"));
  expect(head).toMatch(/content-type: application\/x-www-form-urlencoded\r\n/i);
  expect(head.split("\r\n\r\n")[1]).toBe("grant_type=refresh_token&refresh_token=refresh-0&scope=openid");
});
