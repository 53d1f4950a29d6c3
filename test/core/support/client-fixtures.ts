/** Clients at a server with a given behaviour. Everything opened is closed after each test. */
import { randomUUID } from "node:crypto";
import { createServer } from "node:net";
import { createClient, type ClientOptions, type FxdeskClient, FxdeskError } from "../../../core";
import { eventually } from "../../support/eventually";
import { type Fault, faultServer, type FaultServer, respond } from "../../support/fault-server";

export const tradeInput = { quote_id: "q-1", reason: "other" } as const;
/** Returns a unique key, for calls with the same input. */
export const uniqueKey = () => ({ key: randomUUID() });
export const accountId = "11111111-2222-3333-4444-555555555555";
export const fileInput = { account_id: accountId, statement_id: accountId } as const;
/** A call that changes something without committing money. */
export const changeRequest = { method: "POST", path: "/things", body: { a: 1 } } as const;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of cleanups.splice(0).toReversed()) await close();
});

/** Registers something to close after the test, in reverse order. */
export const onCleanup = (close: () => unknown): void => void cleanups.push(close);

export async function startFaultServer(fault: Fault): Promise<FaultServer> {
  const server = await faultServer(fault);
  onCleanup(() => server.close());
  return server;
}

export function createTestClient(options: ClientOptions): FxdeskClient {
  const client = createClient({ clientId: "c-1", credentials: { accessToken: "token" }, ...options });
  onCleanup(() => client.close());
  return client;
}

export async function startClientAndServer(fault: Fault, options: ClientOptions = {}) {
  const server = await startFaultServer(fault);
  // The server first, because a waiting call would keep the client open.
  const client = createClient({
    baseUrl: server.url,
    xs2aUrl: server.url,
    clientId: "c-1",
    credentials: { accessToken: "token" },
    ...options,
  });
  onCleanup(async () => {
    await server.close();
    await client.close();
  });
  return { server, client };
}

/** Returns the FxdeskError of a call. Fails for a success or another error. */
export async function failureOf(call: Promise<unknown>): Promise<FxdeskError> {
  const error = await call.then(
    (value) => new Error(`expected the call to fail, not ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof FxdeskError)) throw error;
  return error;
}

/** Response of the token endpoint. */
export const tokenPairResponse = (access: string, refresh: string, lifetime: unknown = 3_600): Fault =>
  respond(200, JSON.stringify({ access_token: access, refresh_token: refresh, expires_in: lifetime }));

export const untilArrived = (server: FaultServer, count: number) =>
  eventually(() => server.heads.length >= count, { withinMs: 20_000, what: `${count} requests` });

/** Returns an address without a listener. */
export async function closedPortUrl(): Promise<string> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as { port: number };
  await new Promise<void>((resolve) => probe.close(() => resolve()));
  return `http://127.0.0.1:${port}`;
}

/** Sends spaces until the connection closes. */
export const dripFault: Fault = (socket) => {
  socket.write("HTTP/1.1 200 X\r\ncontent-type: application/json\r\n\r\n");
  const timer = setInterval(() => socket.write(" "), 5);
  socket.on("close", () => clearInterval(timer));
};

/** Removes the random part of retry delays. */
export const disableBackoff = (): void => {
  const random = jest.spyOn(Math, "random").mockReturnValue(0);
  onCleanup(() => random.mockRestore());
};
