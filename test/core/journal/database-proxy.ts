/**
 * A proxy to PostgreSQL, closed with its test, that can drop connections: all of them, at a given request, or one before the
 * response to a COMMIT.
 */
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import type { StoreSettings } from "../../../core/store/settings";
import { runLater } from "../../support/resources";

export interface DatabaseProxy {
  readonly settings: StoreSettings;
  /** Drops the connection after the next COMMIT, before its response arrives. */
  dropNextCommitResponse(): void;
  /**
   * Disconnects at the next request with this number, counted from 1: before the database receives it, or before its response
   * arrives.
   */
  disconnectAt(request: number, before: "request" | "response"): void;
  /** Returns the number of requests since `disconnectAt`. */
  requestCount(): number;
  /** Drops all connections and refuses new ones. */
  disconnect(): Promise<void>;
  reconnect(): Promise<void>;
}

export async function startDatabaseProxy({ location, key }: StoreSettings): Promise<DatabaseProxy> {
  const url = new URL(location);
  const sockets = new Set<Socket>();
  let isCommitLost = false;
  let requests = 0;
  let failure: { readonly request: number; readonly before: "request" | "response" } | undefined;
  const server = createServer((client) => {
    const database = connect(Number(url.port), url.hostname);
    const cut = () => {
      client.destroy();
      database.destroy();
    };
    let isCommitting = false;
    let isFailing = false;
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on("error", cut).on("close", () => {
        sockets.delete(socket);
        cut();
      });
    }
    client.on("data", (chunk) => {
      isCommitting ||= isCommitLost && chunk.includes("COMMIT");
      requests += 1;
      isFailing = requests === failure?.request;
      if (isFailing && failure?.before === "request") void disconnect();
      else database.write(chunk);
    });
    database.on("data", (chunk) => {
      if (isFailing) return void disconnect();
      if (!isCommitting) return void client.write(chunk);
      isCommitLost = false;
      cut();
    });
  });
  const listen = (port: number) =>
    new Promise<void>((resolve) => server.listen(port, "127.0.0.1", () => resolve()));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const through = new URL(location);
  through.port = String(port);
  async function disconnect() {
    failure = undefined;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  }
  runLater(disconnect);
  return {
    settings: { location: through.href, key },
    dropNextCommitResponse: () => void (isCommitLost = true),
    disconnectAt(request, before) {
      requests = 0;
      failure = { request, before };
    },
    requestCount: () => requests,
    disconnect,
    reconnect: () => listen(port),
  };
}
