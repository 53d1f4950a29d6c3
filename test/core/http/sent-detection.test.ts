/** A request counts as sent from the first byte written. */
import { EventEmitter } from "node:events";
import { Deadline } from "../../../core/http/deadline";
import { Exchange } from "../../../core/http/exchange";
import { Connector } from "../../../core/http/http-connection";
import { MemoryPacing } from "../../../core/http/pacing";
import { Transport } from "../../../core/http/transport";
import { respond, silence } from "../../support/fault-server";
import { runLater } from "../../support/resources";
import {
  startClientAndServer,
  untilArrived,
  changeRequest,
  createTestClient,
  failureOf,
  tradeInput,
} from "../support/client-fixtures";
import { startSilentServer, startFullBacklogServer, startResettingServer } from "../support/stalled-servers";

const acquired = new EventEmitter();
/** Resolves when a call has requested its permit: it is in the journal and connects next. */
class NotifyingPacing extends MemoryPacing {
  override acquire(...given: Parameters<MemoryPacing["acquire"]>) {
    setImmediate(() => acquired.emit("turn"));
    return super.acquire(...given);
  }
}

const limits = { timeoutMs: 60_000, queueTimeoutMs: 60_000 };

type Stop = (call: (signal: AbortSignal, timeoutMs: number) => Promise<unknown>) => Promise<unknown>;

/** Ways to end a call that is connecting. */
const stops: [name: string, code: string, stop: Stop][] = [
  ["its time limit passes", "timeout", (call) => call(new AbortController().signal, 50)],
  [
    "its caller aborts",
    "aborted",
    async (call) => {
      const controller = new AbortController();
      const ending = call(controller.signal, 60_000);
      acquired.once("turn", () => controller.abort());
      return ending;
    },
  ],
];

describe.each(stops)("if %s, a call", (_, code, stop) => {
  const places: [place: string, base: () => Promise<string>][] = [
    ["that is connecting", async () => `http://${await startFullBacklogServer()}`],
    ["in the TLS handshake", async () => `https://${(await startSilentServer()).host}`],
  ];

  test.each(places)("%s was not sent", async (_place, base) => {
    const client = createTestClient({ baseUrl: await base(), pacing: new NotifyingPacing(10), ...limits });
    for (const call of [
      (options: object) => client.trades.list({}, options),
      (options: object) => client.request(changeRequest, options),
      (options: object) => client.trades.book(tradeInput, options),
    ]) {
      const error = await failureOf(stop((signal, timeoutMs) => call({ signal, timeoutMs })));
      expect(error).toMatchObject({ code, outcome: "not-sent", attempts: 1 });
    }
  });

  test("queued behind a busy connection was not sent", async () => {
    const { server, client } = await startClientAndServer(silence, {
      pacing: new NotifyingPacing(1),
      ...limits,
    });
    const busy = failureOf(client.trades.list());
    await untilArrived(server, 1);
    const error = await failureOf(
      stop((signal, queueTimeoutMs) => client.trades.book(tradeInput, { signal, queueTimeoutMs })),
    );
    expect(error).toMatchObject({ code, outcome: "not-sent", attempts: 0 });
    expect(server.heads).toHaveLength(1);
    await server.close();
    await busy;
  });
});

test("closes the connection of an aborted handshake", async () => {
  const { host, sockets } = await startSilentServer();
  const client = createTestClient({ baseUrl: `https://${host}`, timeoutMs: 50 });
  await failureOf(client.trades.list());
  await Promise.all([...sockets].map((socket) => new Promise((resolve) => socket.once("close", resolve))));
});

const deadlineOf = (ms: number) => {
  const deadline = new Deadline(ms);
  runLater(() => deadline.release());
  return deadline;
};

/** Runs an exchange on a connection. Returns its result. */
function startExchange(connection: Awaited<ReturnType<Connector["open"]>>, origin: string) {
  const deadline = deadlineOf(60_000);
  const setAbortable = jest.spyOn(deadline, "setAbortable");
  let exchange: Exchange;
  const ended = new Promise<unknown>((resolve) => {
    exchange = new Exchange(
      { origin, path: "/", method: "POST", headers: [], body: "{}" },
      connection,
      { isFile: () => false, maxResponseBytes: 1_000, useOwnConnection: true, useNewConnection: false },
      deadline,
      resolve,
      resolve,
    );
  });
  return { exchange: exchange!, ended, headLeaves: setAbortable };
}

test("reports not-sent if the kernel refuses the first write", async () => {
  const { origin, reset: breakConnection } = await startResettingServer();
  const line = await new Connector(origin).open(deadlineOf(60_000), false);
  const { exchange, ended, headLeaves } = startExchange(line, origin);
  breakConnection();
  line.send(exchange);
  expect(await ended).toMatchObject({
    cause: { code: expect.stringMatching(/EPIPE|ECONNRESET/) as string },
    sent: false,
  });
  expect([headLeaves.mock.calls, line.sent]).toEqual([[[false]], false]);
});

test("reports an answered request as sent, with one connection and one request", async () => {
  const { server } = await startClientAndServer(respond(200, "{}"));
  const line = await new Connector(server.url).open(deadlineOf(60_000), false);
  const { exchange, ended, headLeaves } = startExchange(line, server.url);
  line.send(exchange);
  expect(await ended).toMatchObject({ status: 200 });
  expect([headLeaves.mock.calls.length, line.sent, server.heads.length]).toEqual([1, true, 1]);
});

test("reports not-sent for a request that cannot be written", async () => {
  const { server } = await startClientAndServer(respond(200, "{}"));
  const transport = new Transport(undefined);
  runLater(() => transport.close());
  const request = {
    origin: server.url,
    path: "/",
    method: "GET",
    headers: ["a", "b\nc"],
    body: null,
  } as const;
  await expect(
    transport.send(request, deadlineOf(60_000), {
      isFile: () => false,
      maxResponseBytes: 10,
      useOwnConnection: false,
      useNewConnection: false,
    }),
  ).rejects.toMatchObject({ name: "Error", sent: false });
  expect(server.heads).toHaveLength(0);
});
