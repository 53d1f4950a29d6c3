/** Makes one call on each surface in this process, and returns what the surface shows. */
import { createRequire } from "node:module";
import { join } from "node:path";
import type { NodeAPI } from "node-red";
import helper from "node-red-node-test-helper";
import { FxdeskError, ReceivedFile } from "../../core";
import type { ClientCore } from "../../core/api/client-types";
import { createToolbox } from "../../mcp/toolbox";
import { fxdeskService } from "../../core/client/fxdesk-service";
import { connectionCredentials } from "../../nodes/connection/connection-node";
import { nodeTypes } from "../../nodes/node-types";
import { runFxdesk, type CommandResult } from "../cli/run-command";
import { createTestClient, startFaultServer } from "../core/support/client-fixtures";
import { textOf } from "../mcp/support/clients";
import { eventually } from "../support/eventually";
import { type FaultServer, respond } from "../support/fault-server";
import { tempFolder, runLater } from "../support/resources";
import { type Call, calls } from "./calls";
import { faults } from "./faults";
import { type FaultName, type Kind, kinds } from "./matrix";

/** A call at a service with a fault. */
interface Scene extends Call {
  readonly kind: Kind;
  readonly url: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly renews: boolean;
  /** Location of the store. Default: that of the tests. */
  readonly store: string | undefined;
  /** Number of requests that met the fault; undefined without a server to count them. */
  readonly requests: () => number | undefined;
}

const nothing = respond(200, "[]");

/** Sets up a call. Everything is removed after the test. */
export async function createScene(name: FaultName, kind: Kind): Promise<Scene> {
  const { fault, address, timeoutMs = 20_000, renews = false, aborted, store } = faults[name];
  const call = calls[kind];
  const { before, operation } = call;
  const controller = new AbortController();
  if (aborted) controller.abort();
  const met = fault?.(call, () => controller.abort());
  let own = 0;
  const server: FaultServer | undefined =
    met &&
    (await startFaultServer((socket, number) => {
      // Outcome lookups use other requests, and find nothing.
      if (!server!.heads[number - 1]!.startsWith(`${operation.method} `)) return nothing(socket, number);
      own += 1;
      const play = before[own - 1] ?? met;
      play(socket, play === met ? own - before.length : own);
    }));
  return {
    ...call,
    kind,
    url: server?.url ?? (await address!()),
    timeoutMs,
    signal: controller.signal,
    renews,
    store: await store?.(await tempFolder()),
    requests: () => server && Math.max(0, own - before.length),
  };
}

const clientFor = ({ url, timeoutMs, renews, store }: Scene): ClientCore =>
  createTestClient({
    baseUrl: url,
    timeoutMs,
    ...(store && { store }),
    credentials: { accessToken: renews ? () => "token" : "token" },
  });

async function makeCall(client: ClientCore, { operation, input, signal, kind }: Scene): Promise<void> {
  if (kind === "page") {
    for await (const { body } of client.pages(operation, input, { signal })) expect(body).toBeDefined();
    return;
  }
  const { body } = await client.call(operation, input, { signal });
  if (body instanceof ReceivedFile) for await (const chunk of body.stream) expect(chunk).toBeDefined();
}

/** Returns the error of a client call, or undefined after a success. */
export const runOnClient = (scene: Scene): Promise<FxdeskError | undefined> =>
  makeCall(clientFor(scene), scene).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof FxdeskError) return error;
      throw error;
    },
  );

/** Runs the command. */
export async function runOnCli({
  operation,
  input,
  url,
  timeoutMs,
  kind,
  store,
}: Scene): Promise<CommandResult> {
  const output = join(await tempFolder(), "file");
  const flags: Readonly<Record<Kind, readonly string[]>> = {
    read: [],
    page: ["--all"],
    file: ["--output", output],
    change: [],
    money: ["--yes"],
  };
  return runFxdesk(["call", operation.name, "--input", "-", "--json", ...flags[kind]], {
    input: JSON.stringify(input),
    variables: {
      FXDESK_BASE_URL: url,
      FXDESK_CLIENT_ID: "c-1",
      FXDESK_ACCESS_TOKEN: "token",
      FXDESK_TIMEOUT_MS: String(timeoutMs),
      ...(store && { FXDESK_STORE: store }),
    },
  });
}

export interface ToolObservation {
  readonly isError: boolean;
  readonly text: string;
  /** Number of entries, if the result is a list. */
  readonly count: unknown;
}

/** Calls the MCP tool. */
export async function runOnMcp(scene: Scene): Promise<ToolObservation> {
  const { operation, input, signal } = scene;
  const tools = createToolbox({
    client: clientFor(scene),
    toolsets: ["all"],
    allow: ["change", "money"],
    release: "never",
  });
  const result = (await tools.call(operation.tool, { ...input }, signal))!;
  await tools.close();
  return { isError: result.isError === true, text: textOf(result), count: result.structuredContent?.count };
}

type Message = Record<string, any>;

/** Uses Node-RED's own Catch node. */
const catchNode = createRequire(require.resolve("node-red"))("@node-red/nodes/core/common/25-catch.js") as (
  RED: NodeAPI,
) => void;

const fxdeskNodes = (RED: NodeAPI) => {
  const { connection, operation } = nodeTypes(RED, {});
  RED.nodes.registerType("fxdesk-connection", connection, {
    credentials: connectionCredentials(fxdeskService),
  });
  for (const { operation: declared } of Object.values(calls))
    RED.nodes.registerType(declared.name, operation(declared.name));
};

/** Makes all calls in one flow. Returns the message of each, from its node or from a Catch node. */
export async function runOnNodeRed(scenes: readonly Scene[]): Promise<Readonly<Record<Kind, Message>>> {
  const flow = scenes.flatMap(({ kind, operation, url, timeoutMs }) => [
    {
      id: `connection-${kind}`,
      type: "fxdesk-connection",
      baseUrl: url,
      clientId: "c-1",
      timeoutMs: String(timeoutMs),
    },
    {
      id: kind,
      type: operation.name,
      z: "tab",
      connection: `connection-${kind}`,
      fields: {},
      fromPayload: true,
      results: "all",
      wires: [["end"]],
    },
  ]);
  const ends = [
    { id: "tab", type: "tab" },
    { id: "caught", type: "catch", z: "tab", scope: null, wires: [["end"]] },
    { id: "end", type: "helper", z: "tab" },
  ];
  const credentials = Object.fromEntries(
    scenes.map(({ kind }) => [`connection-${kind}`, { accessToken: "token" }]),
  );
  await helper.load([catchNode, fxdeskNodes] as never, [...ends, ...flow], credentials);
  runLater(() => helper.unload());
  const messages: Partial<Record<Kind, Message>> = {};
  helper.getNode("end").on("input", (msg) => {
    const message = msg as Message;
    messages[message.kind as Kind] = message;
  });
  for (const { kind, input } of scenes) helper.getNode(kind).receive({ payload: input, kind } as never);
  await eventually(() => kinds.every((kind) => messages[kind]), {
    withinMs: 25_000,
    what: () => `messages of all, not of ${Object.keys(messages).join(", ")} alone`,
  });
  return messages as Record<Kind, Message>;
}
