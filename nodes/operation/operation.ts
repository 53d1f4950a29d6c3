/** The runtime of every operation's node, and of the node that calls any operation. */
import type { Node, NodeAPI, NodeConstructor, NodeDef, NodeMessage, NodeStatus } from "node-red";
import type { FxdeskError } from "../../core/errors";
import type { Declaration } from "../../core/declaration/operation";
import type { ConnectionNode } from "../connection/connection";
import { deliver, type PageMode } from "./messages";
import { failureOf } from "./failure";
import { type InputDef, inputReader } from "./input";
import { type CallResult, logOutcome } from "./outcome";
import { sourceOf, type TypedValue } from "./sources";
import {
  doneStatus,
  callingStatus,
  failedStatus,
  statusLine,
  unusableStatus,
  type Translate,
  translatorOf,
} from "./status";
import { type Target, targetOf } from "./target";
import { PendingCalls } from "./pending-calls";

/** What the editor keeps of a node. */
export interface OperationDef extends NodeDef, InputDef {
  readonly connection: string;
  /** Name of the operation, where the type of the node does not say it. */
  readonly operation?: string;
  /** Time limit of a call in milliseconds; the connection's when empty. */
  readonly timeoutMs?: string;
  /** How a list that comes in pages is sent on. */
  readonly pages?: PageMode;
  /** Path for a file that comes; it goes into the message when empty. */
  readonly saveTo?: TypedValue;
}

/** Where a message comes from and where its responses go. */
interface IncomingMessage {
  readonly msg: NodeMessage;
  readonly send: (msg: NodeMessage) => void;
  readonly signal: AbortSignal;
}

/** Handles a message; returns how the node shows it. */
type MessageHandler = (incoming: IncomingMessage) => Promise<NodeStatus>;

interface HandlerContext {
  readonly RED: NodeAPI;
  readonly node: Node;
  readonly config: OperationDef;
  readonly words: Translate;
  readonly ended: (operation: Declaration, ended: CallResult) => void;
}

function messageHandler(
  target: Target,
  { RED, node, config, words: translate, ended }: HandlerContext,
): MessageHandler {
  const { operation, client } = target;
  const host = { RED, node };
  const { pages = "all", saveTo } = config;
  const readInput = inputReader(operation, config, host);
  const readPath = saveTo?.value ? sourceOf(saveTo, host) : undefined;
  const timeoutMs = Number(config.timeoutMs) || undefined;
  const onOutcome = (outcome: CallResult) => ended(operation, outcome);
  return async ({ msg, send, signal }) => {
    const call = {
      operation,
      client,
      input: await readInput(msg),
      options: timeoutMs ? { signal, timeoutMs } : { signal },
      saveTo: readPath && ((await readPath(msg)) as string | undefined),
      msg,
      copy: () => RED.util.cloneMessage({ ...msg, payload: undefined }),
      send,
      ended: onOutcome,
    };
    return doneStatus(translate, await deliver(call, pages));
  };
}

/** A node that can call nothing says so at once, and why at each message. */
function handlerOf(name: string, context: HandlerContext): MessageHandler {
  const { RED, node, config, words: translate } = context;
  const connection = RED.nodes.getNode(config.connection) as ConnectionNode | null;
  try {
    return messageHandler(targetOf(name, connection), context);
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
    const ended = (operation: Declaration, outcome: CallResult) =>
      logOutcome(this, operation, outcome, calls.isClosed);
    const handleMessage = handlerOf(name ?? config.operation ?? "", {
      RED,
      node: this,
      config,
      words: translate,
      ended,
    });
    let last: NodeStatus = {};
    const changed = statusLine(() => {
      if (!calls.isClosed) this.status(calls.count > 0 ? callingStatus(translate, calls.count) : last);
    });

    this.on("input", (msg, send, done) => {
      const call = async (signal: AbortSignal) => {
        try {
          last = await handleMessage({ msg, send, signal });
          done();
        } catch (error) {
          const failure = failureOf(error);
          last = failedStatus(failure);
          done(failure);
        }
      };
      calls.run(call, changed);
    });

    // A deploy does not wait: what has left goes on without its node, and is logged. When Node-RED itself stops, it waits
    // as long as it lets nodes take.
    const close = async (done: () => void) => {
      const closed = calls.close();
      if (isStopping()) await closed;
      done();
    };
    this.on("close", (done: () => void) => void close(done));
  };
}
