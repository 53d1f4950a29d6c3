/** What stands below a node: how many calls are under way, and how the last one ended. */
import type { NodeAPI, NodeStatus } from "node-red";
import { ReceivedFile } from "../../core/client/file";
import type { Progress } from "../../core/declaration/procedure";
import type { FxdeskError } from "../../core/errors";
import type { Delivery } from "./messages";
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
export type Translate = (key: string, count?: number) => string;

/** Translating a plural costs as much as a call, and the counts of a flow recur: each text is translated once. */
export function translatorOf(RED: NodeAPI): Translate {
  const known = new Map<string, string>();
  return (key, count = 0) => {
    const entry = `${key} ${count}`;
    const translate = known.get(entry) ?? RED._(`status.${key}`, { count });
    if (known.size < 1_000) known.set(entry, translate);
    return translate;
  };
}

export function callingStatus(translate: Translate, count: number): NodeStatus {
  return { fill: "blue", shape: "dot", text: translate("calling", count) };
}

/** How far a call has come. */
export const progressStatus = (
  translate: Translate,
  count: number,
  { done, total }: Progress,
): NodeStatus => {
  const far = total === undefined ? String(done) : `${done}/${total}`;
  return { fill: "blue", shape: "dot", text: `${translate("calling", count)}, ${far}` };
};

export function doneStatus(translate: Translate, { msg, body, entries, more }: Delivery): NodeStatus {
  const { payload, statusCode } = msg;
  const text =
    entries !== undefined
      ? translate(more ? "someEntries" : "entries", entries)
      : body instanceof ReceivedFile && Buffer.isBuffer(payload)
        ? sizeOf(payload.length)
        : translate(statusCode === 202 ? "accepted" : "done");
  return { fill: "green", shape: "dot", text };
}

export function failedStatus({ code, cause }: Failure): NodeStatus {
  const kind = code.replaceAll("_", " ");
  const { status } = cause as { status?: number };
  const full = status === undefined ? kind : `${kind} (${status})`;
  return { fill: "red", shape: "ring", text: full.length < longest ? full : kind };
}

/** What stands below a node that can call nothing. */
export const unusableStatus = (translate: Translate, { code }: FxdeskError): NodeStatus => ({
  fill: "red",
  shape: "ring",
  text: translate(code === "no_connection" ? "unconnected" : "noOperation"),
});

/** How long a status stands at least while a call tells how far it has come. */
const progressMs = 250;

export interface StatusLine {
  /** Shows the newest status once a turn of the event loop: of a burst of messages, one. */
  readonly changed: () => void;
  /** The same, at most four times a second. */
  readonly moved: () => void;
  /** Shows nothing any more. */
  readonly close: () => void;
}

export function statusLine(show: () => void): StatusLine {
  let due: NodeJS.Immediate | undefined;
  let later: NodeJS.Timeout | undefined;
  let shownAt = -Infinity;
  const showNow = () => {
    clearTimeout(later);
    [due, later] = [undefined, undefined];
    shownAt = performance.now();
    show();
  };
  return {
    changed: () => void (due ??= setImmediate(showNow)),
    moved() {
      const wait = Math.max(0, shownAt + progressMs - performance.now());
      if (!due) later ??= setTimeout(showNow, wait);
    },
    close() {
      clearImmediate(due);
      clearTimeout(later);
    },
  };
}
