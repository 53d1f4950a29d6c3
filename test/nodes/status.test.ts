/** Node status during calls, and outcome of calls when the flow is stopped. */
import type { Node, NodeAPI } from "node-red";
import helper from "node-red-node-test-helper";
import { fxdeskService } from "../../core/client/fxdesk-service";
import { connectionCredentials } from "../../nodes/connection/connection-node";
import { nodeTypes } from "../../nodes/node-types";
import { type ExtensionModule, extensionModule } from "./support/extension";
import { eventually, untilEvent } from "../support/eventually";
import { type Fault, faultServer, type FaultServer, respond } from "../support/fault-server";

helper.init(require.resolve("node-red"));

/** A procedure that tells eight steps, 60 ms apart, and then waits for its end where it is told to. */
const countingExtension = `module.exports = ({ procedure, json, z }) => ({ procedures: [
  procedure({
    name: "steps.count", tool: "count_steps", title: "Count steps", summary: "Counts.", effect: "read", uses: [],
    input: { endless: z.boolean().default(false) },
    output: json(z.object({ count: z.int() }), "The count."),
    async run({ progress, signal }, { endless }) {
      for (let done = 0; done < 8; done += 1) {
        progress({ done, total: 8, message: "Counting" });
        await new Promise((resolve) => setTimeout(resolve, 60));
      }
      if (endless) await new Promise((_, reject) => {
        const end = () => {
          globalThis.fxdeskStepsEnded = true;
          reject(new Error("Ended."));
        };
        if (signal.aborted) end();
        else signal.addEventListener("abort", end);
      });
      return { count: 8 };
    },
  }),
] });`;

let extension: ExtensionModule;
beforeAll(async () => {
  extension = await extensionModule(countingExtension);
});
afterAll(() => extension.remove());

const nodeSet = (RED: NodeAPI) => {
  const { connection, operation } = nodeTypes(RED, extension.env);
  RED.nodes.registerType("fxdesk-count-steps", operation("steps.count"));
  RED.nodes.registerType("fxdesk-connection", connection, {
    credentials: connectionCredentials(fxdeskService),
  });
  RED.nodes.registerType("fxdesk-list-trades", operation("trades.list"));
  RED.nodes.registerType("fxdesk-book-trade", operation("trades.book"));
};

let server: FaultServer;
beforeAll((done) => {
  helper.startServer(done);
});
afterAll((done) => {
  helper.stopServer(done);
});
afterEach(async () => {
  await helper.unload();
  await server.close();
});

async function deployNode(
  type: string,
  fault: Fault,
  fields: object = {},
  limits: object = {},
): Promise<Node> {
  server = await faultServer(fault);
  const flow = [
    {
      id: "connection",
      type: "fxdesk-connection",
      baseUrl: server.url,
      clientId: "c-1",
      timeoutMs: "10000000",
      ...limits,
    },
    { id: "node", type, connection: "connection", fields, wires: [["sink"]] },
    { id: "sink", type: "helper" },
  ];
  await helper.load(nodeSet, flow, { connection: { accessToken: "token" } });
  return helper.getNode("node");
}

/** The statuses a node has shown, by the keys of their words: the helper has no catalogue. */
function recordStatuses(node: Node): string[] {
  const shown: string[] = [];
  node.status = ({ text }: { text?: string }) => void shown.push(text ?? "");
  return shown;
}

/** Waits until the last status says so. */
const untilShown = (shown: readonly string[], text: string) =>
  eventually(() => shown.at(-1) === text, {
    withinMs: 25_000,
    what: () => `${text}, not ${shown.join("; ")}`,
  });

const untilArrived = (count: number) =>
  eventually(() => server.heads.length >= count, { withinMs: 25_000, what: `call ${count}` });

/** Lets everything go on that waits for nothing. */
async function waitTurns(count: number): Promise<void> {
  for (const _ of Array.from({ length: count })) await new Promise((resolve) => setImmediate(resolve));
}

test("shows calls in progress until the last one has finished", async () => {
  const held: (() => void)[] = [];
  const node = await deployNode("fxdesk-list-trades", (socket, number) => {
    held.push(() => respond(200, "[]")(socket, number));
  });
  const shown = recordStatuses(node);
  node.receive({});
  node.receive({});
  await untilArrived(2);
  const sink = helper.getNode("sink");
  held[0]!();
  await untilEvent(sink, "input");
  held[1]!();
  await untilEvent(sink, "input");
  await untilShown(shown, "status.entries");
  expect(new Set(shown.slice(0, -1))).toEqual(new Set(["status.calling"]));
});

