/** What a node tells is handed over at a deploy, and what a deploy overtakes is known. */
import { EventEmitter } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import type { Node, NodeAPI } from "node-red";
import { HandOver } from "../../nodes/operation/hand-over";

const nodeOf = (id: string) => ({ id }) as Node;
const node = nodeOf("n");

let events: EventEmitter;
let handOver: HandOver<string>;
let heard: (string | undefined)[];
let lost: number;

beforeEach(() => {
  events = new EventEmitter();
  handOver = new HandOver({ events } as NodeAPI);
  handOver.begin(node, "first");
  heard = [];
  lost = 0;
});

const tell = () =>
  handOver.tell(
    node,
    (outlet) => heard.push(outlet),
    () => (lost += 1),
  );

test("what is told while flows are stopped comes out of the node that is there then", async () => {
  events.emit("flows:stopping");
  handOver.end(node);
  tell();
  expect(heard).toEqual([]);

  handOver.begin(nodeOf("n"), "second");
  events.emit("flows:started");
  await turn();

  expect([heard, lost]).toEqual([["second"], 0]);
});

test("what left in the turn in which a deploy stops the next nodes is lost, and told so once", async () => {
  tell();
  events.emit("flows:stopping");
  events.emit("flows:started");
  events.emit("flows:stopping");
  await turn();

  expect([heard, lost]).toEqual([["first"], 1]);
});

test("what the next nodes have had is not lost", async () => {
  tell();
  await turn();
  events.emit("flows:stopping");

  expect([heard, lost]).toEqual([["first"], 0]);
});

test("what was held and leaves as the next deploy comes is lost, too", async () => {
  events.emit("flows:stopping");
  tell();
  events.emit("flows:started");
  events.emit("flows:stopping");
  await turn();

  expect([heard, lost]).toEqual([["first"], 1]);
});
