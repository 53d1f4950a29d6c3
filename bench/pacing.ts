/**
 * Measures how close the rate limiter comes to an unknown limit of 20 requests per second: 1,000 reads by four users of one
 * connection, and by four connections that share their pace over a store. Runs in real time, at least 50 seconds each.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type ClientOptions, type FxdeskClient } from "../core";
import { printRow, timed } from "./compare";
import { limitPerSecond, startServer } from "./server";

const [users, readsPerUser] = [4, 250];
const idealMs = (users * readsPerUser * 1_000) / limitPerSecond;

/** Starts all reads of a user at once; returns the milliseconds until the last response. */
const readAll = (client: FxdeskClient, user: string): Promise<number> =>
  timed(() => Promise.all(Array.from({ length: readsPerUser }, () => client.trades.list({}, { user }))));

/** Measures as many users as there are; `numberOfClients` of them have a client of their own. */
async function measure(name: string, numberOfClients: number, options: ClientOptions): Promise<void> {
  const server = await startServer("limited");
  const clients = Array.from({ length: numberOfClients }, () =>
    createClient({
      baseUrl: server.url,
      clientId: "c-1",
      credentials: { accessToken: "t", apiKey: "k" },
      queueTimeoutMs: 300_000,
      ...options,
    }),
  );
  const times = await Promise.all(
    Array.from({ length: users }, (_, user) => readAll(clients[user % numberOfClients]!, String(user))),
  );
  const { requests, refused } = await server.takeCounts();
  await Promise.all(clients.map((client) => client.close()));
  server.stop();
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const notes = [
    `${(last / idealMs).toFixed(2)} of ideal`,
    `first of them ${(first / 1_000).toFixed(1)} s`,
    `refused ${((100 * refused) / requests).toFixed(1)} %`,
  ];
  printRow(name, last / 1_000, "s", notes.join(", "));
}

export async function benchPacing(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "fxdesk-pacing-"));
  console.log(`1,000 reads, ${limitPerSecond} a second: ideal ${idealMs / 1_000} s`);
  await Promise.all([
    measure("four users of a connection", 1, {}),
    measure("four connections on a store", users, { pacing: "shared", store: join(folder, "store.db") }),
  ]);
  await rm(folder, { recursive: true });
}
