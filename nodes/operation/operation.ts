/** The runtime of every operation's node, and of the node that calls any operation. */
import type { Node, NodeAPI, NodeConstructor, NodeDef, NodeMessage, NodeStatus } from "node-red";
import type { FxdeskError } from "../../core/errors";
import type { Declaration } from "../../core/operations/declaration";
import type { ConnectionNode } from "../connection/connection";
import { answer, type PageMode } from "./answers";
import { failureOf } from "./failure";
import { type InputDef, inputReader } from "./input";
import { type Ended, logOutcome } from "./outcome";
import { sourceOf, type TypedValue } from "./sources";
import { answered, calling, failed, statusLine, unusableStatus, type Words, wordsOf } from "./status";
import { type Target, targetOf } from "./target";
import { UnderWay } from "./under-way";

/** What the editor keeps of a node. */
export interface OperationDef extends NodeDef, InputDef {
  readonly connection: string;
  /** Name of the operation, where the type of the node does not say it. */
  readonly operation?: string;
  /** Time limit of a call in milliseconds; the connection's when empty. */
  readonly timeoutMs?: string;
  /** How a list that comes in pages is answered. */
  readonly pages?: PageMode;
  /** Path for a file that comes; it goes into the message when empty. */
  readonly saveTo?: TypedValue;
}

/** Where a message comes from and where its answers go. */
interface Passage {
  readonly msg: NodeMessage;
  readonly send: (msg: NodeMessage) => void;
  readonly signal: AbortSignal;
}

/** Answers a message, and how the node shows that. */
type Answerer = (passage: Passage) => Promise<NodeStatus>;

interface Making {
  readonly RED: NodeAPI;
  readonly node: Node;
  readonly config: OperationDef;
  readonly words: Words;
  readonly ended: (operation: Declaration, ended: Ended) => void;
}

function answererFor(target: Target, { RED, node, config, words, ended }: Making): Answerer {
  const { operation, client } = target;
  const host = { RED, node };
  const { pages = "all", saveTo } = config;
  const readInput = inputReader(operation, config, host);
  const readPath = saveTo?.value ? sourceOf(saveTo, host) : undefined;
  const timeoutMs = Number(config.timeoutMs) || undefined;
  const hear = (outcome: Ended) => ended(operation, outcome);
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
      ended: hear,
    };
    return answered(words, await answer(call, pages));
  };
}

/** A node that can call nothing says so at once, and why at each message. */
function prepared(name: string, making: Making): Answerer {
  const { RED, node, config, words } = making;
  const connection = RED.nodes.getNode(config.connection) as ConnectionNode | null;
  try {
    return answererFor(targetOf(name, connection), making);
  } catch (error) {
    node.status(unusableStatus(words, error as FxdeskError));
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
  const words = wordsOf(RED);
  return function OperationNode(this: Node, config: OperationDef) {
    RED.nodes.createNode(this, config);
    const calls = new UnderWay();
    const ended = (operation: Declaration, outcome: Ended) =>
      logOutcome(this, operation, outcome, calls.isClosed);
    const answerTo = prepared(name ?? config.operation ?? "", { RED, node: this, config, words, ended });
    let last: NodeStatus = {};
    const changed = statusLine(() => {
      if (!calls.isClosed) this.status(calls.count > 0 ? calling(words, calls.count) : last);
    });

    this.on("input", (msg, send, done) => {
      const call = async (signal: AbortSignal) => {
        try {
          last = await answerTo({ msg, send, signal });
          done();
        } catch (error) {
          const failure = failureOf(error);
          last = failed(failure);
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
