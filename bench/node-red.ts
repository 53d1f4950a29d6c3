/** Runs Node-RED in this process, without its editor, with nodes of fxdesk that call a simulated service. */
import { once } from "node:events";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import RED from "node-red";

/** Starts Node-RED; connections from the environment call the service at `url`. */
export async function startNodeRed(url: string): Promise<() => Promise<void>> {
  Object.assign(process.env, { FXDESK_BASE_URL: url, FXDESK_CLIENT_ID: "c-1", FXDESK_ACCESS_TOKEN: "t" });
  const userDir = await mkdtemp(join(tmpdir(), "bench-"));
  await mkdir(join(userDir, "node_modules/@fxdesk"), { recursive: true });
  await symlink(join(__dirname, "../.."), join(userDir, "node_modules/@fxdesk/toolkit"));
  RED.init(createServer(), {
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

/** A node on a tab, beside the connection of the environment. Without coordinates, Node-RED treats it as a config node. */
export const onCanvas = (id: string, type: string, wires: readonly string[], properties: object = {}) => ({
  id,
  type,
  z: "tab",
  x: 0,
  y: 0,
  wires: [wires],
  connection: "connection",
  ...properties,
});

/** Runs the nodes of a tab; `onMessage` is called for each message that reaches one. */
export async function deploy(
  tab: readonly object[],
  onMessage: (id: string, msg: Message) => void,
): Promise<void> {
  const flows = [
    { id: "tab", type: "tab", label: "Bench" },
    { id: "connection", type: "fxdesk-connection", fromEnvironment: true },
    ...tab,
  ];
  const started = once(RED.events, "flows:started");
  await RED.runtime.flows.setFlows({ flows: { flows } } as never);
  await started;
  RED.hooks.remove("onReceive.bench");
  RED.hooks.add("onReceive.bench", ({ destination, msg }: { destination: { id: string }; msg: Message }) =>
    onMessage(destination.id, msg),
  );
}

/** Returns live memory in MB. Objects with finalizers, as of fetch, are freed by the collection after their first. */
export async function retainedMB(): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let times = 0; times < 3; times += 1) {
    collect();
    await setImmediate();
  }
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 2 ** 20;
}
