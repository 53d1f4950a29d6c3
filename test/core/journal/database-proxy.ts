/** A proxy to PostgreSQL, closed with its test, that can drop connections: all of them, or one before the response to a COMMIT. */
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import type { StoreSettings } from "../../../core/store/settings";
import { runLater } from "../../support/resources";

export interface DatabaseProxy {
  readonly settings: StoreSettings;
  /** Drops the connection after the next COMMIT, before its response arrives. */
  dropNextCommitResponse(): void;
  /** Drops all connections and refuses new ones. */
  disconnect(): Promise<void>;
  reconnect(): Promise<void>;
}

export async function startDatabaseProxy({ location, key }: StoreSettings): Promise<DatabaseProxy> {
  const url = new URL(location);
  const sockets = new Set<Socket>();
  let isCommitLost = false;
  const server = createServer((client) => {
    const database = connect(Number(url.port), url.hostname);
    const cut = () => {
      client.destroy();
      database.destroy();
    };
    let isCommitting = false;
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on("error", cut).on("close", () => {
        sockets.delete(socket);
        cut();
      });
    }
    client.on("data", (chunk) => {
      isCommitting ||= isCommitLost && chunk.includes("COMMIT");
      database.write(chunk);
    });
    database.on("data", (chunk) => {
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
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  }
  runLater(disconnect);
  return {
    settings: { location: through.href, key },
    dropNextCommitResponse: () => void (isCommitLost = true),
    disconnect,
    reconnect: () => listen(port),
  };
}
