/**
 * Measures how close procedures over many accounts come to the ideal, at 100 ms per response and 10 connections. The ideal
 * is the number of requests times 100 ms, divided by 10.
 */
import { createClient } from "../core";
import { inTurn, median, printRow, timed } from "./compare";
import { accountsResponseMs, startServer } from "./server";

const rounds = 5;
const connections = 10;
const period = "2026-01";

export async function benchAccounts(): Promise<void> {
  const server = await startServer("accounts");
  const client = createClient({
    baseUrl: server.url,
    credentials: { accessToken: "an-access-token" },
    connections,
  });
  const candidates = {
    "cash.getPosition, 100 accounts": () => client.cash.getPosition({}, { clientId: "100" }),
    "transactions.find, 200 accounts": () => client.transactions.find({ period }, { clientId: "200" }),
    "transactions.summarize, 200 accounts": () =>
      client.transactions.summarize({ by: ["month"], period }, { clientId: "200" }),
  };
  const measurements = Object.values(candidates).map((run) => async () => {
    const ms = await timed(async () => {
      if (!(await run()).complete) throw new Error("A result is partial.");
    });
    const { requests } = await server.takeCounts();
    return { ms, idealMs: (requests * accountsResponseMs) / connections };
  });
  const results = await inTurn(measurements, rounds);
  await client.close();
  server.stop();
  console.log(
    `Accounts side by side: ${connections} connections, ${accountsResponseMs} ms a response; median of ${rounds}`,
  );
  for (const [index, name] of Object.keys(candidates).entries()) {
    const ms = median(results[index]!.map((result) => result.ms));
    const ratio = median(results[index]!.map((result) => result.ms / result.idealMs));
    printRow(name, ms, "ms", `${ratio.toFixed(2)} of ideal`);
  }
}
