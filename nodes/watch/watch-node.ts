/** The runtime of every watch's node, and of the node that tells any watch. */
import { setImmediate as delivered } from "node:timers/promises";
import type { Node, NodeAPI, NodeConstructor, NodeDef, NodeMessage, NodeStatus } from "node-red";
import type { WatchOptions, WatchStatus } from "../../core/watches/options";
import type { Change, Watch } from "../../core/declaration/watch";
import { invalidInputError } from "../../core/client/call-errors";
import { limitViolation } from "../../core/client/limits";
import { FxdeskError } from "../../core/errors";
import { findConnection } from "../connection/find-connection";
import { toFailure } from "../operation/failure";
import { type InputDef, createInputReader } from "../operation/input-reader";
import { failedStatus, type Translate, createTranslator, unusableStatus } from "../operation/status";
import { resolveTarget, watchKind } from "../operation/target";
import { runWithFlows } from "./run-with-flows";

/** What the editor keeps of a node. */
export interface WatchDef extends NodeDef, InputDef {
  readonly connection: string;
  /** Name of the watch, where the type of the node does not say it. */
  readonly operation?: string;
  /** Where it begins the first time; as the watch is declared when empty. */
  readonly from?: string;
  /** Seconds after one read until the next is made; as the watch is declared when empty. */
  readonly every?: string;
}

/** A change as a message. */
const toChangeMessage = ({ watch, entry, kind, id, before, at, repeated }: Change): NodeMessage =>
  ({
    topic: watch,
    payload: entry ?? null,
    fxdesk: { watch, kind, id, before, at, repeated },
  }) as Partial<NodeMessage> as NodeMessage;

const toPlainError = (error: unknown) => {
  const { message, code } = toFailure(error);
  return { message, code };
};

/** What a watch is at, as plain data. */
const toPlainStatus = (status: WatchStatus): Readonly<Record<string, unknown>> =>
  status.state === "failed" ? { ...status, error: toPlainError(status.error) } : { ...status };

const createStatusMessage = (name: string, payload: object): NodeMessage =>
  ({ topic: name, payload }) as Partial<NodeMessage> as NodeMessage;

/** How a node shows what its watch is at; `told` are the changes since the deploy. */
function toNodeStatus(translate: Translate, status: WatchStatus, deliveredCount: number): NodeStatus {
  const text = deliveredCount > 0 ? translate("changes", deliveredCount) : translate("watching");
  switch (status.state) {
    case "reading":
      return { fill: "blue", shape: "dot", text: translate("reading") };
    case "waiting":
      return { fill: "green", shape: "dot", text };
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

/** A failure that is not tried again, unless a read has succeeded before. */
const isPossiblyFinal = (status: WatchStatus): boolean =>
  status.state === "failed" && status.error instanceof FxdeskError && !status.error.retryable;

/** Shows what a watch is at, sends it on, and gives what went wrong to Catch nodes. */
function createStatusReporter(name: string, { node, translate }: WatchContext, deliveredCount: () => number) {
  let isIncomplete = false;
  let pending: WatchStatus | undefined;
  const reportStatus = (status: WatchStatus): void => {
    // What is missing is shown until the next read.
    const isHidden = isIncomplete && status.state === "waiting";
    if (!isHidden) node.status(toNodeStatus(translate, status, deliveredCount()));
    isIncomplete = status.state === "incomplete" || isHidden;
    node.send([null, createStatusMessage(name, toPlainStatus(status))]);
    if (status.state === "failed") node.error(toFailure(status.error), { topic: name });
  };
  // Where it goes on, what it is at next follows at once; where it ends, its end tells the failure.
  return (status: WatchStatus): void => {
    if (pending) reportStatus(pending);
    pending = isPossiblyFinal(status) ? status : undefined;
    if (!pending) reportStatus(status);
  };
}

/** The longest interval that a limit in milliseconds takes: the form has seconds. */
const maxSeconds = (2 ** 31 - 1) / 1_000;

/** Throws InvalidInput for what is no number of seconds. */
function parseIntervalMs(watch: Watch, every: string): number {
  const everyMs = Math.round(Number(every) * 1_000);
  if (limitViolation(everyMs) === undefined) return everyMs;
  const message = `must be a number of seconds from 0.001 to ${maxSeconds}, not ${JSON.stringify(every)}`;
  throw invalidInputError(watch, [{ field: "Every", message }]);
}

/** Sends the changes of the watch until the signal ends it. Throws what the form lacks, and what ends the watch. */
async function sendChanges(name: string, context: WatchContext): Promise<void> {
  const { RED, node, config, signal } = context;
  const { client, operation: watch } = resolveTarget(name, findConnection(RED, config.connection), watchKind);
  const input = await createInputReader(watch, config, { RED, node })({ _msgid: RED.util.generateId() });
  let deliveredCount = 0;
  const { from, every } = config;
  const options: WatchOptions = {
    consumer: node.id,
    signal,
    onStatus: createStatusReporter(name, context, () => deliveredCount),
    ...(from && { from }),
    ...(every && { everyMs: parseIntervalMs(watch, every) }),
  };
  for await (const change of client.changes(watch, input, options)) {
    deliveredCount += 1;
    node.send([toChangeMessage(change), null]);
    // Who asks for the next one has heard of this one: the next nodes get it at the end of this turn of the loop.
    await delivered();
  }
}

/**
 * The runtime of the node of one watch; without its name, of the one that the form names. It begins when all flows have
 * started, and ends with a deploy, which waits until what was sent is noted as heard.
 */
export function watchNode(RED: NodeAPI, name?: string): NodeConstructor<Node, WatchDef, object> {
  const translate = createTranslator(RED);
  return function WatchNode(this: Node, config: WatchDef) {
    RED.nodes.createNode(this, config);
    const watchName = name ?? config.operation ?? "";
    const onFailed = (error: unknown) => {
      const failure = toFailure(error);
      const isUnusable = failure.code === "no_connection";
      this.status(isUnusable ? unusableStatus(translate, error as FxdeskError) : failedStatus(failure));
      this.send([null, createStatusMessage(watchName, { state: "ended", error: toPlainError(error) })]);
      this.error(failure, { topic: watchName });
    };
    const run = (signal: AbortSignal) =>
      sendChanges(watchName, { RED, node: this, config, translate, signal });
    runWithFlows(RED, this, run, onFailed);
  };
}
