/** Where what becomes of a message goes: out of its node, or to Catch nodes. */
import type { Node, NodeMessage } from "node-red";
import type { Failure } from "./failure";

/** The messages of each output. */
type Sent = NodeMessage | (NodeMessage | null)[];

/** How Node-RED hears of one message that it gave to a node. */
export interface Receipt {
  readonly send: (sent: Sent) => void;
  readonly done: (error?: Error) => void;
}

/** An error as Catch nodes tell it. */
const errorOf = ({ id, type, name }: Node, { message, code, cause }: Failure) => ({
  message,
  source: { id, type, name },
  code,
  cause,
});

/** The outputs of one node. */
export class Outlet {
  constructor(
    private readonly node: Node,
    /** Whether errors have an output of their own. */
    readonly hasErrorOutput: boolean,
  ) {}

  /** `receipt` is that of the message, where this node was given it. */
  send(msg: NodeMessage, receipt?: Receipt): void {
    this.#send(this.hasErrorOutput ? [msg, null] : msg, receipt);
  }

  fail(msg: NodeMessage, failure: Failure, receipt?: Receipt): void {
    if (!this.hasErrorOutput) {
      if (receipt) receipt.done(failure);
      else this.node.error(failure, msg);
      return;
    }
    this.#send([null, Object.assign(msg, { error: errorOf(this.node, failure) })], receipt);
    receipt?.done();
  }

  #send(sent: Sent, receipt: Receipt | undefined): void {
    if (receipt) receipt.send(sent);
    else this.node.send(sent);
  }
}
