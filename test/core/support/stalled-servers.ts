/** Servers that never complete a connection, or reset it on demand. */
import { connect, createServer, type Socket } from "node:net";
import { Worker } from "node:worker_threads";
import { listen, runLater } from "../../support/resources";

const fullBacklogScript = `
const { createServer } = require("node:net");
const { parentPort, workerData } = require("node:worker_threads");
const server = createServer();
server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
  parentPort.postMessage(server.address().port);
  Atomics.wait(new Int32Array(workerData), 0, 0);
});`;

/**
 * Starts a server with a full backlog, to which the kernel accepts no further connection. Its thread blocks before it can
 * accept any, so two connections fill the backlog.
 */
export async function startFullBacklogServer(): Promise<string> {
  const worker = new Worker(fullBacklogScript, { eval: true, workerData: new SharedArrayBuffer(4) });
  runLater(() => worker.terminate());
  const port = await new Promise<number>((resolve) => worker.once("message", resolve));
  const sockets: Socket[] = [];
  runLater(() => sockets.forEach((socket) => socket.destroy()));
  // More than the backlog holds.
  await new Promise<void>((resolve) => {
    let open = 0;
    for (let count = 0; count < 4; count += 1)
      sockets.push(
        connect(port, "127.0.0.1", () => {
          open += 1;
          if (open === 2) resolve();
        }).on("error", () => undefined),
      );
  });
  return `127.0.0.1:${port}`;
}

/** Starts a server that accepts connections and never sends anything, so that a TLS handshake never ends. */
export async function startSilentServer() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket
      .on("error", () => undefined)
      .on("close", () => sockets.delete(socket))
      .resume();
  });
  const port = await listen(server);
  runLater(() => sockets.forEach((socket) => socket.destroy()));
  return { host: `127.0.0.1:${port}`, sockets };
}

const resettingScript = `
const { createServer } = require("node:net");
const { parentPort, workerData } = require("node:worker_threads");
const flags = new Int32Array(workerData);
const server = createServer((socket) => {
  Atomics.wait(flags, 0, 0);
  socket.resetAndDestroy();
  Atomics.store(flags, 1, 1);
  Atomics.notify(flags, 1);
});
server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));`;

/** Starts a server that resets its connection while this thread is blocked, unnoticed until the next write. */
export async function startResettingServer() {
  const workerData = new SharedArrayBuffer(8);
  const flags = new Int32Array(workerData);
  const worker = new Worker(resettingScript, { eval: true, workerData });
  runLater(() => worker.terminate());
  const port = await new Promise<number>((resolve) => worker.once("message", resolve));
  const reset = () => {
    Atomics.store(flags, 0, 1);
    Atomics.notify(flags, 0);
    if (Atomics.wait(flags, 1, 0, 30_000) === "timed-out") throw new Error("The server did not reset.");
  };
  return { origin: `http://127.0.0.1:${port}`, reset };
}
