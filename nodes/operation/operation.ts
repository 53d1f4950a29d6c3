/** The runtime of every operation's node, and of the node that calls any operation. */
import type { Node, NodeAPI, NodeConstructor, NodeDef, NodeMessage, NodeStatus } from "node-red";
import { intoFolder } from "../../core/client/deliver";
import type { Progress } from "../../core/declaration/procedure";
import type { FxdeskError } from "../../core/errors";
import type { Callable } from "../../core/declaration/operation";
import type { ConnectionNode } from "../connection/connection";
import { deliver, type PageMode, type RowsMode } from "./messages";
import { failureOf } from "./failure";
import { type InputDef, inputReader } from "./input";
import { keyReader } from "./key";
import { type CallResult, logOutcome } from "./outcome";
import { sourceOf, type TypedValue } from "./sources";
import {
  doneStatus,
  callingStatus,
  progressStatus,
  failedStatus,
  statusLine,
  unusableStatus,
  type Translate,
  translatorOf,
} from "./status";
import { called, type Target, targetOf } from "./target";
import { PendingCalls } from "./pending-calls";

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
}

/** Where a message comes from and where its responses go. */
interface IncomingMessage {
  readonly msg: NodeMessage;
  readonly send: (msg: NodeMessage) => void;
  readonly signal: AbortSignal;
  readonly onProgress: (step: Progress) => void;
}

/** Handles a message; returns how the node shows it. */
type MessageHandler = (incoming: IncomingMessage) => Promise<NodeStatus>;

interface HandlerContext {
  readonly RED: NodeAPI;
  readonly node: Node;
  readonly config: OperationDef;
  readonly words: Translate;
  readonly ended: (operation: Callable, ended: CallResult) => void;
}

/** What a flow wants to be told again with a release. */
const correlationOf = ({ fxdesk }: NodeMessage & { readonly fxdesk?: { readonly correlation?: unknown } }) =>
  fxdesk?.correlation === undefined ? {} : { correlation: fxdesk.correlation };

function messageHandler(
  target: Target,
  { RED, node, config, words: translate, ended }: HandlerContext,
): MessageHandler {
  const { operation, client } = target;
  const host = { RED, node };
  const { pages = "all", rows = "whole", saveTo } = config;
  const readInput = inputReader(operation, config, host);
  const readKey = keyReader(operation, config.requestKey, host);
  const readPath = saveTo?.value ? sourceOf(saveTo, host) : undefined;
  const timeoutMs = Number(config.timeoutMs) || undefined;
  const onOutcome = (outcome: CallResult) => ended(operation, outcome);
  return async ({ msg, send, signal, onProgress }) => {
    const path = readPath && ((await readPath(msg)) as string | undefined);
    const call = {
      operation,
      client,
      input: await readInput(msg),
      options: {
        signal,
        onProgress,
        user: node.id,
        surface: "node-red",
        ...correlationOf(msg),
        ...(timeoutMs && { timeoutMs }),
        ...(path && operation.delivers && { deliver: intoFolder(path) }),
        ...(await readKey(msg)),
      },
      saveTo: path,
      msg,
      copy: () => RED.util.cloneMessage({ ...msg, payload: undefined }),
      send,
      ended: onOutcome,
    };
    return doneStatus(translate, await deliver(call, { pages, rows }));
  };
}

/** A node that can call nothing says so at once, and why at each message. */
function handlerOf(name: string, context: HandlerContext): MessageHandler {
  const { RED, node, config, words: translate } = context;
  const connection = RED.nodes.getNode(config.connection) as ConnectionNode | null;
  try {
    return messageHandler(targetOf(name, connection, called), context);
  } catch (error) {
    node.status(unusableStatus(translate, error as FxdeskError));
    return () => Promise.reject(error as FxdeskError);
  }
}

/**
 * The runtime of the node of one operation; without its name, of the one that the form names. Every failure reaches Catch
 * nodes, with the message that came.
 */
export function operationNode(
  RED: NodeAPI,
  isStopping: () => boolean,
  name?: string,
): NodeConstructor<Node, OperationDef, object> {
  const translate = translatorOf(RED);
  return function OperationNode(this: Node, config: OperationDef) {
    RED.nodes.createNode(this, config);
    const calls = new PendingCalls();
    const ended = (operation: Callable, outcome: CallResult) =>
      logOutcome(this, operation, outcome, calls.isClosed);
    const handleMessage = handlerOf(name ?? config.operation ?? "", {
      RED,
      node: this,
      config,
      words: translate,
      ended,
    });
    let last: NodeStatus = {};
    let step: Progress | undefined;
    const underWay = () =>
      step ? progressStatus(translate, calls.count, step) : callingStatus(translate, calls.count);
    const line = statusLine(() => {
      if (calls.count === 0) step = undefined;
      if (!calls.isClosed) this.status(calls.count > 0 ? underWay() : last);
    });
    const onProgress = (reached: Progress) => {
      step = reached;
      line.moved();
    };

    this.on("input", (msg, send, done) => {
      const call = async (signal: AbortSignal) => {
        try {
          last = await handleMessage({ msg, send, signal, onProgress });
          done();
        } catch (error) {
          const failure = failureOf(error);
          last = failedStatus(failure);
          done(failure);
        }
      };
      calls.run(call, line.changed);
    });

    // A deploy does not wait: what has left goes on without its node, and is logged. When Node-RED itself stops, it waits
    // as long as it lets nodes take.
    const close = async (done: () => void) => {
      const closed = calls.close();
      line.close();
      if (isStopping()) await closed;
      done();
    };
    this.on("close", (done: () => void) => void close(done));
  };
}
