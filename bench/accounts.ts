/**
 * Measures how close procedures over many accounts come to the ideal, at 100 ms per response and 10 connections. The ideal
 * is the number of requests times 100 ms, divided by 10.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createClient } from "../core";
import { median } from "./compare";

const rounds = 5;
const responseMs = 100;
const connections = 10;

const accountIdOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

const amount = { amount: { amount: "100.00", currency: "EUR" }, credit_debit_indicator: "Credit" };

/** Returns the response to a path below /accounts: balances or transactions of one account, or the accounts. */
function respondTo(path: string, accounts: number): readonly object[] {
  const [, , account_id, list] = path.split("/");
  if (account_id === "currency-accounts") return [{ account_id: 1, currency: "EUR" }];
  if (list === "balances") return [{ account_id, type: "InterimAvailable", ...amount }];
  if (list === "transactions")
    return [{ transaction_id: account_id, account_id, value_datetime: "2026-01-05T10:00:00Z", ...amount }];
  return Array.from({ length: accounts }, (_, number) => ({
    account_id: accountIdOf(number),
    currency: "EUR",
  }));
}

function serve(): void {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    const [path, query] = request.url!.split("?");
    const body = respondTo(path!, Number(new URLSearchParams(query).get("client_id")));
    const headers = { "content-type": "application/json", "x-total-count": String(body.length) };
    setTimeout(() => response.writeHead(200, headers).end(JSON.stringify(body)), responseMs);
  });
  server.listen(0, "127.0.0.1", () => process.send!((server.address() as AddressInfo).port));
  process.on("message", () => {
    process.send!(requests);
    requests = 0;
  });
  process.on("disconnect", () => process.exit(0));
}

export async function benchAccounts(): Promise<void> {
  const server = fork(__filename, { execArgv: [] });
  const [port] = (await once(server, "message")) as [number];
  const countRequests = async (): Promise<number> => {
    server.send("count");
    return ((await once(server, "message")) as [number])[0];
  };
  const client = createClient({
    baseUrl: `http://127.0.0.1:${port}`,
    credentials: { accessToken: "an-access-token" },
    connections,
  });
  const period = "2026-01";
  const candidates = [
    {
      name: "cash.getPosition, 100 accounts",
      run: () => client.cash.getPosition({}, { clientId: "100" }),
    },
    {
      name: "transactions.find, 200 accounts",
      run: () => client.transactions.find({ period }, { clientId: "200" }),
    },
    {
      name: "transactions.summarize, 200 accounts",
      run: () => client.transactions.summarize({ by: ["month"], period }, { clientId: "200" }),
    },
  ];
  const seconds = candidates.map((): number[] => []);
  const ideals: number[] = [];
  for (let round = 0; round < rounds; round += 1)
    for (const [index, { run }] of candidates.entries()) {
      const startedAt = performance.now();
      const { complete } = await run();
      seconds[index]!.push((performance.now() - startedAt) / 1_000);
      ideals[index] = ((await countRequests()) * responseMs) / connections / 1_000;
      if (!complete) throw new Error("A result is partial.");
    }
  await client.close();
  server.disconnect();
  console.log(
    `Accounts side by side: ${connections} connections, ${responseMs} ms a response; median of ${rounds}`,
  );
  for (const [index, { name }] of candidates.entries()) {
    const [taken, ideal] = [median(seconds[index]!), ideals[index]!];
    console.log(
      `  ${name.padEnd(38)} ${taken.toFixed(2).padStart(6)} s, ${(taken / ideal).toFixed(2)} of ideal (${ideal.toFixed(2)} s)`,
    );
  }
}

if (require.main === module) serve();
