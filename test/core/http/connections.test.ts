/** Connections: reads share open ones, each money call has its own; and requests count as sent from their first byte. */
import type { Socket } from "node:net";
import { EventEmitter } from "node:events";
import { Deadline } from "../../../core/http/deadline";
import { Exchange, type FileBody } from "../../../core/http/exchange";
import { Connector } from "../../../core/http/http-connection";
import { MemoryPacing } from "../../../core/http/pacing";
import { Transport } from "../../../core/http/transport";
import { eventually } from "../../support/eventually";
import { type Fault, respond, silence } from "../../support/fault-server";
import { runLater } from "../../support/resources";
import {
  startClientAndServer,
  untilArrived,
  failureOf,
  newTrade,
  changeRequest,
  createTestClient,
  tradeInput,
} from "../support/client-fixtures";
import { startFullBacklogServer, startResettingServer, startSilentServer } from "../support/stalled-servers";

/** Records the connection of each request, and does not respond. */
function recordConnections(fault: Fault) {
  const connections: Socket[] = [];
  const recording: Fault = (socket, number) => {
    connections.push(socket);
    fault(socket, number);
  };
  return { connections, noted: recording };
}

const sendOptions = (isFile: boolean) => ({
  isFile: () => isFile,
  maxResponseBytes: 1_000,
  useOwnConnection: false,
  useNewConnection: false,
});

const anything = respond(201, '{"trade_id":"t-1"}');
const list = respond(200, "[]");

test("opens and closes a separate connection for each money call", async () => {
  const { connections, noted } = recordConnections((socket, number) =>
    (number === 1 ? list : anything)(socket, number),
  );
  const { client } = await startClientAndServer(noted);
  await client.trades.list();
  await client.trades.book(newTrade());
  await client.trades.book(newTrade());
  expect(new Set(connections).size).toBe(3);
  await eventually(() => connections.slice(1).every((socket) => socket.destroyed), {
    withinMs: 20_000,
    what: "the connections of the bookings close",
  });
  expect(connections[0]!.destroyed).toBe(false);
});

test("delivers each booking once to a server that closes idle connections", async () => {
  // The server closes each connection right after its response, so later writes are lost.
  const closing: Fault = (socket, number) => {
    anything(socket, number);
    setImmediate(() => socket.end());
  };
  const { server, client } = await startClientAndServer((socket, number) =>
    (server.heads[number - 1]!.startsWith("GET") ? respond(200, "[]") : closing)(socket, number),
  );
  for (let count = 0; count < 40; count += 1) {
    const [booked] = await Promise.all([
      client.trades.book(newTrade()),
      client.accounts.listCurrencyAccounts(),
    ]);
    expect(booked).toEqual({ trade_id: "t-1" });
  }
  expect(server.heads.filter((head) => head.startsWith("POST"))).toHaveLength(40);
});

test("retries a read on another connection if the first one is closing", async () => {
  const used = new Set<Socket>();
  const { connections, noted } = recordConnections((socket, number) => {
    if (used.has(socket)) return void socket.destroy();
    used.add(socket);
    list(socket, number);
  });
  const { client } = await startClientAndServer(noted);
  await client.trades.list();
  expect(await client.trades.list.response()).toMatchObject({ body: [], attempts: 2 });
  expect(new Set(connections).size).toBe(2);
});

test("closes only the connection of an aborted call", async () => {
  const { connections, noted } = recordConnections((socket, number) =>
    (number === 2 ? silence : list)(socket, number),
  );
  const { server, client } = await startClientAndServer(noted);
  await client.trades.list();
  const controller = new AbortController();
  const call = failureOf(client.trades.list({}, { signal: controller.signal }));
  await untilArrived(server, 2);
  await client.trades.list();
  controller.abort();
  expect(await call).toMatchObject({ name: "Aborted", outcome: "unknown" });
  await client.trades.list();
  expect(new Set(connections).size).toBe(2);
  expect(connections[2]).toBe(connections[3]);
});

test("does not disturb the next call on a connection if an earlier file is discarded", async () => {
  const text = "x".repeat(10_000);
  const { connections, noted } = recordConnections((socket, number) =>
    (number === 1 ? respond(200, text) : silence)(socket, number),
  );
  const { server } = await startClientAndServer(noted);
  const transport = new Transport(undefined);
  const deadline = new Deadline(60_000);
  runLater(() => (deadline.release(), transport.close()));
  const request = { origin: server.url, path: "/", method: "GET", headers: [], body: null } as const;
  const send = (isFile: boolean) => transport.send(request, deadline, sendOptions(isFile));
  const { body } = (await send(true)) as { body: FileBody };
  await eventually(() => body.readableLength === text.length, { withinMs: 20_000, what: "the file" });
  const next = send(false);
  await untilArrived(server, 2);
  expect(connections[1]).toBe(connections[0]);
  body.destroy();
  respond(200, "{}")(connections[1]!, 2);
  expect(await next).toMatchObject({ status: 200 });
});

test("leaves no connection open if a call ends while connecting", async () => {
  const { host, sockets } = await startSilentServer();
  const transport = new Transport(undefined);
  // Ends the call in every tick between its last wait and its request.
  for (let turns = 0; turns < 12; turns += 1) {
    const caller = new AbortController();
    const deadline = new Deadline(60_000, caller.signal);
    const beforeHead = async () => {
      let left = turns;
      const next = () => (left-- === 0 ? caller.abort() : queueMicrotask(next));
      queueMicrotask(next);
    };
    const request = { origin: `http://${host}`, path: "/", method: "GET", headers: [], body: null } as const;
    const sent = transport.send(request, deadline, sendOptions(false), beforeHead);
    await expect(sent).rejects.toThrow("aborted");
  }
  await eventually(() => sockets.size === 0, { withinMs: 20_000, what: "all connections closed" });
});

// ---- A request counts as sent from the first byte written

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

test("reports not-sent if the kernel refuses the first write", async () => {
  const { origin, reset: breakConnection } = await startResettingServer();
  const line = await new Connector(origin).open(deadlineOf(60_000), false);
  const ended = new Promise<unknown>((resolve) => {
    const request = { origin, path: "/", method: "POST", headers: [], body: "{}" } as const;
    const exchange = new Exchange(request, line, sendOptions(false), deadlineOf(60_000), resolve, resolve);
    breakConnection();
    line.send(exchange);
  });
  expect(await ended).toMatchObject({
    cause: { code: expect.stringMatching(/EPIPE|ECONNRESET/) as string },
    sent: false,
  });
  expect(line.sent).toBe(false);
});

test("reports not-sent for a request that cannot be written", async () => {
  const { server } = await startClientAndServer(respond(200, "{}"));
  const transport = new Transport(undefined);
  runLater(() => transport.close());
  const headers = ["a", "b\nc"];
  const request = { origin: server.url, path: "/", method: "GET", headers, body: null } as const;
  const sent = transport.send(request, deadlineOf(60_000), sendOptions(false));
  await expect(sent).rejects.toMatchObject({ name: "Error", sent: false });
  expect(server.heads).toHaveLength(0);
});
