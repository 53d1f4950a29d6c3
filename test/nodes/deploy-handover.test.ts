/** What a node tells is handed over at a deploy, and what a deploy overtakes is known. */
import { EventEmitter } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import type { Node, NodeAPI } from "node-red";
import { DeployHandover } from "../../nodes/operation/deploy-handover";

const nodeOf = (id: string) => ({ id }) as Node;
const node = nodeOf("n");

let events: EventEmitter;
let handOver: DeployHandover<string>;
let delivered: (string | undefined)[];
let lostCount: number;

beforeEach(() => {
  events = new EventEmitter();
  handOver = new DeployHandover({ events } as NodeAPI);
  handOver.register(node, "first");
  delivered = [];
  lostCount = 0;
});

const deliver = () =>
  handOver.deliver(
    node,
    (outlet) => delivered.push(outlet),
    () => (lostCount += 1),
  );

test("what is told while flows are stopped comes out of the node that is there then", async () => {
  events.emit("flows:stopping");
  handOver.unregister(node);
  deliver();
  expect(delivered).toEqual([]);

  handOver.register(nodeOf("n"), "second");
  events.emit("flows:started");
  await turn();

  expect([delivered, lostCount]).toEqual([["second"], 0]);
});

test("what left in the turn in which a deploy stops the next nodes is lost, and told so once", async () => {
  deliver();
  events.emit("flows:stopping");
  events.emit("flows:started");
  events.emit("flows:stopping");
  await turn();

  expect([delivered, lostCount]).toEqual([["first"], 1]);
});

test("what the next nodes have had is not lost", async () => {
  deliver();
  await turn();
  events.emit("flows:stopping");

  expect([delivered, lostCount]).toEqual([["first"], 0]);
});

test("what was held and leaves as the next deploy comes is lost, too", async () => {
  events.emit("flows:stopping");
  deliver();
  events.emit("flows:started");
  events.emit("flows:stopping");
  await turn();

  expect([delivered, lostCount]).toEqual([["first"], 1]);
});
