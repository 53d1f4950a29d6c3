/** Clients at a server with a given behaviour, closed with their test. */
import { randomUUID } from "node:crypto";
import { createClient, type ClientOptions, type FxdeskClient, FxdeskError } from "../../../core";
import { eventually } from "../../support/eventually";
import { type Fault, faultServer, type FaultServer, respond, silence } from "../../support/fault-server";
import { closeLater, runLater } from "../../support/resources";

export const tradeInput = { quote_id: "q-1", reason: "other" } as const;
/** Returns the input of a booking that no other one equals. */
export const newTrade = () => ({ quote_id: `q-${randomUUID()}`, reason: "other" }) as const;
export const accountId = "11111111-2222-3333-4444-555555555555";
export const fileInput = { account_id: accountId, statement_id: accountId } as const;
/** A call that changes something without committing money. */
/** A request for an operation with the effect change. */
export const changeRequest = {
  method: "POST",
  path: "/account-details/request",
  body: { a: 1 },
} as const;

export const startFaultServer = async (fault: Fault): Promise<FaultServer> =>
  closeLater(await faultServer(fault));

export const createTestClient = (options: ClientOptions): FxdeskClient =>
  closeLater(createClient({ clientId: "c-1", credentials: { accessToken: "token" }, ...options }));

export async function startClientAndServer(fault: Fault, options: ClientOptions = {}) {
  const server = await faultServer(fault);
  const client = createTestClient({ baseUrl: server.url, xs2aUrl: server.url, ...options });
  // Closed before the client, which a waiting call would keep open.
  closeLater(server);
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
  const server = await faultServer(silence);
  await server.close();
  return server.url;
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
  runLater(() => random.mockRestore());
};
