/** Runs Node-RED in this process, without its editor. */
import { once } from "node:events";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import RED from "node-red";

const root = join(__dirname, "../..");

export async function startNodeRed(): Promise<() => Promise<void>> {
  const userDir = await mkdtemp(join(tmpdir(), "bench-"));
  await mkdir(join(userDir, "node_modules/@fxdesk"), { recursive: true });
  await symlink(root, join(userDir, "node_modules/@fxdesk/toolkit"));
  const server = createServer();
  RED.init(server, {
    userDir,
    uiPort: 0,
    httpAdminRoot: false,
    httpNodeRoot: false,
    logging: { console: { level: "error", metrics: false, audit: false } },
    telemetry: { enabled: false },
  } as never);
  // `start` resolves before the (empty) flows of a new user directory have started.
  const started = once(RED.events, "flows:started");
  await RED.start();
  await started;
  return async () => {
    await RED.stop();
    await rm(userDir, { recursive: true });
  };
}

export type Message = Record<string, unknown>;

/** Part of the runtime that its types omit. */
export const nodes = RED.nodes as unknown as {
  getNode(id: string): { receive(msg: Message): void; send(msgs: readonly (readonly Message[])[]): void };
};

/** Runs the nodes of a flow; `arrived` is called for each message that reaches one. */
export async function deploy(
  flow: readonly object[],
  onMessage: (id: string, msg: Message) => void,
): Promise<void> {
  const started = once(RED.events, "flows:started");
  await RED.runtime.flows.setFlows({ flows: { flows: flow } } as never);
  await started;
  RED.hooks.remove("onReceive.bench");
  RED.hooks.add("onReceive.bench", ({ destination, msg }: { destination: { id: string }; msg: Message }) =>
    onMessage(destination.id, msg),
  );
}
