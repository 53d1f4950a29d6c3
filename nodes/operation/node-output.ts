/** Where what becomes of a message goes: out of its node, or to Catch nodes. */
import type { Node, NodeMessage } from "node-red";
import type { Failure } from "./failure";

/** The messages of each output. */
type OutputMessages = NodeMessage | (NodeMessage | null)[];

/** How Node-RED hears of one message that it gave to a node. */
export interface InputCallbacks {
  readonly send: (messages: OutputMessages) => void;
  readonly done: (error?: Error) => void;
}

/** An error as Catch nodes tell it. */
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
    /** Whether errors have an output of their own. */
    readonly hasErrorOutput: boolean,
  ) {}

  /** `receipt` is that of the message, where this node was given it. */
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
