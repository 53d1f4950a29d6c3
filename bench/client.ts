/** Compares client reads, with and without interceptors, with bare undici and JSON.parse: 1 KB of JSON, 10 in flight. */
import { Agent, request } from "undici";
import { createClient, type Interceptor } from "../core";
import { compare } from "./compare";
import { startServer } from "./server";

const passThrough: Interceptor = async (call, next) => next(call);

async function main(): Promise<void> {
  const { url, stop } = await startServer();
  const dispatcher = new Agent({ connections: 10 });
  const options = {
    baseUrl: url,
    clientId: "c-1",
    credentials: { accessToken: "an-access-token", apiKey: "an-api-key" },
  };
  const client = createClient(options);
  const interceptedClient = createClient({ ...options, interceptors: Array(5).fill(passThrough) });
  const headers = { authorization: "Bearer t" };
  const path = "/trades?client_id=c-1";
  await compare(
    "Read of 1 KB JSON, 10 in flight",
    [
      {
        name: "undici request + JSON.parse",
        run: async () =>
          JSON.parse(await (await request(url + path, { dispatcher, headers })).body.text()) as unknown,
      },
      {
        name: "undici Agent.request + JSON.parse",
        run: async () =>
          JSON.parse(
            await (await dispatcher.request({ origin: url, path, method: "GET", headers })).body.text(),
          ) as unknown,
      },
      { name: "client.trades.list", run: () => client.trades.list() },
      { name: "the same, five interceptors", run: () => interceptedClient.trades.list() },
    ],
    { rounds: 15, sliceMs: 400, inFlight: 10 },
  );
  await Promise.all([client.close(), interceptedClient.close(), dispatcher.close()]);
  stop();
}

void main();
