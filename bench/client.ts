/** Compares client reads, with and without interceptors, with bare undici and JSON.parse: 1 KB of JSON, 10 in flight. */
import { Agent, request } from "undici";
import { createClient, type Interceptor } from "../core";
import { compare, print } from "./compare";
import { startServer } from "./server";

const passThrough: Interceptor = async (call, next) => next(call);

export async function benchClient(): Promise<void> {
  const { url, stop } = await startServer();
  const dispatcher = new Agent({ connections: 10 });
  const options = {
    baseUrl: url,
    clientId: "c-1",
    credentials: { accessToken: "an-access-token", apiKey: "an-api-key" },
  };
  const client = createClient(options);
  const interceptedClient = createClient({
    ...options,
    interceptors: [passThrough, passThrough, passThrough, passThrough, passThrough],
  });
  const headers = { authorization: "Bearer t" };
  const parts = { origin: url, path: "/trades?client_id=c-1" };
  const rows = await compare(
    [
      {
        name: "undici request + JSON.parse",
        run: async () =>
          JSON.parse(await (await request(parts.origin + parts.path, { dispatcher, headers })).body.text()),
      },
      {
        name: "undici Agent.request + JSON.parse",
        run: async () =>
          JSON.parse(await (await dispatcher.request({ ...parts, method: "GET", headers })).body.text()),
      },
      { name: "client.trades.list", run: () => client.trades.list() },
      { name: "the same, five interceptors", run: () => interceptedClient.trades.list() },
    ],
    { rounds: 15, sliceMs: 400, inFlight: 10 },
  );
  print("Read of 1 KB JSON, 10 in flight", rows);
  await Promise.all([client.close(), interceptedClient.close(), dispatcher.close()]);
  stop();
}
