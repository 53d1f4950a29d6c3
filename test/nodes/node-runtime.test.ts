/** Nodes in the process of the test: status during calls, outcomes when the flow is stopped, and the key of a payment. */
import { once } from "node:events";
import type { Node, NodeAPI } from "node-red";
import helper from "node-red-node-test-helper";
import { fxdeskService } from "../../core/client/fxdesk-service";
import { openJournal } from "../../core/journal/journal";
import { parseStoreSettings } from "../../core/store/settings";
import { connectionCredentials } from "../../nodes/connection/connection-node";
import { nodeTypes } from "../../nodes/node-types";
import { eventually, untilEvent } from "../support/eventually";
import { type Fault, faultServer, type FaultServer, respond } from "../support/fault-server";
import { closeLater, runLater } from "../support/resources";
import { writeExtension } from "./support/extension";
import { editorCatalogue } from "../../nodes/shared/node-names";
import { typed } from "./support/flows";

helper.init(require.resolve("node-red"));

/** A procedure that reports eight steps, 60 ms apart, and then waits until it is aborted if `endless`; and one with two lists. */
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
  procedure({
    name: "steps.match", tool: "match_steps", title: "Match steps", summary: "Matches.", effect: "read", uses: [], input: {},
    resultList: "open_items",
    output: json(z.object({
      open_items: z.array(z.object({ id: z.string() })).describe("Open."),
      matched: z.array(z.object({ id: z.string() })).describe("Matched."),
    }), "The matches."),
    run: async () => ({ open_items: [{ id: "O" }], matched: [{ id: "M" }, { id: "N" }] }),
  }),
] });`;

let extension: Readonly<Record<string, string>>;
let server: FaultServer;
beforeAll(async () => {
  extension = await writeExtension(countingExtension);
  await new Promise<void>((resolve) => helper.startServer(resolve));
  runLater(() => new Promise<void>((resolve) => helper.stopServer(resolve)));
});

const nodeSet = (environment: NodeJS.ProcessEnv) => (RED: NodeAPI) => {
  // Each test registers the nodes again.
  RED.events.setMaxListeners(0);
  const { connection, operation } = nodeTypes(RED, environment);
  RED.nodes.registerType("fxdesk-connection", connection, {
    credentials: connectionCredentials(fxdeskService),
  });
  RED.nodes.registerType("fxdesk-count-steps", operation("steps.count"));
  RED.nodes.registerType("fxdesk-match-steps", operation("steps.match"));
  RED.nodes.registerType("fxdesk-list-trades", operation("trades.list"));
  RED.nodes.registerType("fxdesk-book-trade", operation("trades.book"));
  RED.nodes.registerType("fxdesk-initiate-payment", operation("payments.initiate"));
  RED.nodes.registerType("fxdesk-call-operation", operation());
};

interface Deployment {
  /** Properties of the node. */
  readonly node?: object;
  readonly connection?: object;
  readonly environment?: NodeJS.ProcessEnv;
}

async function deployNode(
  type: string,
  fault: Fault,
  { node, connection, environment = extension }: Deployment = {},
): Promise<Node> {
  server = closeLater(await faultServer(fault));
  runLater(() => helper.unload());
  const flow = [
    {
      id: "connection",
      type: "fxdesk-connection",
      baseUrl: server.url,
      xs2aUrl: server.url,
      clientId: "c-1",
      timeoutMs: "10000000",
      actor: "treasury",
      ...connection,
    },
    { id: "node", type, connection: "connection", ...node, wires: [["sink"]] },
    { id: "sink", type: "helper" },
  ];
  await helper.load(nodeSet(environment), flow, { connection: { accessToken: "token" } });
  return helper.getNode("node");
}

/** The statuses of a node, by the keys of their texts: the helper has no catalogue. */
function recordStatuses(node: Node): string[] {
  const shown: string[] = [];
  const withoutCatalogue = (text: string) => text.replaceAll(`${editorCatalogue}:`, "");
  node.status = ({ text }: { text?: string }) => void shown.push(withoutCatalogue(text ?? ""));
  return shown;
}

const withinMs = 25_000;

/** Waits until the last status matches. */
const untilShown = (shown: readonly string[], text: string) =>
  eventually(() => shown.at(-1) === text, { withinMs, what: () => `${text}, not ${shown.join("; ")}` });

const untilArrived = (count: number) =>
  eventually(() => server.heads.length >= count, { withinMs, what: `call ${count}` });

/** Waits for turns of the event loop. */
async function waitTurns(count: number): Promise<void> {
  for (const _ of Array.from({ length: count })) await new Promise((resolve) => setImmediate(resolve));
}

/** Sends a message, and returns the one that comes out, or the error. */
async function sendAndReceive(node: Node, msg: Record<string, unknown>): Promise<Record<string, unknown>> {
  const received = once(helper.getNode("sink"), "input").then(([out]) => out as unknown);
  const failed = once(node, "call:error").then(([call]) => (call as { firstArg: unknown }).firstArg);
  const ended = eventually(() => Promise.race([received, failed]), {
    withinMs,
    what: "a message or an error",
  });
  node.receive(msg);
  return (await ended) as Record<string, unknown>;
}

describe("the status", () => {
  test("shows calls in progress until the last one has finished", async () => {
    const held: (() => void)[] = [];
    const node = await deployNode("fxdesk-list-trades", (socket, number) => {
      held.push(() => respond(200, "[]")(socket, number));
    });
    const shown = recordStatuses(node);
    node.receive({});
    node.receive({});
    await untilArrived(2);
    for (const release of held) {
      release();
      await untilEvent(helper.getNode("sink"), "input");
    }
    await untilShown(shown, "status.entries");
    expect(new Set(shown.slice(0, -1))).toEqual(new Set(["status.calling"]));
  });

  test("shows the progress of a procedure, at most four times a second", async () => {
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

  test("of a burst is shown at most four times a second, and the last one stays", async () => {
    const node = await deployNode("fxdesk-list-trades", respond(200, "[]"));
    const shown = recordStatuses(node);
    const began = performance.now();
    for (let sent = 0; sent < 300; sent += 1) node.receive({});
    await untilArrived(300);
    await untilShown(shown, "status.entries");
    const seconds = (performance.now() - began) / 1_000;
    expect(shown.length).toBeLessThanOrEqual(4 * seconds + 2);
    expect(shown).toContain("status.calling, status.waiting");
  });

  test.each(["all", "list", "each", "csv"])("counts the lists of a result sent as %s", async (results) => {
    const node = await deployNode("fxdesk-match-steps", respond(404), { node: { results } });
    const shown = recordStatuses(node);
    node.receive({});
    await untilShown(shown, "status.lists.matched, status.lists.open_items");
  });

  test("shows why a call failed", async () => {
    const node = await deployNode("fxdesk-list-trades", respond(404));
    const shown = recordStatuses(node);
    await sendAndReceive(node, {});
    await untilShown(shown, "not found (404)");
  });
});

test("no more calls leave at once than the connection carries, and no limit counts before", async () => {
  const held: (() => void)[] = [];
  const hold: Fault = (socket, number) => void held.push(() => respond(200, "[]")(socket, number));
  const node = await deployNode("fxdesk-list-trades", hold, { connection: { queueTimeoutMs: "20" } });
  const failed = jest.fn();
  (node as NodeJS.EventEmitter).on("call:error", failed);
  for (let sent = 0; sent < 25; sent += 1) node.receive({});
  await untilArrived(10);
  await waitTurns(20);
  expect(server.heads).toHaveLength(10);
  for (let ended = 0; ended < 25; ended += 1)
    (await eventually(() => held.shift(), { withinMs, what: `call ${ended}` }))();
  await untilArrived(25);
  expect(failed).not.toHaveBeenCalled();
});

test("a connection reports an extension module that cannot be loaded", async () => {
  const environment = await writeExtension("module.exports = 42;\n");
  const node = await deployNode("fxdesk-list-trades", respond(200, "[]"), { environment });
  const { code, cause, message } = await sendAndReceive(node, {});

  expect({ code, cause }).toMatchObject({ code: "no_connection", cause: { outcome: "not-sent" } });
  expect(message).toContain("FXDESK_EXTENSIONS");
});

describe("stopping the flow", () => {
  test("ends a procedure", async () => {
    const ended = globalThis as { fxdeskStepsEnded?: boolean };
    const fields = { endless: typed("str", "true") };
    const node = await deployNode("fxdesk-count-steps", respond(404), { node: { fields } });
    const shown = recordStatuses(node);
    node.receive({});
    await eventually(() => shown.some((text) => text.endsWith("/8")), { withinMs, what: "progress" });
    await helper.unload();
    await eventually(() => ended.fxdeskStepsEnded === true, { withinMs, what: "the end" });
  });

  test("ends a read at once", async () => {
    let isClosed = false;
    const node = await deployNode("fxdesk-list-trades", (socket) => {
      socket.on("close", () => (isClosed = true));
    });
    node.receive({});
    await untilArrived(1);
    await helper.unload();
    await eventually(() => isClosed, { withinMs, what: "the end of the read" });
  });

  test("lets a booking finish", async () => {
    const fields = { quote_id: typed("str", "q-1"), reason: typed("str", "other") };
    let response = () => {};
    const held: Fault = (socket, number) => {
      response = () => respond(201, '{"trade_id":"t-1"}')(socket, number);
    };
    const node = await deployNode("fxdesk-book-trade", held, { node: { fields } });
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
      expect.stringMatching(/^trades\.book: carried out \(201\), trade_id t-1, reference FX-/),
    ]);
  });
});

describe("the key of a payment", () => {
  const payment = {
    "payment-service": "payments",
    "payment-product": "sepa-credit-transfers",
    "TPP-Redirect-URI": "https://app.example/done",
    debtorAccount: { iban: "DE40100100103307118608" },
    instructedAmount: { currency: "EUR", amount: "123.50" },
    creditorAccount: { iban: "FR6400000000000000012345697" },
    creditorName: "Ferme Duval",
  };
  const fields = Object.fromEntries(
    Object.entries(payment).map(([name, value]) => [
      name,
      typeof value === "string" ? typed("str", value) : typed("json", JSON.stringify(value)),
    ]),
  );
  const created = respond(
    201,
    '{"trade_id":"t-1","paymentId":"p-1","transactionStatus":"RCVD","_links":{"self":{"href":"/p"}}}',
  );
  const deployPayment = (properties: object = {}) =>
    deployNode("fxdesk-initiate-payment", created, { node: { fields, ...properties } });
  const replayed = { fxdesk: { journal: { replayed: true } } };

  test("does not hide that a person has to confirm it", async () => {
    const links = '{"self":{"href":"/p"},"scaRedirect":{"href":"https://bank.example/confirm"}}';
    const unconfirmed = respond(201, `{"paymentId":"p-1","transactionStatus":"RCVD","_links":${links}}`);
    const node = await deployNode("fxdesk-initiate-payment", unconfirmed, { node: { fields } });
    const shown = recordStatuses(node);
    node.receive({ fxdesk: { key: "INV-16" } });
    await untilShown(shown, "status.needsConfirmation");
  });

  test("sends it once, and returns the recorded outcome to the next message", async () => {
    const node = await deployPayment();
    const first = await sendAndReceive(node, { fxdesk: { key: "INV-17" } });
    const again = await sendAndReceive(node, { fxdesk: { key: "INV-17" } });
    expect(server.heads).toHaveLength(1);
    expect(first).toMatchObject({ statusCode: 201, fxdesk: { journal: { replayed: false } } });
    const { entry } = (first.fxdesk as { journal: { entry: string } }).journal;
    expect(again).toMatchObject({
      statusCode: 201,
      payload: first.payload,
      fxdesk: { attempts: 0, journal: { entry, replayed: true } },
    });
    expect(again.fxdesk).not.toHaveProperty("key");

    const journal = closeLater(await openJournal(parseStoreSettings({})));
    const stored = { key: "INV-17", surface: "node-red", intent: { actor: "treasury" } };
    expect(await journal.get(entry)).toMatchObject(stored);
  });

  test.each([
    ["fxdesk-initiate-payment", { fields }],
    [
      "fxdesk-call-operation",
      { operation: "payments.initiate", input: typed("json", JSON.stringify(payment)) },
    ],
  ])("is required by %s", async (type, node) => {
    const deployed = await deployNode(type, created, { node });
    for (const fxdesk of [undefined, {}, { key: "" }, { key: null }]) {
      const { code, message } = await sendAndReceive(deployed, { fxdesk });
      expect(code).toBe("invalid_input");
      expect(message).toContain("msg.fxdesk.key");
    }
    expect(await sendAndReceive(deployed, { fxdesk: { key: "INV-18" } })).toMatchObject({ statusCode: 201 });
    expect(server.heads).toHaveLength(1);
  });

  test("is read from the chosen source, and may be a number", async () => {
    const node = await deployPayment({ requestKey: typed("msg", "invoice.number") });
    await sendAndReceive(node, { invoice: { number: 2041 } });
    expect(await sendAndReceive(node, { invoice: { number: "2041" } })).toMatchObject(replayed);
    expect(server.heads).toHaveLength(1);
  });

  test("cannot be a message ID", async () => {
    const node = await deployPayment({ requestKey: typed("msg", "_msgid") });
    expect(await sendAndReceive(node, { _msgid: "a1b2" })).toMatchObject({ code: "invalid_input" });
    expect(server.heads).toHaveLength(0);
  });

  test("of a booking is the quote, which is used once under any key", async () => {
    const quoted = { quote_id: typed("msg", "quote"), reason: typed("str", "other") };
    const node = await deployNode("fxdesk-book-trade", created, { node: { fields: quoted } });
    await sendAndReceive(node, { quote: "q-1" });
    expect(await sendAndReceive(node, { quote: "q-1" })).toMatchObject(replayed);
    expect(await sendAndReceive(node, { quote: "q-1", fxdesk: { key: "other" } })).toMatchObject(replayed);
    expect(server.heads).toHaveLength(1);
  });
});
