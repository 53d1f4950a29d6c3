/** Clients that hold connections without sending a request; test/cli/http-surfaces.test.ts has hosts and origins. */
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { type ListenOptions, listenSafely } from "../../../core/http/http-server";
import { untilEvent } from "../../support/eventually";
import { closeLater, runLater } from "../../support/resources";

const pem = (name: string) => readFileSync(join(__dirname, "certificates", name), "utf8");
const tls = { cert: pem("server.pem"), key: pem("server.key") };

const limits = {
  headersTimeoutMs: 200,
  requestTimeoutMs: 400,
  maxConnectionsPerAddress: 2,
  maxConnections: 4,
};

async function listenWithLimits(options: ListenOptions, more = {}): Promise<number> {
  const server = await listenSafely(
    options,
    {
      async handle(request, response) {
        for await (const _ of request);
        response.end();
      },
      refuse: (response, status) => response.writeHead(status).end(),
    },
    { ...limits, ...more },
  );
  closeLater(server);
  return Number(new URL(server.origin).port);
}

function connectTo(port: number, text = "") {
  const socket = connect(port, "127.0.0.1");
  runLater(() => socket.destroy());
  socket.on("error", () => undefined).resume();
  if (text !== "") socket.write(text);
  return socket;
}

const head = (port: number) => `POST / HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n`;

test.each<[what: string, options: ListenOptions, text: (port: number) => string]>([
  ["nothing", {}, () => ""],
  ["a part of its headers", {}, head],
  ["a part of its body", {}, (port) => `${head(port)}content-length: 9\r\n\r\nbody`],
  ["no TLS handshake", { tls }, () => ""],
])("closes a connection whose client sends %s", async (_what, options, text) => {
  const log = jest.spyOn(console, "error").mockImplementation(() => undefined);
  const port = await listenWithLimits(options);
  await untilEvent(connectTo(port, text(port)), "close");
  expect(log.mock.calls).toEqual([]);
  log.mockRestore();
});

test("refuses more connections of one address", async () => {
  const port = await listenWithLimits({}, { headersTimeoutMs: 30_000, requestTimeoutMs: 30_000 });
  const [first, second] = [connectTo(port), connectTo(port)];
  await Promise.all([untilEvent(first, "connect"), untilEvent(second, "connect")]);
  const third = connectTo(port);
  await untilEvent(third, "close");
  expect(third.bytesRead).toBe(0);
});

test("closes while a client has not finished its TLS handshake", async () => {
  const server = await listenSafely({ tls }, { handle: async () => undefined, refuse: () => undefined });
  const socket = connectTo(Number(new URL(server.origin).port));
  await untilEvent(socket, "connect");
  await server.close();
  await untilEvent(socket, "close");
});
