/** A proxy that forwards requests to a service, or applies random faults to them. It is closed with its test. */
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { listen } from "../support/resources";
import { type SeededRandom } from "./seeded-random";

/** Fate of a request: forwarded, or a fault `before` or `after` the service processes it. */
type Fate =
  | "pass"
  | "late"
  | "reset-before"
  | "silence-before"
  | "unavailable-before"
  | "throttled-before"
  | "reset-after"
  | "closed-after"
  | "cut-after"
  | "failed-after"
  | "timeout-after"
  | "page-after"
  | "silence-after";

const moneyWeights: Readonly<Record<Fate, number>> = {
  pass: 55,
  late: 7,
  "reset-before": 4,
  "silence-before": 1,
  "unavailable-before": 3,
  "throttled-before": 2,
  "reset-after": 8,
  "closed-after": 5,
  "cut-after": 4,
  "failed-after": 5,
  "timeout-after": 2,
  "page-after": 2,
  "silence-after": 2,
};

/** Faults of reads, so that reference searches fail too. */
const readWeights: Readonly<Partial<Record<Fate, number>>> = {
  pass: 85,
  late: 5,
  "reset-before": 3,
  "unavailable-before": 3,
  "throttled-before": 1,
  "cut-after": 2,
  "silence-after": 1,
};

export interface FaultProxy {
  readonly url: string;
  /** Number of money calls that met a fault. */
  faultCount(): number;
  /** Stops all faults. */
  stopFaults(): void;
}

interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

function forward(target: URL, { method, url, headers }: IncomingMessage, body: Buffer): Promise<Received> {
  return new Promise((resolve, reject) => {
    const asked = request(new URL(url!, target), { method, headers: { ...headers, host: target.host } });
    asked.on("error", reject).on("response", (response) => {
      buffer(response).then(
        (received) => resolve({ status: response.statusCode!, headers: response.headers, body: received }),
        reject,
      );
    });
    asked.end(body);
  });
}

function respond(response: ServerResponse, { status, headers, body }: Received): void {
  const { "transfer-encoding": _, connection: _connection, ...others } = headers;
  response.writeHead(status, { ...others, "content-length": body.length }).end(body);
}

const refuse = (response: ServerResponse, status: number, headers: Record<string, string> = {}) =>
  response.writeHead(status, { "content-type": "text/html", ...headers }).end("<html>not now</html>");

export async function faultProxy(service: string, chance: SeededRandom): Promise<FaultProxy> {
  const target = new URL(service);
  const counts: Partial<Record<Fate, number>> = {};
  let isCalm = false;

  function fateOf({ method }: IncomingMessage): Fate {
    if (isCalm) return "pass";
    if (method === "GET") return chance.pick(readWeights as typeof moneyWeights);
    const fate = chance.pick(moneyWeights);
    counts[fate] = (counts[fate] ?? 0) + 1;
    return fate;
  }

  async function play(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    const fate = fateOf(incoming);
    const { socket } = incoming;
    switch (fate) {
      case "reset-before":
        return void socket.resetAndDestroy();
      case "silence-before":
        return;
      case "unavailable-before":
        return void refuse(response, chance.integer(502, 504));
      case "throttled-before":
        return void refuse(response, 429, { "retry-after": "0" });
      default:
    }
    const received = await forward(target, incoming, body);
    switch (fate) {
      case "late":
        await pause(chance.integer(1, 400));
        return respond(response, received);
      case "reset-after":
        return void socket.resetAndDestroy();
      case "closed-after":
        return void socket.end();
      case "cut-after":
        response.writeHead(received.status, { "content-length": received.body.length });
        return void response.write(received.body.subarray(0, received.body.length >> 1), () =>
          socket.destroy(),
        );
      case "failed-after":
        return void refuse(response, chance.integer(500, 504));
      case "timeout-after":
        return void refuse(response, 408);
      case "page-after":
        return void refuse(response, 200);
      case "silence-after":
        return;
      default:
        return respond(response, received);
    }
  }

  const server = createServer((incoming, response) => {
    incoming.on("error", () => undefined);
    response.on("error", () => undefined);
    // The caller may have died.
    play(incoming, response).catch(() => incoming.socket.destroy());
  });
  return {
    url: `http://127.0.0.1:${await listen(server)}`,
    faultCount: () =>
      Object.entries(counts).reduce((sum, [fate, count]) => (fate === "pass" ? sum : sum + count), 0),
    stopFaults: () => (isCalm = true),
  };
}