test("shows how far a procedure has come, at most four times a second", async () => {
  const node = await deployNode("fxdesk-count-steps", respond(404));
  const shown = recordStatuses(node);
  const began = performance.now();
  node.receive({});
  await untilEvent(helper.getNode("sink"), "input");
  const seconds = (performance.now() - began) / 1_000;
  await untilShown(shown, "status.done");
  const steps = shown.filter((text) => /^status.calling, \d\/8$/.test(text));
  expect(steps.length).toBeGreaterThan(0);
  expect(steps.length).toBeLessThanOrEqual(4 * seconds + 1);
});

test("stopping the flow ends a procedure", async () => {
  const ended = globalThis as { fxdeskStepsEnded?: boolean };
  const node = await deployNode("fxdesk-count-steps", respond(404), {
    endless: { type: "str", value: "true" },
  });
  const shown = recordStatuses(node);
  node.receive({});
  await eventually(() => shown.some((text) => text.endsWith("/8")), { withinMs: 25_000, what: "progress" });
  await helper.unload();
  await eventually(() => ended.fxdeskStepsEnded === true, { withinMs: 25_000, what: "the end" });
});

test("of a burst, the status is shown at most four times a second, and the last one stays", async () => {
  const node = await deployNode("fxdesk-list-trades", respond(200, "[]"));
  const shown = recordStatuses(node);
  const began = performance.now();
  for (let sent = 0; sent < 300; sent += 1) node.receive({});
  await eventually(() => server.heads.length === 300, { withinMs: 25_000, what: "300 calls" });
  await untilShown(shown, "status.entries");
  const seconds = (performance.now() - began) / 1_000;
  expect(shown.length).toBeLessThanOrEqual(4 * seconds + 2);
  expect(shown).toContain("status.calling, status.waiting");
});

test("no more calls leave at once than the connection carries, and no limit counts before", async () => {
  const held: (() => void)[] = [];
  const hold: Fault = (socket, number) => void held.push(() => respond(200, "[]")(socket, number));
  const node = await deployNode("fxdesk-list-trades", hold, {}, { queueTimeoutMs: "20" });
  const failed = jest.fn();
  (node as NodeJS.EventEmitter).on("call:error", failed);
  for (let sent = 0; sent < 25; sent += 1) node.receive({});
  await untilArrived(10);
  await waitTurns(20);
  expect(server.heads).toHaveLength(10);
  for (let ended = 0; ended < 25; ended += 1) {
    const next = await eventually(() => held.shift(), { withinMs: 25_000, what: `call ${ended}` });
    next();
  }
  await untilArrived(25);
  expect(failed).not.toHaveBeenCalled();
});

test("shows why a call failed", async () => {
  const node = await deployNode("fxdesk-list-trades", respond(404));
  const shown = recordStatuses(node);
  node.receive({});
  await untilEvent(node, "call:error");
  await untilShown(shown, "not found (404)");
});

test("stopping the flow ends a read at once", async () => {
  let isClosed = false;
  const node = await deployNode("fxdesk-list-trades", (socket) => {
    socket.on("close", () => (isClosed = true));
  });
  node.receive({});
  await untilArrived(1);
  await helper.unload();
  await eventually(() => isClosed, {
    withinMs: 25_000,
    what: "the end of a call that could go on for hours",
  });
});

test("stopping the flow lets a booking come to its end", async () => {
  const fields = { quote_id: { type: "str", value: "q-1" }, reason: { type: "str", value: "other" } };
  let response = () => {};
  const held: Fault = (socket, number) => {
    response = () => respond(201, '{"trade_id":"t-1"}')(socket, number);
  };
  const node = await deployNode("fxdesk-book-trade", held, fields);
  const logged: string[] = [];
  node.log = (line: string) => void logged.push(line);
  node.receive({});
  await untilArrived(1);
  const ends: string[] = [];
  node.on("close", () => {
    void waitTurns(100)
      .then(() => ends.push("answered"))
      .then(() => response());
  });
  await helper.unload().then(() => ends.push("stopped"));
  expect(ends).toEqual(["answered", "stopped"]);
  expect(logged).toEqual([
    expect.stringMatching(
      /^trades\.book: carried out \(201\), trade_id t-1, reference FX-[\w-]+, journal entry [\w-]+\.$/,
    ),
  ]);
});
