/** Handling of one message: reads the input, makes the call and sends the result. */
import type { Node, NodeAPI, NodeDef, NodeMessage, NodeStatus } from "node-red";
import { intoFolder } from "../../core/call/file-delivery";
import type { ExtendedService } from "../../core/client/extensions";
import { isPaged } from "../../core/call/pages";
import type { Callable } from "../../core/spec/operation";
import { isProcedure, type Progress } from "../../core/spec/procedure";
import type { FxdeskError } from "../../core/spec/errors";
import { type ConnectionChoice, operationKind, type Target, resolveTarget } from "../connection/target";
import { createCancelMatcher } from "./cancel";
import type { Backpressure } from "./output/backpressure";
import { type InputDef, createInputReader } from "../shared/input";
import { createKeyReader } from "./call-options";
import { callAndSend, type PageMode, type ResultListMode } from "./output";
import type { CallOutcome } from "./outcome-log";
import { createResultProperty } from "./output/result-property";
import { createSource, type TypedValue } from "../shared/typed-values";
import { doneStatus, type Translate, unusableStatus } from "../shared/status";
import { readTimeLimit } from "./time-limit";

/** Stored properties of the node. */
export interface OperationDef extends NodeDef, InputDef {
  readonly connection: string;
  /** Name of the operation, if the node type does not determine it. */
  readonly operation?: string;
  /** Source of the idempotency key of calls that commit money. Default: msg.fxdesk.key. */
  readonly requestKey?: TypedValue;
  /** Time limit of a call in milliseconds. Empty: the limit of the connection. */
  readonly timeoutMs?: string;
  /** Conversion of paged lists to messages. */
  readonly pages?: PageMode;
  /** Conversion of result lists to messages. */
  readonly rows?: ResultListMode;
  /** Path for received files. Empty: the file is put into the message. */
  readonly saveTo?: TypedValue;
  /** Message property for the result. Default: payload. */
  readonly resultTo?: string;
  /** Number of outputs: 2 if errors have their own. */
  readonly outputs?: number;
}

/** Context of one message. */
interface HandlingContext {
  readonly msg: NodeMessage;
  readonly send: (msg: NodeMessage) => void;
  readonly signal: AbortSignal;
  readonly onProgress: (step: Progress) => void;
  /** Receives the outcome of the call. */
  readonly onOutcome: (operation: Callable, outcome: CallOutcome) => void;
}

export interface MessageHandler {
  /** True if no user code (procedures of extensions, interceptors) receives the abort signals of messages. */
  readonly canReuseSignals: boolean;
  /** Handles a message and returns the node status. */
  handle(handling: HandlingContext): Promise<NodeStatus>;
  /** See createCancelMatcher. */
  cancelMatcherFor(msg: NodeMessage): ((msg: NodeMessage) => boolean) | undefined;
}

export interface HandlerContext {
  readonly RED: NodeAPI;
  readonly node: Node;
  readonly config: OperationDef;
  readonly chosen: ConnectionChoice;
  readonly translate: Translate;
  readonly backpressure: Backpressure;
}

/** Returns the correlation value of a flow, which is reported with the release. */
const correlationOf = ({ fxdesk }: NodeMessage & { readonly fxdesk?: { readonly correlation?: unknown } }) =>
  fxdesk?.correlation === undefined ? {} : { correlation: fxdesk.correlation };

function createUsableHandler(
  { operation, client }: Target,
  { RED, node, config, translate, backpressure }: HandlerContext,
): MessageHandler {
  const host = { RED, node };
  const { pages = "all", rows = "whole", saveTo } = config;
  const modes = { pages, rows };
  const readInput = createInputReader(operation, config, host);
  const readKey = createKeyReader(operation, config.requestKey, host);
  const readPath = saveTo?.value ? createSource(saveTo, host) : undefined;
  const result = createResultProperty(RED, node, config.resultTo || undefined);
  const needsBackpressure = isPaged(operation) && (pages === "each" || pages === "items");
  const handle = async ({
    msg,
    send,
    signal,
    onProgress,
    onOutcome,
  }: HandlingContext): Promise<NodeStatus> => {
    const path = readPath && ((await readPath(msg)) as string | undefined);
    const options = {
      signal,
      onProgress,
      user: node.id,
      surface: "node-red",
      ...correlationOf(msg),
      ...readTimeLimit(operation, config.timeoutMs, msg),
      ...(path && operation.deliversFiles && { deliver: intoFolder(path) }),
      ...(readKey && (await readKey(msg))),
    };
    const input = await readInput(msg);
    const tracked = needsBackpressure ? backpressure.track(node, msg) : undefined;
    const copy = () =>
      RED.util.cloneMessage(result.isPayload ? Object.assign({}, msg, { payload: undefined }) : msg);
    const sendTracked = (each: NodeMessage) => {
      tracked?.sent.add();
      send(each);
    };
    const drained = async () => tracked?.sent.drained(signal);
    const call = {
      operation,
      client,
      input,
      options,
      saveTo: path,
      msg,
      copy,
      result,
      send: sendTracked,
      drained,
      onOutcome,
    };
    try {
      return doneStatus(translate, await callAndSend(call, modes));
    } finally {
      tracked?.end();
    }
  };
  const { interceptors = [] } = client.service as ExtendedService;
  return {
    canReuseSignals: !isProcedure(operation) && interceptors.length === 0,
    handle,
    cancelMatcherFor: (msg) => createCancelMatcher(operation, msg),
  };
}

/**
 * Creates the handler of a node. An unusable node shows its status at once and fails each message with the reason. An invalid
 * connection logs its own error; a missing one is logged by the node.
 */
export function createHandler(name: string, context: HandlerContext): MessageHandler {
  const { node, chosen, translate } = context;
  if ("missing" in chosen) node.error(chosen.missing);
  try {
    return createUsableHandler(resolveTarget(name, chosen, operationKind), context);
  } catch (error) {
    node.status(unusableStatus(translate, error as FxdeskError));
    return {
      canReuseSignals: false,
      handle: () => Promise.reject(error as FxdeskError),
      cancelMatcherFor: () => undefined,
    };
  }
}
