/** Use of connections: reads share open ones, each money call has its own. */
import { type AddressInfo, createServer, type Socket } from "node:net";
import { Deadline } from "../../../core/http/deadline";
import { type FileBody } from "../../../core/http/exchange";
import { Transport } from "../../../core/http/transport";
import { eventually } from "../../support/eventually";
import { type Fault, respond, silence } from "../../support/fault-server";
import { runLater } from "../../support/resources";
import {
  startClientAndServer,
  untilArrived,
  failureOf,
  uniqueKey,
  tradeInput,
} from "../support/client-fixtures";

/** Records the connection of each request, and does not respond. */
function recordConnections(fault: Fault) {
  const connections: Socket[] = [];
  const recording: Fault = (socket, number) => {
    connections.push(socket);
    fault(socket, number);
  };
  return { connections, noted: recording };
}

/** A server that accepts connections and never responds; tracks open ones. */
async function acceptsConnections() {
  const connections = new Set<Socket>();
  const server = createServer((socket) => {
    connections.add(socket);
    socket.on("error", () => undefined).on("close", () => connections.delete(socket));
    // Without a reader, `end` is never emitted.
    socket.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  runLater(() => server.close());
  runLater(() => connections.forEach((socket) => socket.destroy()));
  return { connections, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const anything = respond(201, '{"trade_id":"t-1"}');
const list = respond(200, "[]");

test("opens and closes a separate connection for each money call", async () => {
  const { connections, noted } = recordConnections((socket, number) =>
    (number === 1 ? list : anything)(socket, number),
  );
  const { client } = await startClientAndServer(noted);
  await client.trades.list();
  await client.trades.book(tradeInput, uniqueKey());
  await client.trades.book(tradeInput, uniqueKey());
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
      client.trades.book(tradeInput, uniqueKey()),
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
  const send = (isFile: boolean) =>
    transport.send(request, deadline, {
      isFile: () => isFile,
      maxResponseBytes: 1_000,
      useOwnConnection: false,
      useNewConnection: false,
    });
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
  const { connections, url } = await acceptsConnections();
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
    const options = {
      isFile: () => false,
      maxResponseBytes: 10,
      useOwnConnection: false,
      useNewConnection: false,
    };
    const request = { origin: url, path: "/", method: "GET", headers: [], body: null } as const;
    const sent = transport.send(request, deadline, options, beforeHead);
    await expect(sent).rejects.toThrow("aborted");
  }
  await eventually(() => connections.size === 0, { withinMs: 20_000, what: "all connections closed" });
});
