/** What a node does with one message: reads its input, makes the call, and sends what comes of it. */
import type { Node, NodeAPI, NodeDef, NodeMessage, NodeStatus } from "node-red";
import { intoFolder } from "../../core/client/file-delivery";
import type { ExtendedService } from "../../core/client/extensions";
import { isPaged } from "../../core/client/pages";
import type { Callable } from "../../core/declaration/operation";
import { isProcedure, type Progress } from "../../core/declaration/procedure";
import type { FxdeskError } from "../../core/errors";
import type { ConnectionChoice } from "../connection/find-connection";
import { createCancelMatcher } from "./cancel";
import type { Backpressure } from "./backpressure";
import { type InputDef, createInputReader } from "./input-reader";
import { createKeyReader } from "./request-key";
import { callAndSend, type PageMode, type ResultListMode } from "./call-messages";
import type { CallOutcome } from "./outcome-log";
import { createResultProperty } from "./result-property";
import { createSource, type TypedValue } from "./value-sources";
import { doneStatus, type Translate, unusableStatus } from "./status";
import { operationKind, type Target, resolveTarget } from "./target";
import { readTimeLimit } from "./time-limit";

/** What the editor keeps of a node. */
export interface OperationDef extends NodeDef, InputDef {
  readonly connection: string;
  /** Name of the operation, where the type of the node does not say it. */
  readonly operation?: string;
  /** What stands for the call, where it commits money; msg.fxdesk.key by default. */
  readonly requestKey?: TypedValue;
  /** Time limit of a call in milliseconds; the connection's when empty. */
  readonly timeoutMs?: string;
  /** How a list that comes in pages is sent on. */
  readonly pages?: PageMode;
  /** How a result whose answer is one of its lists is sent on. */
  readonly rows?: ResultListMode;
  /** Path for a file that comes; it goes into the message when empty. */
  readonly saveTo?: TypedValue;
  /** The property of a message that takes the result; payload by default. */
  readonly resultTo?: string;
  /** Two where errors leave by an output of their own. */
  readonly outputs?: number;
}

/** One message that is handled now. */
interface HandlingContext {
  readonly msg: NodeMessage;
  readonly send: (msg: NodeMessage) => void;
  readonly signal: AbortSignal;
  readonly onProgress: (step: Progress) => void;
  /** Hears what became of the call. */
  readonly onOutcome: (operation: Callable, ended: CallOutcome) => void;
}

export interface MessageHandler {
  /** Whether nobody else's code gets the signals of messages: a procedure may be somebody else's, and so is an interceptor. */
  readonly canReuseSignals: boolean;
  /** Returns how the node shows it. */
  handle(handling: HandlingContext): Promise<NodeStatus>;
  /** Which messages a message stops, as `cancelled` says. */
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

/** What a flow wants to be told again with a release. */
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
    // Not written inside the object: see `Exchange`.
    const copy = () =>
      RED.util.cloneMessage(result.isPayload ? Object.assign({}, msg, { payload: undefined }) : msg);
    const sendTracked = (each: NodeMessage) => {
      tracked?.sent.add();
      send(each);
    };
    const gone = async () => tracked?.sent.drained(signal);
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
      gone,
      ended: onOutcome,
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
 * A node that can call nothing says so at once, and why at each message. A connection that cannot be used has said so in
 * the log itself; for one that is not there the node does.
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
