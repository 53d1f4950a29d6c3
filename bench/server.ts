/** Simulated services, each in a process of its own, so that a measurement shows the client only. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { trade } from "./trade";

/** Number of trades in the service `million`. */
export const manyTrades = 1_000_000;
/** Time until a response of the service `accounts`. */
export const accountsResponseMs = 100;
/** Requests per second that the service `limited` accepts. */
export const limitPerSecond = 20;

interface Response {
  readonly status?: number;
  readonly body: string;
  readonly afterMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Two trades: about 1 KB. */
const twoTrades = JSON.stringify([trade, { ...trade, trade_id: "6a1b86d4-7f2c-4f0e-8f6e-3f9d4c2b1a22" }]);

function pageOfTrades({ searchParams }: URL): string {
  const [page, size] = [Number(searchParams.get("page") ?? 1), Number(searchParams.get("page_size") ?? 50)];
  const first = (page - 1) * size;
  const length = Math.max(0, Math.min(size, manyTrades - first));
  return JSON.stringify(Array.from({ length }, (_, index) => ({ ...trade, trade_id: `T${first + index}` })));
}

const amount = { amount: { amount: "100.00", currency: "EUR" }, credit_debit_indicator: "Credit" };

/** Returns balances or transactions of one account, or the accounts. The client ID is their number. */
function listAt({ pathname, searchParams }: URL): readonly object[] {
  const [, , account_id, list] = pathname.split("/");
  if (account_id === "currency-accounts") return [{ account_id: 1, currency: "EUR" }];
  if (list === "balances") return [{ account_id, type: "InterimAvailable", ...amount }];
  if (list === "transactions")
    return [{ transaction_id: account_id, account_id, value_datetime: "2026-01-05T10:00:00Z", ...amount }];
  return Array.from({ length: Number(searchParams.get("client_id")) }, (_, number) => ({
    account_id: `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`,
    currency: "EUR",
  }));
}

function respondSlowly(url: URL): Response {
  const list = listAt(url);
  const headers = { "x-total-count": String(list.length) };
  return { body: JSON.stringify(list), headers, afterMs: accountsResponseMs };
}

const acceptedTimes: number[] = [];

function respondWithinLimit(): Response {
  const now = performance.now();
  while (acceptedTimes.length > 0 && acceptedTimes[0]! <= now - 1_000) acceptedTimes.shift();
  if (acceptedTimes.length >= limitPerSecond) return { status: 429, body: "[]" };
  acceptedTimes.push(now);
  return { body: "[]" };
}

const services = {
  trades: () => ({ body: twoTrades }),
  million: (url) => ({ body: pageOfTrades(url) }),
  accounts: respondSlowly,
  limited: respondWithinLimit,
} satisfies Record<string, (url: URL) => Response>;

type ServiceName = keyof typeof services;

interface Counts {
  readonly requests: number;
  /** Responses with status 429. */
  readonly refused: number;
}

function serve(name: ServiceName): void {
  const respond: (url: URL) => Response = services[name];
  let [requests, refused] = [0, 0];
  const server = createServer((request, response) => {
    const { status = 200, body, afterMs, headers } = respond(new URL(request.url!, "http://service"));
    requests += 1;
    if (status === 429) refused += 1;
    const send = () =>
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
    if (afterMs === undefined) send();
    else setTimeout(send, afterMs);
  });
  server.listen(0, "127.0.0.1", () => process.send!((server.address() as AddressInfo).port));
  process.on("message", () => {
    process.send!({ requests, refused } satisfies Counts);
    [requests, refused] = [0, 0];
  });
  process.on("disconnect", () => process.exit(0));
}

export interface Server {
  readonly url: string;
  /** Returns the counts since the last call. */
  takeCounts(): Promise<Counts>;
  readonly stop: () => void;
}

export async function startServer(name: ServiceName): Promise<Server> {
  const child = fork(__filename, [name], { execArgv: [] });
  const [port] = (await once(child, "message")) as [number];
  return {
    url: `http://127.0.0.1:${port}`,
    async takeCounts() {
      child.send("counts");
      return ((await once(child, "message")) as [Counts])[0];
    },
    stop: () => child.disconnect(),
  };
}

if (require.main === module) serve(process.argv[2] as ServiceName);
