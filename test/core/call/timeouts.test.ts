/** Time limits of calls: valid values and coverage. */
import { createClient } from "../../../core";
import { type Fault, respond, silence } from "../../support/fault-server";
import {
  accountId,
  startClientAndServer,
  untilArrived,
  changeRequest,
  createTestClient,
  dripFault,
  failureOf,
  fileInput,
  startFaultServer,
  tradeInput,
} from "../support/client-fixtures";

const invalidLimits = [0, -1, 1.5, NaN, Infinity, -Infinity, 2 ** 31, "5", null, true, {}];

describe.each(["timeoutMs", "queueTimeoutMs"] as const)("%s", (name) => {
  test.each(invalidLimits)("refuses %p, in createClient and in a call", async (value) => {
    const words = `${name} must be a whole number from 1 to 2147483647, not ${String(value)}`;
    expect(() => createClient({ [name]: value as number })).toThrow(new TypeError(`${words}.`));
    const { server, client } = await startClientAndServer(respond(200, "[]"));
    const error = await failureOf(client.trades.list({}, { [name]: value as number }));
    expect(error).toMatchObject({ name: "InvalidInput", outcome: "not-sent" });
    expect(error.message).toContain(words);
    expect(server.heads).toHaveLength(0);
  });

  test.each([1, 1_000, 2 ** 31 - 1])("accepts %i", async (value) => {
    const { client } = await startClientAndServer(respond(200, "[]"), { timeoutMs: 60_000 });
    expect(() => createClient({ [name]: value })).not.toThrow();
    if (value > 1) await client.trades.list({}, { [name]: 2 ** 31 - 1 });
  });
});

test.each([0, -1, 1.5, NaN, "5"])("refuses %p connections", (connections) => {
  expect(() => createClient({ connections: connections as number })).toThrow(/connections must be a whole/);
});

const head = "HTTP/1.1 200 X\r\ncontent-type: application/pdf\r\ncontent-length: 9\r\n\r\nx";
const slowResponses: [phase: string, fault: Fault][] = [
  ["the response headers", silence],
  ["incomplete headers", (socket) => socket.write("HTTP/1.1 200 X\r\ncontent-le")],
  ["a missing body", (socket) => socket.write(head)],
  ["an endless body", dripFault],
];

describe.each(slowResponses)("the time limit and the caller end the wait for %s", (_, fault) => {
  test("of a read and a change, with an unknown outcome", async () => {
    const { server, client } = await startClientAndServer(fault, { timeoutMs: 2_000 });
    for (const error of await Promise.all(
      [client.trades.list(), client.request(changeRequest)].map(failureOf),
    ))
      expect(error).toMatchObject({ code: "timeout", outcome: "unknown" });
    const before = server.heads.length;
    const controller = new AbortController();
    const options = { signal: controller.signal, timeoutMs: 60_000 };
    const calls = [client.trades.list({}, options), client.request(changeRequest, options)].map(failureOf);
    await untilArrived(server, before + 2);
    controller.abort();
    for (const error of await Promise.all(calls))
      expect(error).toMatchObject({ code: "aborted", outcome: "unknown", retryable: false });
  });

  test("of a booking: the limit makes it unknown, the caller cannot end it", async () => {
    const { server, client } = await startClientAndServer(fault, { timeoutMs: 2_000 });
    const controller = new AbortController();
    const call = failureOf(client.trades.book(tradeInput, { signal: controller.signal }));
    await untilArrived(server, 1);
    controller.abort();
    const error = await call;
    expect(error).toMatchObject({ name: "OutcomeUnknown", outcome: "unknown", attempts: 1 });
    expect(error.message).toContain("Do not repeat it");
    expect(server.heads).toHaveLength(1);
  });
});

