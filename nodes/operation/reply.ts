/** Outputs of a node: results, errors and Catch nodes. */
import type { Node, NodeMessage } from "node-red";
import type { Failure } from "../shared/errors";

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

/** The outputs of one node. */
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
