/** Runtime of the watch nodes, including the node for any watch. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Node, NodeAPI, NodeConstructor, NodeDef, NodeMessage, NodeStatus } from "node-red";
import type { WatchOptions, WatchStatus } from "../../core/api/watch-options";
import type { Change, Watch } from "../../core/spec/watch";
import { invalidInputError } from "../../core/call/call-errors";
import { limitViolation } from "../../core/http/deadline";
import { FxdeskError } from "../../core/spec/errors";
import { findConnection, resolveTarget, watchKind } from "../connection/target";
import { type Failure, toFailure } from "../shared/errors";
import { type InputDef, createInputReader } from "../shared/input";
import { failedStatus, type Translate, translateStatus, unusableStatus } from "../shared/status";
import { runWithFlows } from "../shared/background-work";
import { toChangeMessage } from "./change-message";

/** Stored properties of the node. */
export interface WatchDef extends NodeDef, InputDef {
  readonly connection: string;
  /** Name of the watch, if the node type does not determine it. */
  readonly operation?: string;
  /** Initial start position. Empty: the default of the watch. */
  readonly from?: string;
  /** Seconds between two reads. Empty: the default of the watch. */
  readonly every?: string;
}

const toPlainError = ({ message, code }: Failure) => ({ message, code });

/** Converts a watch status to plain data. */
const toPlainStatus = (status: WatchStatus): Readonly<Record<string, unknown>> =>
  status.state === "failed" ? { ...status, error: toPlainError(toFailure(status.error)) } : { ...status };

const createStatusMessage = (name: string, payload: object): NodeMessage =>
  ({ topic: name, payload }) as Partial<NodeMessage> as NodeMessage;

/** Numbers of changes since the deploy, by kind. */
type DeliveredCounts = Partial<Record<Change["kind"], number>>;

function countsText(translate: Translate, counts: DeliveredCounts): string {
  const kinds = ["new", "changed", "gone"] as const;
  const shown = kinds.filter((kind) => counts[kind]).map((kind) => translate(kind, counts[kind]));
  return shown.join(", ") || translate("watching");
}

/** Returns the node status for a watch status. */
function toNodeStatus(translate: Translate, status: WatchStatus, delivered: DeliveredCounts): NodeStatus {
  switch (status.state) {
    case "reading":
      return { fill: "blue", shape: "dot", text: translate("reading") };
    case "waiting":
      return { fill: "green", shape: "dot", text: countsText(translate, delivered) };
    case "held":
      return { fill: "grey", shape: "ring", text: translate("held") };
    case "incomplete":
      return { fill: "yellow", shape: "ring", text: translate("incomplete") };
    case "failed":
      return failedStatus(toFailure(status.error));
  }
}

interface WatchContext {
  readonly RED: NodeAPI;
  readonly node: Node;
  readonly config: WatchDef;
  readonly translate: Translate;
  readonly signal: AbortSignal;
}

/** True for failures that end the watch unless an earlier read succeeded. */
const isPossiblyFinal = (status: WatchStatus): boolean =>
  status.state === "failed" && status.error instanceof FxdeskError && !status.error.retryable;

/** Returns a function that shows the status of a watch, sends it to the second output and reports failures to Catch nodes. */
function createStatusReporter(name: string, { node, translate }: WatchContext, delivered: DeliveredCounts) {
  let isIncomplete = false;
  let pending: WatchStatus | undefined;
  const reportStatus = (status: WatchStatus): void => {
    // Missing data stays visible until the next read.
    const isHidden = isIncomplete && status.state === "waiting";
    if (!isHidden) node.status(toNodeStatus(translate, status, delivered));
    isIncomplete = status.state === "incomplete" || isHidden;
    node.send([null, createStatusMessage(name, toPlainStatus(status))]);
    if (status.state === "failed") node.error(toFailure(status.error), { topic: name });
  };
  // A possibly final failure is held back: if the watch continues, the next status flushes it; if it ends, its end reports it.
  return (status: WatchStatus): void => {
    if (pending) reportStatus(pending);
    pending = isPossiblyFinal(status) ? status : undefined;
    if (!pending) reportStatus(status);
  };
}

/** Maximum interval in seconds: timers take at most 2^31 - 1 ms. */
const maxSeconds = (2 ** 31 - 1) / 1_000;

/** Parses the interval. Throws InvalidInput if it is not a valid number of seconds. */
function parseIntervalMs(watch: Watch, every: string): number {
  const everyMs = Math.round(Number(every) * 1_000);
  if (limitViolation(everyMs) === undefined) return everyMs;
  const message = `must be a number of seconds from 0.001 to ${maxSeconds}, not ${JSON.stringify(every)}`;
  throw invalidInputError(watch, [{ field: "Interval", message }]);
}

/** Sends the changes of the watch until the signal aborts. Throws on missing settings and on failures that end the watch. */
async function sendChanges(name: string, context: WatchContext): Promise<void> {
  const { RED, node, config, signal } = context;
  const { client, operation: watch } = resolveTarget(name, findConnection(RED, config.connection), watchKind);
  const input = await createInputReader(watch, config, { RED, node })({ _msgid: RED.util.generateId() });
  const delivered: DeliveredCounts = {};
  const { from, every } = config;
  const options: WatchOptions = {
    consumer: node.id,
    signal,
    onStatus: createStatusReporter(name, context, delivered),
    ...(from && { from }),
    ...(every && { everyMs: parseIntervalMs(watch, every) }),
  };
  for await (const change of client.changes(watch, input, options)) {
    delivered[change.kind] = (delivered[change.kind] ?? 0) + 1;
    node.send([toChangeMessage(change), null]);
    // Requesting the next change acknowledges this one, and Node-RED hands it to the next nodes at the end of this turn.
    await nextTurn();
  }
}

/**
 * Constructor of a watch node. Without a name, the form names the watch. The watch runs from the start of all flows until
 * the next deploy, which waits until delivered changes are acknowledged.
 */
export function watchNode(RED: NodeAPI, name?: string): NodeConstructor<Node, WatchDef, object> {
  const translate = translateStatus(RED);
  return function WatchNode(this: Node, config: WatchDef) {
    RED.nodes.createNode(this, config);
    const watchName = name ?? config.operation ?? "";
    const setFailed = (failure: Failure) => {
      const isUnusable = failure.code === "no_connection";
      this.status(isUnusable ? unusableStatus(translate, failure) : failedStatus(failure));
    };
    const fail = (failure: Failure) => {
      this.send([null, createStatusMessage(watchName, { state: "ended", error: toPlainError(failure) })]);
      this.error(failure, { topic: watchName });
    };
    const run = (signal: AbortSignal) =>
      sendChanges(watchName, { RED, node: this, config, translate, signal });
    runWithFlows(RED, this, run, { status: { setFailed }, fail });
  };
}