test.each<[ends: string, fault: Fault, expected: object]>([
  ["success", respond(201, '{"trade_id":"t-1"}'), { trade_id: "t-1" }],
  ["refusal", respond(404, "{}"), { outcome: "rejected", status: 404 }],
  ["failure", respond(503), { outcome: "unknown", status: 503 }],
])("returns the true outcome (%s) of a sent booking whose caller aborts", async (_, fault, expected) => {
  let response: () => void = () => undefined;
  const { server, client } = await startClientAndServer(
    (socket, number) => (response = () => fault(socket, number)),
  );
  const controller = new AbortController();
  const call = client.trades.book(tradeInput, { signal: controller.signal }).catch((error: unknown) => error);
  await untilArrived(server, 1);
  controller.abort();
  response();
  expect(await call).toMatchObject(expected);
  expect(server.heads).toHaveLength(1);
});

test("distinguishes the queue limit from the time limit", async () => {
  const { server, client } = await startClientAndServer(silence, { connections: 1, timeoutMs: 60_000 });
  const busy = failureOf(client.trades.list());
  await untilArrived(server, 1);
  const waited = await failureOf(client.trades.list({}, { queueTimeoutMs: 30, timeoutMs: 60_000 }));
  expect(waited).toMatchObject({ code: "timeout", outcome: "not-sent", retryable: true });
  expect(waited.message).toContain("waited 30 ms for the rate limiter");
  await server.close();
  await busy;
});

test("starts the time limit after the wait in the queue", async () => {
  let first: () => void = () => undefined;
  const list = respond(200, "[]");
  const { server, client } = await startClientAndServer(
    (socket, number) => (number === 1 ? (first = () => list(socket, number)) : list(socket, number)),
    { connections: 1 },
  );
  const busy = client.trades.list();
  await untilArrived(server, 1);
  const waiting = client.accounts.get(
    { account_id: accountId },
    { timeoutMs: 5_000, queueTimeoutMs: 60_000 },
  );
  const slow = failureOf(client.trades.list({}, { queueTimeoutMs: 50 }));
  expect(await slow).toMatchObject({ outcome: "not-sent" });
  first();
  await Promise.all([busy, waiting]);
});

test("covers a missing token and an endless file", async () => {
  const service = await startFaultServer((socket) => socket.write(head));
  const asking = createTestClient({
    baseUrl: service.url,
    credentials: { accessToken: () => new Promise(() => undefined) },
  });
  expect(await failureOf(asking.trades.book(tradeInput, { timeoutMs: 50 }))).toMatchObject({
    code: "timeout",
    outcome: "not-sent",
  });
  const reading = createTestClient({ baseUrl: service.url, timeoutMs: 2_000 });
  const { body } = await reading.statements.getFile(fileInput);
  expect(await failureOf((body as { bytes(): Promise<Buffer> }).bytes())).toMatchObject({ code: "timeout" });
});

test("removes its listeners from a long-lived signal", async () => {
  const { client } = await startClientAndServer(respond(200, "[]"));
  const { signal } = new AbortController();
  let listeners = 0;
  const add = jest.spyOn(signal, "addEventListener");
  const remove = jest.spyOn(signal, "removeEventListener");
  for (let count = 0; count < 20; count += 1) await client.trades.list({}, { signal });
  listeners = add.mock.calls.length - new Set(remove.mock.calls.map(([, listener]) => listener)).size;
  expect([add.mock.calls.length, listeners]).toEqual([20, 0]);
});

test.each([new AbortController(), {}, "soon"])("refuses %p as a signal and sends nothing", async (signal) => {
  const { server, client } = await startClientAndServer(respond(201, '{"trade_id":"t-1"}'));
  for (const call of [
    () => client.trades.list({}, { signal: signal as never }),
    () => client.trades.book(tradeInput, { signal: signal as never }),
  ])
    expect(await failureOf(call())).toMatchObject({
      name: "InvalidInput",
      outcome: "not-sent",
      message: expect.stringContaining("signal must be an AbortSignal") as string,
    });
  expect(server.heads).toHaveLength(0);
});
