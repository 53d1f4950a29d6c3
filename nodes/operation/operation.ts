/** The runtime of every operation's node, and of the node that calls any operation. */
import type { Node, NodeAPI, NodeConstructor, NodeDef, NodeMessage, NodeStatus } from "node-red";
import { intoFolder } from "../../core/client/deliver";
import type { Progress } from "../../core/declaration/procedure";
import type { FxdeskError } from "../../core/errors";
import type { Callable } from "../../core/declaration/operation";
import { type ConnectionNode, usualCapacity } from "../connection/connection";
import { deliver, type PageMode, type RowsMode } from "./messages";
import { type Failure, failureOf } from "./failure";
import { type InputDef, inputReader } from "./input";
import { keyReader } from "./key";
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
import { called, type Target, targetOf } from "./target";
import { MessageQueue } from "./queue";
import { refusalsOf } from "./refusal";

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

/** A message that came, and where what becomes of it goes. */
interface IncomingMessage {
  readonly msg: NodeMessage;
  readonly send: (msg: NodeMessage) => void;
  readonly done: (error?: Error) => void;
}

/** Of a message that is handled now. */
interface Handling {
  readonly signal: AbortSignal;
  readonly onProgress: (step: Progress) => void;
}

/** Handles a message; returns how the node shows it. */
type MessageHandler = (incoming: IncomingMessage, handling: Handling) => Promise<NodeStatus>;

interface HandlerContext {
  readonly RED: NodeAPI;
  readonly node: Node;
  readonly config: OperationDef;
  readonly connection: ConnectionNode | null;
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
  return async ({ msg, send }, { signal, onProgress }) => {
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
  const { node, words: translate } = context;
  try {
    return messageHandler(targetOf(name, context.connection, called), context);
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
    const operationName = name ?? config.operation ?? "";
    const connection = RED.nodes.getNode(config.connection) as ConnectionNode | null;
    const { atOnce, longestQueue } = connection?.capacity ?? usualCapacity;
    let last: NodeStatus = {};
    let step: Progress | undefined;

    const refusal = refusalsOf(operationName, longestQueue);
    const failed = (failure: Failure, { done }: IncomingMessage) => {
      last = failedStatus(failure);
      done(failure);
    };
    const onProgress = (reached: Progress) => {
      step = reached;
      line.changed();
    };
    const queue = new MessageQueue<IncomingMessage>(
      { atOnce, longest: longestQueue },
      {
        async handle(incoming, signal) {
          try {
            last = await handleMessage(incoming, { signal, onProgress });
            incoming.done();
          } catch (error) {
            failed(failureOf(error), incoming);
          }
        },
        refuse: (incoming, why) => failed(refusal(why), incoming),
        changed: () => line.changed(),
      },
    );
    const line = statusLine(() => {
      const { underWay, waiting } = queue;
      if (underWay === 0) step = undefined;
      this.status(underWay > 0 ? callingStatus(translate, { underWay, waiting, step }) : last);
    });
    const handleMessage = handlerOf(operationName, {
      RED,
      node: this,
      config,
      connection,
      words: translate,
      ended: (operation, outcome) => logOutcome(this, operation, outcome, queue.isClosed),
    });

    this.on("input", (msg, send, done) => queue.add({ msg, send, done }));

    // A deploy does not wait: what has left goes on without its node, and is logged. When Node-RED itself stops, it waits
    // as long as it lets nodes take.
    const close = async (done: () => void) => {
      const closed = queue.close();
      line.close();
      if (isStopping()) await closed;
      done();
    };
    this.on("close", (done: () => void) => void close(done));
  };
}
