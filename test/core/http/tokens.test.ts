/** Token of each call: refreshed once for all calls, only when needed; and errors of the token endpoint. */
import { inSequence, reset, respond, silence, type Fault } from "../../support/fault-server";
import { eventually } from "../../support/eventually";
import { runLater } from "../../support/resources";
import {
  startClientAndServer,
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
const list = respond(200, "[]");
const tokensIn = (heads: readonly string[]) => heads.map((head) => /Bearer (\S+)/.exec(head)?.[1]);

/** A client with a raw token endpoint and a service. */
async function startClient(tokens: Fault, more: object = {}, calls: Fault = list, timeoutMs = 30_000) {
  const service = await startFaultServer(calls);
  const endpoint = await startFaultServer(tokens);
  const client = createTestClient({
    baseUrl: service.url,
    authUrl: endpoint.url,
    credentials: { ...credentials, ...more },
    timeoutMs,
  });
  return { service, endpoint, client };
}

function stopClock() {
  let now = 1_800_000_000_000;
  const clock = jest.spyOn(Date, "now").mockImplementation(() => now);
  runLater(() => clock.mockRestore());
  return { advance: (ms: number) => void (now += ms) };
}

test.each([1, 300, 3_600])(
  "refreshes a token with a lifetime of %i s once before it expires",
  async (seconds) => {
    const { endpoint, client } = await startClient(tokenPairResponse("access-1", "refresh-1", seconds));
    const clock = stopClock();
    const early = Math.min(60_000, (seconds * 1_000) / 5);
    for (const elapsed of [0, 0, seconds * 1_000 - early - 1]) {
      clock.advance(elapsed);
      await client.trades.list();
    }
    expect(endpoint.heads).toHaveLength(1);
    clock.advance(1);
    await client.trades.list();
    await client.trades.list();
    expect(endpoint.heads).toHaveLength(2);
  },
);

test("does not interrupt a shared refresh if one caller aborts", async () => {
  let response: () => void = () => undefined;
  const { service, endpoint, client } = await startClient((socket, number) => {
    response = () => tokenPairResponse("access-1", "refresh-1")(socket, number);
  });
  const controller = new AbortController();
  const first = failureOf(client.trades.list({}, { signal: controller.signal }));
  const hasty = failureOf(client.trades.book(tradeInput, { timeoutMs: 20 }));
  const patient = client.trades.list();
  await untilArrived(endpoint, 1);
  controller.abort();
  expect(await first).toMatchObject({ code: "aborted", outcome: "not-sent" });
  expect(await hasty).toMatchObject({ code: "timeout", outcome: "not-sent" });
  response();
  await patient;
  expect([endpoint.heads.length, tokensIn(service.heads)]).toEqual([1, ["access-1"]]);
});

test("keeps the result of an abandoned refresh, and closes the client after it", async () => {
  let response: () => void = () => undefined;
  const kept: string[] = [];
  const onTokens = ({ accessToken }: { accessToken: string }) => void kept.push(accessToken);
  const { endpoint, client } = await startClient(
    (socket, number) => (response = () => tokenPairResponse("access-1", "refresh-1")(socket, number)),
    { onTokens },
  );
  const call = failureOf(client.trades.list({}, { timeoutMs: 20 }));
  await untilArrived(endpoint, 1);
  expect(await call).toMatchObject({ code: "timeout" });
  const closed = client.close();
  response();
  await closed;
  expect(kept).toEqual(["access-1"]);
});

test("repeats onTokens before the next call after a failure, without another refresh", async () => {
  const kept: unknown[] = [];
  const onTokens = ({ refreshToken }: { refreshToken: string }) => {
    kept.push(refreshToken);
    if (kept.length < 3) throw new Error("the disk is full");
  };
  const { service, endpoint, client } = await startClient(tokenPairResponse("access-1", "refresh-1"), {
    onTokens,
  });
  for (let count = 0; count < 2; count += 1) {
    const error = await failureOf(client.trades.book(tradeInput));
    expect(error).toMatchObject({ code: "unavailable", outcome: "not-sent", retryable: true });
    expect(error.message).toContain("onTokens failed (the disk is full)");
  }
  expect(service.heads).toHaveLength(0);
  await client.trades.list();
  await client.trades.list();
  expect([kept, endpoint.heads.length]).toEqual([["refresh-1", "refresh-1", "refresh-1"], 1]);
});

test("reuses a refresh token that is not rotated", async () => {
  const { endpoint, client } = await startClient(
    respond(200, '{"access_token":"access-1","expires_in":1}'),
    {},
    inSequence(respond(401), list),
  );
  disableBackoff();
  await client.trades.list();
  expect(endpoint.heads.map((head) => /refresh_token=([^&]*)/.exec(head.split("\r\n\r\n")[1]!)?.[1])).toEqual(
    ["refresh-0", "refresh-0"],
  );
});

describe("an accessToken function", () => {
  const asking = async (accessToken: () => string | Promise<string>, calls: Fault = list) =>
    startClientAndServer(calls, { credentials: { accessToken } });

  // eslint-disable-next-line typescript/only-throw-error
  const throwing = (thrown: unknown) => () => {
    throw thrown;
  };

  test.each<[name: string, ask: () => never, message: RegExp]>([
    ["throws", throwing(new Error("no vault")), /accessToken function failed \(no vault\)/],
    ["throws undefined", throwing(undefined), /accessToken function failed/],
    ["rejects", (() => Promise.reject(new Error("no vault"))) as never, /failed \(no vault\)/],
    ["returns nothing", (() => undefined) as never, /returned no token/],
    ["returns a number", (() => 7) as never, /returned no token/],
  ])("that %s causes an FxdeskError, and nothing is sent", async (_, ask, message) => {
    const { server, client } = await asking(ask);
    for (const call of [() => client.trades.list(), () => client.trades.book(tradeInput)]) {
      const error = await failureOf(call());
      expect(error).toMatchObject({ code: "unauthorized", outcome: "not-sent", attempts: 0 });
      expect(error.message).toMatch(message);
    }
    expect(server.heads).toHaveLength(0);
  });

  test("that hangs is ended by the time limit or the caller", async () => {
    const asked = jest.fn(() => new Promise<string>(() => undefined));
    const { server, client } = await asking(asked);
    const error = await failureOf(client.trades.book(tradeInput, { timeoutMs: 50 }));
    expect(error).toMatchObject({ code: "timeout", outcome: "not-sent" });
    const controller = new AbortController();
    const call = failureOf(client.trades.list({}, { signal: controller.signal }));
    await eventually(() => asked.mock.calls.length === 2, {
      withinMs: 20_000,
      what: "the function is called",
    });
    controller.abort();
    expect(await call).toMatchObject({ code: "aborted", outcome: "not-sent" });
    expect(server.heads).toHaveLength(0);
  });
});

// ---- Errors of the token endpoint, as callers see them

/** Without the random part of delays. */
const startEndpoint = (tokens: Fault, timeoutMs = 30_000) => {
  disableBackoff();
  return startClient(tokens, {}, list, timeoutMs);
};

const refused = { name: "Unauthorized", code: "unauthorized", retryable: false };
const down = { name: "Unavailable", code: "unavailable", retryable: true };

test.each<[name: string, fault: Fault, expected: object, message: RegExp, requests: number]>([
  ["400", respond(400, '{"error":"invalid_grant"}'), refused, /refused.*400 \(invalid_grant\).*Log in/, 1],
  ["429", respond(429), down, /unavailable: 429/, 3],
  ["429 for an hour", respond(429, "", { "retry-after": "3600" }), down, /unavailable: 429/, 1],
  ["a redirect", respond(302, "", { location: "http://127.0.0.1:1" }), down, /unavailable: 302/, 1],
  ["a success without a token", respond(200, '{"token_type":"bearer"}'), down, /no access token/, 1],
  ["a reset", reset, down, /cannot be reached/, 3],
  [
    "an incomplete response",
    (socket) => socket.end("HTTP/1.1 200 X\r\ncontent-length: 9\r\n\r\n{"),
    down,
    /cannot be reached/,
    3,
  ],
  ["two megabytes", respond(200, Buffer.alloc(2 * 1024 * 1024, " ")), down, /larger than 1 MB/, 3],
])("handles a response of the endpoint: %s", async (_, fault, expected, message, requests) => {
  // The second call is made during the pause, however long the first one takes.
  jest.spyOn(Date, "now").mockReturnValue(Date.now());
  const { service, endpoint, client } = await startEndpoint(fault);
  const [read, booking] = [
    await failureOf(client.trades.list()),
    await failureOf(client.trades.book(tradeInput)),
  ];
  for (const error of [read, booking]) {
    expect(error).toMatchObject({ ...expected, outcome: "not-sent", attempts: 0 });
    expect(error.message).toMatch(message);
  }
  expect(service.heads).toHaveLength(0);
  expect(endpoint.heads).toHaveLength(requests);
});

test.each<[name: string, fault: Fault]>([
  ["that never responds", silence],
  ["with an endless response", dripFault],
])("ends an endpoint %s at the time limit of the call", async (_, fault) => {
  const { service, client } = await startEndpoint(fault, 200);
  for (const call of [() => client.trades.list(), () => client.trades.book(tradeInput)])
    expect(["timeout", "unavailable"]).toContain((await failureOf(call())).code);
  expect(await failureOf(client.trades.book(tradeInput))).toMatchObject({ outcome: "not-sent", attempts: 0 });
  expect(service.heads).toHaveLength(0);
});

test("retries the endpoint after growing pauses", async () => {
  const { endpoint, client } = await startEndpoint(respond(400, '{"error":"invalid_grant"}'));
  const clock = stopClock();
  const requestTimes: number[] = [];
  for (let second = 0; second < 16; second += 1) {
    const before = endpoint.heads.length;
    expect(await failureOf(client.trades.list())).toMatchObject(refused);
    if (endpoint.heads.length > before) requestTimes.push(second);
    clock.advance(1_000);
  }
  expect(requestTimes).toEqual([0, 1, 3, 7, 15]);
});

test("resets the pause when the endpoint works again", async () => {
  let fault: Fault = respond(503);
  const { service, endpoint, client } = await startEndpoint((socket, number) => fault(socket, number));
  const clock = stopClock();
  const failAndWait = async (ms: number) => {
    await failureOf(client.trades.list());
    clock.advance(ms);
  };
  await failAndWait(1_000);
  await failAndWait(2_000);
  fault = tokenPairResponse("access-1", "refresh-1", 60);
  await client.trades.list();
  clock.advance(60_000);
  fault = respond(503);
  await failAndWait(1_000);
  const before = endpoint.heads.length;
  await failAndWait(0);
  expect(endpoint.heads.length - before).toBe(3);
  expect(service.heads).toHaveLength(1);
});

test("sends requests that conform to RFC 6749", async () => {
  const { endpoint, client } = await startEndpoint(tokenPairResponse("access-1", "refresh-1"));
  await client.trades.list();
  const [head = ""] = endpoint.heads;
  expect(head).toMatch(/^POST \/token HTTP\/1\.1\r\n/);
  expect(head).toMatch(new RegExp(`authorization: Basic ${btoa("app:app-secret")}\r\n`, "i"));
  expect(head).toMatch(/content-type: application\/x-www-form-urlencoded\r\n/i);
  expect(head.split("\r\n\r\n")[1]).toBe("grant_type=refresh_token&refresh_token=refresh-0&scope=openid");
});
