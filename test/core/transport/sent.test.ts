/** What counts as sent: nothing before the head of a request is written, everything after it. */
import { EventEmitter } from "node:events";
import { Deadline } from "../../../core/transport/deadline";
import { Exchange, OutgoingRequest } from "../../../core/transport/exchange";
import { Connector } from "../../../core/transport/http-connection";
import { MemoryPacing } from "../../../core/transport/pacing";
import { Transport } from "../../../core/transport/transport";
import { reset, respond, silence } from "../../support/fault-server";
import { against, arrived, change, clientOf, closedPort, failure, later, trade } from "../support/against";
import { neverAnswers, neverConnects, resetsOnDemand } from "../support/stuck";

const acquired = new EventEmitter();
/** Tells when a call has asked for its turn: by then the journal has it, and the next is to connect. */
class ToldPacing extends MemoryPacing {
  override acquire(...given: Parameters<MemoryPacing["acquire"]>) {
    setImmediate(() => acquired.emit("turn"));
    return super.acquire(...given);
  }
}

const limits = { timeoutMs: 60_000, queueTimeoutMs: 60_000 };

type Stop = (call: (signal: AbortSignal, timeoutMs: number) => Promise<unknown>) => Promise<unknown>;

/** The two ways in which a call ends that waits for a connection. */
const stops: [name: string, code: string, stop: Stop][] = [
  ["its time is up", "timeout", (call) => call(new AbortController().signal, 50)],
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

describe.each(stops)("a call of which %s", (_, code, stop) => {
  const places: [place: string, base: () => Promise<string>][] = [
    ["while it connects", async () => `http://${await neverConnects()}`],
    ["in the TLS handshake", async () => `https://${(await neverAnswers()).host}`],
  ];

  test.each(places)("%s was not sent", async (_place, base) => {
    const client = clientOf({ baseUrl: await base(), pacing: new ToldPacing(10), ...limits });
    for (const call of [
      (options: object) => client.trades.list({}, options),
      (options: object) => client.request(change, options),
      (options: object) => client.trades.book(trade, options),
    ]) {
      const error = await failure(stop((signal, timeoutMs) => call({ signal, timeoutMs })));
      expect(error).toMatchObject({ code, outcome: "not-sent", attempts: 1 });
    }
  });

  test("queued behind a busy connection was not sent", async () => {
    const { server, client } = await against(silence, { pacing: new ToldPacing(1), ...limits });
    const busy = failure(client.trades.list());
    await arrived(server, 1);
    const error = await failure(
      stop((signal, queueTimeoutMs) => client.trades.book(trade, { signal, queueTimeoutMs })),
    );
    expect(error).toMatchObject({ code, outcome: "not-sent", attempts: 0 });
    expect(server.heads).toHaveLength(1);
    await server.close();
    await busy;
  });
});

test("a handshake that is given up closes its connection", async () => {
  const { host, sockets } = await neverAnswers();
  const client = clientOf({ baseUrl: `https://${host}`, timeoutMs: 50 });
  await failure(client.trades.list());
  await Promise.all([...sockets].map((socket) => new Promise((resolve) => socket.once("close", resolve))));
});

test("nothing listens: the trade was not sent", async () => {
  const error = await failure(clientOf({ baseUrl: await closedPort() }).trades.book(trade));
  expect(error).toMatchObject({ name: "Unavailable", outcome: "not-sent", retryable: true, attempts: 2 });
  expect(error.message).toContain("Nothing was sent.");
});

test("a call with an aborted signal sends nothing", async () => {
  const { server, client } = await against(silence);
  const options = { signal: AbortSignal.abort() };
  for (const call of [() => client.trades.list({}, options), () => client.trades.book(trade, options)]) {
    const error = await failure(call());
    expect(error).toMatchObject({ name: "Aborted", outcome: "not-sent", attempts: 0 });
  }
  expect(server.heads).toHaveLength(0);
});

test("a request that reached the server was sent, whatever becomes of the connection", async () => {
  const { server, client } = await against(reset);
  expect(await failure(client.trades.book(trade))).toMatchObject({ outcome: "unknown", attempts: 1 });
  expect(await failure(client.request(change))).toMatchObject({ outcome: "unknown", attempts: 1 });
  expect(server.heads).toHaveLength(2);
});

const deadlineOf = (ms: number) => {
  const deadline = new Deadline(ms);
  later(() => deadline.release());
  return deadline;
};

/** An exchange on a line, and how it ended. */
function exchanged(line: Awaited<ReturnType<Connector["open"]>>, origin: string) {
  const deadline = deadlineOf(60_000);
  const headLeaves = jest.spyOn(deadline, "heedCaller");
  let exchange: Exchange;
  const ended = new Promise<unknown>((resolve) => {
    exchange = new Exchange(
      new OutgoingRequest(origin, "/", "POST", [], "{}"),
      line,
      { isFile: () => false, largestBytes: 1_000, alone: true, fresh: false },
      deadline,
      resolve,
      resolve,
    );
  });
  return { exchange: exchange!, ended, headLeaves };
}

test("a first write that the kernel refuses leaves nothing", async () => {
  const { origin, reset: breakConnection } = await resetsOnDemand();
  const line = await new Connector(origin).open(deadlineOf(60_000), false);
  const { exchange, ended, headLeaves } = exchanged(line, origin);
  breakConnection();
  line.send(exchange);
  expect(await ended).toMatchObject({
    cause: { code: expect.stringMatching(/EPIPE|ECONNRESET/) as string },
    sent: false,
  });
  expect([headLeaves.mock.calls, line.sent]).toEqual([[[false]], false]);
});

test("an answered request left, and its server sees one connection and one head", async () => {
  const { server } = await against(respond(200, "{}"));
  const line = await new Connector(server.url).open(deadlineOf(60_000), false);
  const { exchange, ended, headLeaves } = exchanged(line, server.url);
  line.send(exchange);
  expect(await ended).toMatchObject({ status: 200 });
  expect([headLeaves.mock.calls.length, line.sent, server.heads.length]).toEqual([1, true, 1]);
});

test("a request that cannot be written is no request that left", async () => {
  const { server } = await against(respond(200, "{}"));
  const transport = new Transport(undefined);
  later(() => transport.close());
  const request = new OutgoingRequest(server.url, "/", "GET", ["a", "b\nc"]);
  await expect(
    transport.send(request, deadlineOf(60_000), {
      isFile: () => false,
      largestBytes: 10,
      alone: false,
      fresh: false,
    }),
  ).rejects.toMatchObject({ name: "Error", sent: false });
  expect(server.heads).toHaveLength(0);
});
