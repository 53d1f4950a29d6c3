/** Handover of messages at a deploy, and detection of lost ones. */
import { EventEmitter } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import type { Node, NodeAPI } from "node-red";
import { DeployHandover } from "../../nodes/operation/redeploy";

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

test("delivers through the redeployed node what is sent while flows are stopped", async () => {
  events.emit("flows:stopping");
  handOver.unregister(node);
  deliver();
  expect(delivered).toEqual([]);

  handOver.register(nodeOf("n"), "second");
  events.emit("flows:started");
  await turn();

  expect([delivered, lostCount]).toEqual([["second"], 0]);
});

test("reports once a message lost because a deploy stopped the next nodes in the same turn", async () => {
  deliver();
  events.emit("flows:stopping");
  events.emit("flows:started");
  events.emit("flows:stopping");
  await turn();

  expect([delivered, lostCount]).toEqual([["first"], 1]);
});

test("does not report messages that the next nodes received", async () => {
  deliver();
  await turn();
  events.emit("flows:stopping");

  expect([delivered, lostCount]).toEqual([["first"], 0]);
});

test("also reports queued messages that are lost in the next deploy", async () => {
  events.emit("flows:stopping");
  deliver();
  events.emit("flows:started");
  events.emit("flows:stopping");
  await turn();

  expect([delivered, lostCount]).toEqual([["first"], 1]);
});
