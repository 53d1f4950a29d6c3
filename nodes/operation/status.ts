/** What stands below a node: how many calls are under way, and how the last one ended. */
import type { NodeAPI, NodeStatus } from "node-red";
import { ReceivedFile } from "../../core/client/received-file";
import type { Progress } from "../../core/declaration/procedure";
import type { FxdeskError } from "../../core/errors";
import type { SentSummary } from "./call-messages";
import type { Failure } from "./failure";

/** Longer texts push the neighbours of a node aside. */
const maxTextLength = 20;

const formatSize = (bytes: number): string =>
  bytes < 1024
    ? `${bytes} B`
    : bytes < 1024 ** 2
      ? `${Math.round(bytes / 1024)} kB`
      : `${Math.round(bytes / 1024 ** 2)} MB`;

/** The words of a status, translated. */
export type Translate = (key: string, count?: number) => string;

/** Translating a plural costs as much as a call, and the counts of a flow recur: each text is translated once. */
export function createTranslator(RED: NodeAPI): Translate {
  const cache = new Map<string, string>();
  return (key, count = 0) => {
    const entry = `${key} ${count}`;
    const text = cache.get(entry) ?? RED._(`status.${key}`, { count });
    if (cache.size < 1_000) cache.set(entry, text);
    return text;
  };
}

/** What a node is at. */
export interface NodeLoad {
  readonly underWay: number;
  readonly waiting: number;
  /** How far a call has come, where it tells. */
  readonly progress?: Progress | undefined;
}

export function callingStatus(translate: Translate, { underWay, waiting, progress }: NodeLoad): NodeStatus {
  const parts = [translate("calling", underWay)];
  if (progress)
    parts.push(progress.total === undefined ? String(progress.done) : `${progress.done}/${progress.total}`);
  if (waiting > 0) parts.push(translate("waiting", waiting));
  return { fill: "blue", shape: "dot", text: parts.join(", ") };
}

export function doneStatus(translate: Translate, summary: SentSummary): NodeStatus {
  const { body, content, statusCode, entries, more } = summary;
  const text =
    entries !== undefined
      ? translate(more ? "someEntries" : "entries", entries)
      : body instanceof ReceivedFile && Buffer.isBuffer(content)
        ? formatSize(content.length)
        : translate(statusCode === 202 ? "accepted" : "done");
  return { fill: "green", shape: "dot", text };
}

export function failedStatus({ code, cause }: Failure): NodeStatus {
  const kind = code.replaceAll("_", " ");
  const { status } = cause as { status?: number };
  const full = status === undefined ? kind : `${kind} (${status})`;
  return { fill: "red", shape: "ring", text: full.length < maxTextLength ? full : kind };
}

/** What stands below a node that can call nothing. */
export const unusableStatus = (translate: Translate, { code }: FxdeskError): NodeStatus => ({
  fill: "red",
  shape: "ring",
  text: translate(code === "no_connection" ? "unconnected" : "noOperation"),
});

/** How long a status stands at least: each is sent to every editor that is open. */
const minUpdateIntervalMs = 250;

export interface StatusUpdater {
  /** Shows the newest status soon: in the next turn of the event loop, and at most four times a second. */
  readonly schedule: () => void;
  /** Shows nothing any more. */
  readonly close: () => void;
}

export function createStatusUpdater(show: () => void): StatusUpdater {
  let timer: NodeJS.Timeout | undefined;
  let shownAt = -Infinity;
  let isClosed = false;
  const showNow = () => {
    timer = undefined;
    shownAt = performance.now();
    show();
  };
  return {
    schedule() {
      if (!isClosed)
        timer ??= setTimeout(showNow, Math.max(0, shownAt + minUpdateIntervalMs - performance.now()));
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
