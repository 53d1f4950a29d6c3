/** Simulated service in a process of its own, so that a measurement shows the client only. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Number of trades of the service. */
export const manyTrades = 1_000_000;

/** A trade as in a list of the service, about 0.5 KB of JSON. */
const trade = {
  trade_type: "spot",
  status: "Funds in Full",
  buy_currency: "USD",
  buy_amount: 125000.5,
  sell_currency: "EUR",
  sell_amount: 114587.12,
  rate: 1.090868,
  rate_symbol: "EURUSD",
  parent_trade_id: null,
  order_date: "2026-03-02",
  maturity_date: "2026-03-04",
  beneficiaries: ["Example Supplies Ltd", "Sample Freight GmbH"],
  fee_currency: "EUR",
  fee_amount: 12.5,
  synthetic: false,
  reference: "INV-2026-000123",
};

/** Returns a page of the trades; without a size, two trades (about 1 KB). */
function pageOfTrades({ searchParams }: URL): object[] {
  const [page, size] = [Number(searchParams.get("page") ?? 1), Number(searchParams.get("page_size") ?? 2)];
  const first = (page - 1) * size;
  const length = Math.max(0, Math.min(size, manyTrades - first));
  return Array.from({ length }, (_, index) => ({ ...trade, trade_id: `T${first + index}` }));
}

function serve(latencyMs: number): void {
  const server = createServer((request, response) => {
    const body = JSON.stringify(pageOfTrades(new URL(request.url!, "http://service")));
    const answer = () => response.writeHead(200, { "content-type": "application/json" }).end(body);
    if (latencyMs > 0) setTimeout(answer, latencyMs);
    else answer();
  });
  server.listen(0, "127.0.0.1", () => process.send!((server.address() as AddressInfo).port));
  process.on("disconnect", () => process.exit(0));
}

/** Starts the service; it answers after `latencyMs`. */
export async function startServer(
  latencyMs = 0,
): Promise<{ readonly url: string; readonly stop: () => void }> {
  const child = fork(__filename, [String(latencyMs)], { execArgv: [] });
  const [port] = (await once(child, "message")) as [number];
  return { url: `http://127.0.0.1:${port}`, stop: () => child.disconnect() };
}

if (require.main === module) serve(Number(process.argv[2]));
