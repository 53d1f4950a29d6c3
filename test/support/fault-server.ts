/** A TCP server with scripted faults that an HTTP server cannot produce. */
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { runLater } from "./resources";

/** Handles one request after its complete head; `number` counts from 1. */
export type Fault = (socket: Socket, number: number) => void;

export interface FaultServer {
  readonly url: string;
  /** Request heads in order of arrival, without lookups of bookings, which get a 404, or an empty list after a 409. */
  readonly heads: string[];
  close(): Promise<void>;
}

/** Status of the latest response on a connection. */
const statuses = new WeakMap<Socket, number>();

export const respond =
  (status: number, body: string | Buffer = "", headers: Record<string, string> = {}): Fault =>
  (socket) => {
    const all = {
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(body)),
      ...headers,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
    const head = Buffer.from(`HTTP/1.1 ${status} X\r\n${lines.join("\r\n")}\r\n\r\n`);
    statuses.set(socket, status);
    socket.write(Buffer.concat([head, Buffer.from(body)]));
  };

export const reset: Fault = (socket) => socket.resetAndDestroy();
export const silence: Fault = () => undefined;

/** Starts a server that applies the faults in order and repeats the last one. */
export const inSequence =
  (...faults: [Fault, ...Fault[]]): Fault =>
  (socket, number) =>
    faults[Math.min(number, faults.length) - 1]!(socket, number);

/** True for lookups of a booking in the list of trades. */
const isRecoveryLookup = (head: string, earlierHeads: readonly string[]): boolean =>
  /^GET \/trades\?\S*page_size=/.test(head) && earlierHeads.some((each) => each.startsWith("POST /trades?"));

const ports = new Set<number>();

/** Gives each server its own address, so that journal entries of one do not apply to the next. */
async function listenAtNewPort(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  if (!ports.has(port)) {
    ports.add(port);
    return port;
  }
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return listenAtNewPort(server);
}

/** Starts a TCP server that passes on complete requests, head and body, as Latin-1 text. */
export async function requestServer(onRequest: (socket: Socket, request: string) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    let buffered = "";
    socket.on("data", (chunk) => {
      buffered += chunk.toString("latin1");
      const end = buffered.indexOf("\r\n\r\n");
      if (end < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(buffered)?.[1] ?? 0);
      if (buffered.length < end + 4 + length) return;
      const request = buffered;
      buffered = "";
      onRequest(socket, request);
    });
  });
  const port = await listenAtNewPort(server);
  const close = () =>
    new Promise<void>((resolve) => {
      for (const socket of sockets) socket.destroy();
      server.close(() => resolve());
    });
  return { url: `http://127.0.0.1:${port}`, sockets, close };
}

/** Starts a server with faults. It is closed with its test, if not before. */
export async function faultServer(fault: Fault): Promise<FaultServer> {
  const heads: string[] = [];
  let latest: Socket | undefined;
  const { url, close } = await requestServer((socket, request) => {
    if (isRecoveryLookup(request, heads)) {
      const isRefused = latest !== undefined && statuses.get(latest) === 409;
      return (isRefused ? respond(200, "[]") : respond(404))(socket, 0);
    }
    latest = socket;
    heads.push(request);
    fault(socket, heads.length);
  });
  runLater(close);
  return { url, heads, close };
}
