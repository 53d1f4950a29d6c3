/** Token of each call: refreshed once for all calls, only when needed. */
import { inSequence, respond, type Fault } from "../../support/fault-server";
import { eventually } from "../../support/eventually";
import {
  startClientAndServer,
  untilArrived,
  createTestClient,
  failureOf,
  tokenPairResponse,
  startFaultServer,
  tradeInput,
  disableBackoff,
} from "../support/client-fixtures";

const credentials = { refreshToken: "refresh-0", authClientId: "app", authClientSecret: "app-secret" };
const list = respond(200, "[]");
const tokensIn = (heads: readonly string[]) => heads.map((head) => /Bearer (\S+)/.exec(head)?.[1]);

async function startClient(tokens: Fault, more: object = {}, calls: Fault = list) {
  const service = await startFaultServer(calls);
  const endpoint = await startFaultServer(tokens);
  const client = createTestClient({
    baseUrl: service.url,
    authUrl: endpoint.url,
    credentials: { ...credentials, ...more },
  });
  return { service, endpoint, client };
}

test.each([1, 300, 3_600])(
  "refreshes a token with a lifetime of %i s once before it expires",
  async (seconds) => {
    const { endpoint, client } = await startClient(tokenPairResponse("access-1", "refresh-1", seconds));
    let now = 1_800_000_000_000;
    const clock = jest.spyOn(Date, "now").mockImplementation(() => now);
    const early = Math.min(60_000, (seconds * 1_000) / 5);
    for (const elapsed of [0, 0, seconds * 1_000 - early - 1]) {
      now += elapsed;
      await client.trades.list();
    }
    expect(endpoint.heads).toHaveLength(1);
    now += 1;
    await client.trades.list();
    await client.trades.list();
    clock.mockRestore();
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
    expect(error.message).toContain(
      "The refreshed tokens could not be saved: onTokens failed (the disk is full).",
    );
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
    ["throws a string", throwing("no vault"), /accessToken function failed \(no vault\)/],
    ["throws undefined", throwing(undefined), /accessToken function failed/],
    ["throws null", throwing(null), /accessToken function failed/],
    ["rejects", (() => Promise.reject(new Error("no vault"))) as never, /failed \(no vault\)/],
    ["returns nothing", (() => undefined) as never, /returned no token/],
    ["returns an empty string", (() => "") as never, /returned no token/],
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
