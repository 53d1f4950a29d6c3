/** What stands below a node: how many calls are under way, and how the last one ended. */
import type { NodeAPI, NodeMessage, NodeStatus } from "node-red";
import type { Failure } from "./failure";

/** Longer texts push the neighbours of a node aside. */
const longest = 20;

const sizeOf = (bytes: number): string =>
  bytes < 1024
    ? `${bytes} B`
    : bytes < 1024 ** 2
      ? `${Math.round(bytes / 1024)} kB`
      : `${Math.round(bytes / 1024 ** 2)} MB`;

export function calling(RED: NodeAPI, count: number): NodeStatus {
  return { fill: "blue", shape: "dot", text: RED._("status.calling", { count }) };
}

/** `entries` counts what a list brought, over all its messages. */
export function answered(RED: NodeAPI, last: NodeMessage, entries: number): NodeStatus {
  const { payload, statusCode } = last;
  const text = Array.isArray(payload)
    ? RED._("status.entries", { count: entries })
    : Buffer.isBuffer(payload)
      ? sizeOf(payload.length)
      : RED._(statusCode === 202 ? "status.accepted" : "status.done");
  return { fill: "green", shape: "dot", text };
}

export function failed({ code, cause }: Failure): NodeStatus {
  const words = code.replaceAll("_", " ");
  const { status } = cause as { status?: number };
  const full = status === undefined ? words : `${words} (${status})`;
  return { fill: "red", shape: "ring", text: full.length < longest ? full : words };
}

export const unconnected = (RED: NodeAPI): NodeStatus => ({
  fill: "red",
  shape: "ring",
  text: RED._("status.unconnected"),
});
