/**
 * A deploy or a shutdown of Node-RED removes the node of a booking in progress: the booking is not aborted, and its outcome is
 * reported. FXDESK_RUNS raises the number of runs.
 */
import { setTimeout as pause } from "node:timers/promises";
import * as fc from "fast-check";
import { bookTrade } from "../../core/contract/trades";
import { eventually, untilEvent } from "../support/eventually";
import { closeLater } from "../support/resources";
import { type Fault, reset, respond } from "../support/fault-server";
import { type HeldServer, heldServer } from "../support/held-server";
import {
  catchNode,
  connectionConfig,
  debugNode,
  injectNode,
  operationNode,
  tab,
  typed,
} from "./support/flows";
import { type FlowNode, NodeRed } from "./support/node-red";

const runs = Number(process.env.FXDESK_RUNS ?? 16);

let server: HeldServer;
/** Gets all deploys; what ends its process has another one. */
let shared: NodeRed;

beforeAll(async () => {
  server = closeLater(await heldServer());
  shared = await NodeRed.start();
}, 60_000);

/** Response of the service to a booking, and its log line. */
const responses: Readonly<Record<string, { readonly respond: Fault; readonly line: RegExp }>> = {
  booked: {
    respond: respond(201, '{"trade_id":"t-1"}'),
    line: /trades\.book: carried out \(201\), trade_id t-1, reference FX-[\w-]+, journal entry [\w-]+\.$/,
  },
  refused: {
    respond: respond(400, '{"code":"used","message":"The quote is used."}'),
    line: /trades\.book: refused, journal entry [\w-]+\. .*The quote is used/,
  },
  failed: { respond: respond(500), line: /trades\.book: outcome unknown, journal entry [\w-]+\. .*\(500\)/ },
  lost: {
    respond: reset,
    line: /trades\.book: outcome unknown, journal entry [\w-]+\. The response was lost/,
  },
};

/** Event that stops the node: a deploy of any type, or the end of the process. */
type Interruption = "full" | "flows" | "nodes" | NodeJS.Signals;

/** Every run has a name of its own, so that each deploy changes the booking node and its flow. */
const flow = (name: string): FlowNode[] => [
  tab,
  connectionConfig({ baseUrl: server.url, xs2aUrl: server.url }),
  injectNode("start", ["book"], {}, { run: name }),
  operationNode(bookTrade, "book", ["end"], {
    name,
    fields: { quote_id: typed("str", name), reason: typed("str", "other") },
  }),
  debugNode("end"),
  catchNode("caught", ["end"]),
];

const outcomesOf = ({ log }: NodeRed) => log.filter((line) => line.includes("trades.book: "));

/** Takes the node away, and returns when it is gone. */
async function interrupt(nodeRed: NodeRed, by: Interruption, run: string): Promise<void> {
  if (by === "full" || by === "flows" || by === "nodes") return nodeRed.deploy(flow(`${run} after`), by);
  const ended = untilEvent(nodeRed.process, "exit");
  nodeRed.process.kill(by);
  await ended;
}

interface Run {
  readonly by: Interruption;
  readonly ending: string;
  /** Whether the response comes only when the new flow runs; at the end of the process nothing runs afterwards. */
  readonly isLate: boolean;
  readonly afterMs: number;
}

const isProcessSignal = (by: Interruption) => by.startsWith("SIG");

const { credentials } = connectionConfig({ baseUrl: "", xs2aUrl: "" });
const secrets = Object.values(credentials as Readonly<Record<string, string>>);

async function bookDuring({ by, ending, isLate, afterMs }: Run, run: string): Promise<void> {
  const { respond: end, line } = responses[ending]!;
  const nodeRed = isProcessSignal(by) ? await NodeRed.start() : shared;
  await nodeRed.deploy(flow(run));
  const before = outcomesOf(nodeRed).length;
  const arrived = server.heads.length;
  await nodeRed.inject("start");
  await server.untilArrived(arrived + 1);
  const stops = nodeRed.countInLog("Stopping");
  const gone = interrupt(nodeRed, by, run);
  if (isLate && !isProcessSignal(by)) await gone;
  // Just before the stop, Node-RED drops what the Catch node has not handed over.
  else await nodeRed.waitForLog("Stopping", stops + 1);
  await pause(afterMs);
  server.respond(end);
  await gone;
  await eventually(() => outcomesOf(nodeRed).length > before, {
    withinMs: 25_000,
    what: `the outcome of ${run}`,
  });

  expect(server.cutCount()).toBe(0);
  expect(outcomesOf(nodeRed).slice(before)).toEqual([expect.stringMatching(line)]);
  expect(nodeRed.countInLog("Close timed out")).toBe(0);
  for (const secret of secrets) expect(nodeRed.log.join("\n")).not.toContain(secret);
  if (!isProcessSignal(by)) await expectReported(ending, run);
}

/** Out of the node that is there now, or to the Catch node, with the message that came; and once. */
async function expectReported(ending: string, run: string): Promise<void> {
  const [told] = (await shared.nextDebugValues("end")) as [Record<string, unknown>];
  expect(told).toMatchObject({ ...(ending !== "booked" && { error: { source: { id: "book" } } }), run });
  expect(shared.pendingDebugCount("end")).toBe(0);
}

const deploys = ["full", "flows", "nodes"] as const;
const signals = ["SIGINT", "SIGTERM"] as const;

/** One run in eight ends the process, which takes seconds to start again. */
const interruptionOf = (index: number): Interruption =>
  index % 8 === 7 ? signals[((index - 7) / 8) % 2]! : deploys[index % 3]!;

const samples = fc
  .sample(
    fc.record({
      ending: fc.constantFrom(...Object.keys(responses)),
      isLate: fc.boolean(),
      afterMs: fc.integer({ min: 0, max: 40 }),
    }),
    runs,
  )
  .map((run, index): Run => ({ ...run, by: interruptionOf(index) }));

test.each(samples.map((run, index) => [`${index}: ${run.by}, ${run.ending}`, run] as const))(
  "%s",
  async (name, run) => bookDuring(run, name),
);
