/** Resources of a test, closed by themselves: after the test that opened them, or after the file if a hook opened them. */
import { mkdtemp, rm } from "node:fs/promises";
import type { Server } from "node:http";
import { type AddressInfo, Server as SocketServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

type Close = () => unknown;
const ofFile: Close[] = [];
const ofTest: Close[] = [];
let current = ofFile;

/** Closes the newest first, because it may use older ones. */
async function closeAll(closes: Close[]): Promise<void> {
  for (let close = closes.pop(); close; close = closes.pop()) await close();
}

// Hooks of the setup run before those of a test file, so what `beforeEach` opens belongs to the test.
beforeEach(() => {
  current = ofTest;
});
afterEach(async () => {
  await closeAll(ofTest);
  current = ofFile;
});
afterAll(() => closeAll(ofFile));

/** Registers a clean-up step. */
export const runLater = (close: Close): void => void current.push(close);

/** Registers something to be closed and returns it. */
export function closeLater<T extends { close(): unknown }>(opened: T): T {
  runLater(() => opened.close());
  return opened;
}

/** Returns a new folder, which is removed later. */
export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "fxdesk-test-"));
  runLater(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Listens on a free port of this machine and returns the port. Open connections are cut when the server is closed. */
export async function listen(server: Server | SocketServer): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  runLater(() => {
    if ("closeAllConnections" in server) server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
