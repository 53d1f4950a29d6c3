/** Status below a node: the number of calls in progress, or the outcome of the last one. */
import type { NodeAPI, NodeStatus } from "node-red";
import { ReceivedFile } from "../../core/call/received-file";
import type { Progress } from "../../core/spec/procedure";
import type { FxdeskError } from "../../core/spec/errors";
import type { SentSummary } from "../operation/output";
import type { Failure } from "./errors";

/** Maximum length of an error status. Longer texts overlap neighbouring nodes. */
const maxTextLength = 20;

const formatSize = (bytes: number): string =>
  bytes < 1024
    ? `${bytes} B`
    : bytes < 1024 ** 2
      ? `${Math.round(bytes / 1024)} kB`
      : `${Math.round(bytes / 1024 ** 2)} MB`;

/** Returns a translated status text. */
export type Translate = (key: string, count?: number) => string;

/** Creates a translator with a cache: translating a plural costs as much as a call, and counts recur. */
export function createTranslator(RED: NodeAPI): Translate {
  const cache = new Map<string, string>();
  return (key, count = 0) => {
    const entry = `${key} ${count}`;
    const text = cache.get(entry) ?? RED._(`status.${key}`, { count });
    if (cache.size < 1_000) cache.set(entry, text);
    return text;
  };
}

/** Current load of a node. */
export interface NodeLoad {
  readonly inFlight: number;
  readonly waiting: number;
  /** Progress of the call, if it reports any. */
  readonly progress?: Progress | undefined;
}

export function callingStatus(translate: Translate, { inFlight, waiting, progress }: NodeLoad): NodeStatus {
  const parts = [translate("calling", inFlight)];
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

/** Status of a node without a usable connection or operation. */
export const unusableStatus = (translate: Translate, { code }: FxdeskError): NodeStatus => ({
  fill: "red",
  shape: "ring",
  text: translate(code === "no_connection" ? "unconnected" : "noOperation"),
});

/** Minimum time between status updates. Each update is sent to every open editor. */
const minUpdateIntervalMs = 250;

export interface StatusUpdater {
  /** Schedules an update: in the next turn of the event loop, at most four times a second. */
  readonly schedule: () => void;
  /** Stops updates. */
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
