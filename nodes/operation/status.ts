/** What stands below a node: how many calls are under way, and how the last one ended. */
import type { NodeAPI, NodeStatus } from "node-red";
import { ReceivedFile } from "../../core/client/file";
import type { FxdeskError } from "../../core/errors";
import type { Answered } from "./answers";
import type { Failure } from "./failure";

/** Longer texts push the neighbours of a node aside. */
const longest = 20;

const sizeOf = (bytes: number): string =>
  bytes < 1024
    ? `${bytes} B`
    : bytes < 1024 ** 2
      ? `${Math.round(bytes / 1024)} kB`
      : `${Math.round(bytes / 1024 ** 2)} MB`;

/** The words of a status, translated. */
export type Words = (key: string, count?: number) => string;

/** Translating a plural costs as much as a call, and the counts of a flow recur: each text is translated once. */
export function wordsOf(RED: NodeAPI): Words {
  const known = new Map<string, string>();
  return (key, count = 0) => {
    const entry = `${key} ${count}`;
    const words = known.get(entry) ?? RED._(`status.${key}`, { count });
    if (known.size < 1_000) known.set(entry, words);
    return words;
  };
}

export function calling(words: Words, count: number): NodeStatus {
  return { fill: "blue", shape: "dot", text: words("calling", count) };
}

export function answered(words: Words, { msg, body, entries, more }: Answered): NodeStatus {
  const { payload, statusCode } = msg;
  const text =
    entries !== undefined
      ? words(more ? "someEntries" : "entries", entries)
      : body instanceof ReceivedFile && Buffer.isBuffer(payload)
        ? sizeOf(payload.length)
        : words(statusCode === 202 ? "accepted" : "done");
  return { fill: "green", shape: "dot", text };
}

export function failed({ code, cause }: Failure): NodeStatus {
  const kind = code.replaceAll("_", " ");
  const { status } = cause as { status?: number };
  const full = status === undefined ? kind : `${kind} (${status})`;
  return { fill: "red", shape: "ring", text: full.length < longest ? full : kind };
}

/** What stands below a node that can call nothing. */
export const unusableStatus = (words: Words, { code }: FxdeskError): NodeStatus => ({
  fill: "red",
  shape: "ring",
  text: words(code === "no_connection" ? "unconnected" : "noOperation"),
});

/** Shows the newest status once a turn of the event loop: of a burst of messages, one. */
export function statusLine(show: () => void): () => void {
  let isDue = false;
  const showNow = () => {
    isDue = false;
    show();
  };
  return () => {
    if (isDue) return;
    isDue = true;
    setImmediate(showNow);
  };
}
