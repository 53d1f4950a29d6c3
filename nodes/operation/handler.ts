/** What a node does with one message: reads its input, makes the call, and sends what comes of it. */
import type { Node, NodeAPI, NodeDef, NodeMessage, NodeStatus } from "node-red";
import { intoFolder } from "../../core/client/deliver";
import type { ExtendedService } from "../../core/client/extensions";
import { comesInPages } from "../../core/client/pages";
import type { Callable } from "../../core/declaration/operation";
import { isProcedure, type Progress } from "../../core/declaration/procedure";
import type { FxdeskError } from "../../core/errors";
import type { Chosen } from "../connection/chosen";
import { cancelled } from "./cancel";
import type { GoneOn } from "./next-nodes";
import { type InputDef, inputReader } from "./input";
import { keyReader } from "./key";
import { deliver, type PageMode, type RowsMode } from "./messages";
import type { CallResult } from "./outcome";
import { resultProperty } from "./result";
import { sourceOf, type TypedValue } from "./sources";
import { doneStatus, type Translate, unusableStatus } from "./status";
import { called, type Target, targetOf } from "./target";
import { timeLimitOf } from "./time-limit";

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
  readonly rows?: RowsMode;
  /** Path for a file that comes; it goes into the message when empty. */
  readonly saveTo?: TypedValue;
  /** The property of a message that takes the result; payload by default. */
  readonly resultTo?: string;
  /** Two where errors leave by an output of their own. */
  readonly outputs?: number;
}

/** One message that is handled now. */
interface Handling {
  readonly msg: NodeMessage;
  readonly send: (msg: NodeMessage) => void;
  readonly signal: AbortSignal;
  readonly onProgress: (step: Progress) => void;
  /** Hears what became of the call. */
  readonly ended: (operation: Callable, ended: CallResult) => void;
}

export interface MessageHandler {
  /** Whether nobody else's code gets the signals of messages: a procedure may be somebody else's, and so is an interceptor. */
  readonly areSignalsOwn: boolean;
  /** Returns how the node shows it. */
  handle(handling: Handling): Promise<NodeStatus>;
  /** Which messages a message stops, as `cancelled` says. */
  cancelledBy(msg: NodeMessage): ((msg: NodeMessage) => boolean) | undefined;
}

export interface HandlerContext {
  readonly RED: NodeAPI;
  readonly node: Node;
  readonly config: OperationDef;
  readonly chosen: Chosen;
  readonly translate: Translate;
  readonly goneOn: GoneOn;
}

/** What a flow wants to be told again with a release. */
const correlationOf = ({ fxdesk }: NodeMessage & { readonly fxdesk?: { readonly correlation?: unknown } }) =>
  fxdesk?.correlation === undefined ? {} : { correlation: fxdesk.correlation };

function usableHandler(
  { operation, client }: Target,
  { RED, node, config, translate, goneOn }: HandlerContext,
): MessageHandler {
  const host = { RED, node };
  const { pages = "all", rows = "whole", saveTo } = config;
  const modes = { pages, rows };
  const readInput = inputReader(operation, config, host);
  const readKey = keyReader(operation, config.requestKey, host);
  const readPath = saveTo?.value ? sourceOf(saveTo, host) : undefined;
  const result = resultProperty(RED, node, config.resultTo || undefined);
  const isFollowed = comesInPages(operation) && (pages === "each" || pages === "items");
  const handle = async ({ msg, send, signal, onProgress, ended }: Handling): Promise<NodeStatus> => {
    const path = readPath && ((await readPath(msg)) as string | undefined);
    const options = {
      signal,
      onProgress,
      user: node.id,
      surface: "node-red",
      ...correlationOf(msg),
      ...timeLimitOf(operation, config.timeoutMs, msg),
      ...(path && operation.delivers && { deliver: intoFolder(path) }),
      ...(readKey && (await readKey(msg))),
    };
    const input = await readInput(msg);
    const followed = isFollowed ? goneOn.follow(node, msg) : undefined;
    // Not written inside the object: see `Exchange`.
    const copy = () =>
      RED.util.cloneMessage(result.isPayload ? Object.assign({}, msg, { payload: undefined }) : msg);
    const sendOn = (each: NodeMessage) => {
      followed?.sent.add();
      send(each);
    };
    const gone = async () => followed?.sent.gone(signal);
    const call = {
      operation,
      client,
      input,
      options,
      saveTo: path,
      msg,
      copy,
      result,
      send: sendOn,
      gone,
      ended,
    };
    try {
      return doneStatus(translate, await deliver(call, modes));
    } finally {
      followed?.end();
    }
  };
  const { interceptors = [] } = client.service as ExtendedService;
  return {
    areSignalsOwn: !isProcedure(operation) && interceptors.length === 0,
    handle,
    cancelledBy: (msg) => cancelled(operation, msg),
  };
}

/**
 * A node that can call nothing says so at once, and why at each message. A connection that cannot be used has said so in
 * the log itself; for one that is not there the node does.
 */
export function handlerOf(name: string, context: HandlerContext): MessageHandler {
  const { node, chosen, translate } = context;
  if ("missing" in chosen) node.error(chosen.missing);
  try {
    return usableHandler(targetOf(name, chosen, called), context);
  } catch (error) {
    node.status(unusableStatus(translate, error as FxdeskError));
    return {
      areSignalsOwn: false,
      handle: () => Promise.reject(error as FxdeskError),
      cancelledBy: () => undefined,
    };
  }
}
