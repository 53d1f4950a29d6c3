/** Replies to input messages: results, completion and errors. After a deploy, the successor of the node sends them. */
import type { Node, NodeMessage } from "node-red";
import { formatOutcomeLine } from "../../core/call/outcome-line";
import { FxdeskError } from "../../core/spec/errors";
import type { Callable } from "../../core/spec/operation";
import type { Failure } from "../shared/errors";
import type { CallOutcome } from "./output/node-call";
import type { DeployHandover } from "./redeploy";

/** Messages per output. */
type OutputMessages = NodeMessage | (NodeMessage | null)[];

/** Callbacks of Node-RED for one input message. */
export interface InputCallbacks {
  readonly send: (messages: OutputMessages) => void;
  readonly done: (error?: Error) => void;
}

/** Returns an error in the format of Catch nodes. */
const toCatchError = ({ id, type, name }: Node, { message, code, cause }: Failure) => ({
  message,
  source: { id, type, name },
  code,
  cause,
});

/** Outputs of one running node. */
export class NodeOutput {
  constructor(
    private readonly node: Node,
    /** True if errors go to a second output. */
    readonly hasErrorOutput: boolean,
  ) {}

  /** Sends a message. `callbacks` are those of the input message if this node received it. */
  send(msg: NodeMessage, callbacks?: InputCallbacks): void {
    this.#send(this.hasErrorOutput ? [msg, null] : msg, callbacks);
  }

  fail(msg: NodeMessage, failure: Failure, callbacks?: InputCallbacks): void {
    if (!this.hasErrorOutput) {
      if (callbacks) callbacks.done(failure);
      else this.node.error(failure, msg);
      return;
    }
    this.#send([null, Object.assign(msg, { error: toCatchError(this.node, failure) })], callbacks);
    callbacks?.done();
  }

  #send(messages: OutputMessages, callbacks: InputCallbacks | undefined): void {
    if (callbacks) callbacks.send(messages);
    else this.node.send(messages);
  }
}

/** Raises the level after the node was closed, because no Catch node then reports the failure. */
function logLevelOf(outcome: CallOutcome, isClosed: boolean): "log" | "warn" | "error" {
  if (!isClosed || !(outcome instanceof FxdeskError)) return "log";
  return outcome.outcome === "unknown" ? "error" : "warn";
}

/** Node that replies, from its start to its stop by a deploy. */
export interface ReplyingNode {
  readonly node: Node;
  /** Name of the operation. */
  readonly name: string;
  readonly output: NodeOutput;
  readonly handover: DeployHandover<NodeOutput>;
}

/** Reply to one input message. */
export class Reply {
  #called: { readonly operation: Callable; readonly outcome: CallOutcome } | undefined;
  #isLogged = false;

  constructor(
    private readonly from: ReplyingNode,
    readonly msg: NodeMessage,
    private readonly callbacks: InputCallbacks,
  ) {}

  /**
   * Records the outcome of the call. Logs it in one line if it commits money, or changes something after the node was closed:
   * this is the only record in Node-RED if the flow was removed meanwhile.
   */
  recordOutcome(operation: Callable, outcome: CallOutcome, isClosed: boolean): void {
    const { effect } = operation;
    this.#called = { operation, outcome };
    this.#isLogged = effect === "money" || (effect === "change" && isClosed);
    if (this.#isLogged) this.from.node[logLevelOf(outcome, isClosed)](formatOutcomeLine(operation, outcome));
  }

  /** Sends a result. */
  send(msg: NodeMessage): void {
    this.#deliver((output, callbacks) => output?.send(msg, callbacks), this.#onResultLost);
  }

  /** Completes the message. */
  complete(): void {
    this.#deliver((_output, callbacks) => callbacks?.done());
  }

  /** Passes a failure to Catch nodes or the error output, or to the log if the node was removed. */
  fail(failure: Failure): void {
    const { node, output } = this.from;
    // Catch nodes receive errors synchronously, so only the error output can lose them.
    const onLost = output.hasErrorOutput ? () => this.#warnLost(failure.message) : undefined;
    this.#deliver((current, callbacks) => {
      if (current) current.fail(this.msg, failure, callbacks);
      else if (!this.#isLogged) node.warn(failure.message);
    }, onLost);
  }

  /** The callbacks of a message belong to the node that received it, not to its successor after a deploy. */
  #deliver(
    send: (output: NodeOutput | undefined, callbacks: InputCallbacks | undefined) => void,
    onLost?: () => void,
  ): void {
    const { node, output, handover } = this.from;
    handover.deliver(
      node,
      (current) => send(current, current === output ? this.callbacks : undefined),
      onLost,
    );
  }

  readonly #onResultLost = (): void => {
    const { operation, outcome } = this.#called ?? {};
    this.#warnLost(operation && outcome ? formatOutcomeLine(operation, outcome) : `${this.from.name}:`);
  };

  /** Node-RED silently drops messages that it has not handed over when it stops the next nodes. */
  #warnLost(subject: string): void {
    this.from.node.warn(
      `${subject} The flow was stopped while this message was sent: the next nodes may not have received it.`,
    );
  }
}
