/** The runtime of every operation's node, and of the node that calls any operation. */
import type { Node, NodeAPI, NodeConstructor, NodeMessage, NodeStatus } from "node-red";
import type { Callable } from "../../core/declaration/operation";
import type { Progress } from "../../core/declaration/procedure";
import { chosenConnection } from "../connection/chosen";
import { usualCapacity } from "../connection/connection";
import { type Failure, failureOf } from "./failure";
import { GoneOn } from "./next-nodes";
import { HandOver } from "./hand-over";
import { handlerOf, type MessageHandler, type OperationDef } from "./handler";
import { outcomeLine } from "../../core/client/outcome-line";
import { type CallResult, logOutcome } from "./outcome";
import { Outlet, type Receipt } from "./outlet";
import { MessageQueue } from "./queue";
import { refusalsOf } from "./refusal";
import {
  callingStatus,
  failedStatus,
  type StatusLine,
  statusLine,
  type Translate,
  translatorOf,
} from "./status";

/** A message that came. */
interface IncomingMessage {
  readonly msg: NodeMessage;
  readonly receipt: Receipt;
  /** What became of its call. */
  ended?: { readonly operation: Callable; readonly outcome: CallResult };
  /** Whether that is in the log. */
  isLogged: boolean;
}

/** What all nodes of a runtime share. */
interface Shared {
  readonly RED: NodeAPI;
  readonly translate: Translate;
  readonly handOver: HandOver<Outlet>;
  readonly goneOn: GoneOn;
}

/** One node, from its deploy to its end. */
class RunningNode {
  readonly #outlet: Outlet;
  readonly #queue: MessageQueue<IncomingMessage>;
  readonly #handler: MessageHandler;
  readonly #line: StatusLine;
  /** How the last message ended, and how far a call has come. */
  #last: NodeStatus = {};
  #step: Progress | undefined;

  constructor(
    private readonly shared: Shared,
    private readonly node: Node,
    private readonly name: string,
    config: OperationDef,
  ) {
    const { RED, translate, handOver, goneOn } = shared;
    const chosen = chosenConnection(RED, config.connection);
    const capacity = "connection" in chosen ? chosen.connection.capacity : undefined;
    const { atOnce, longestQueue } = capacity ?? usualCapacity;
    const refusal = refusalsOf(name, longestQueue);
    this.#outlet = new Outlet(node, config.outputs === 2);
    handOver.begin(node, this.#outlet);
    this.#line = statusLine(() => this.#show());
    this.#handler = handlerOf(name, { RED, node, config, chosen, translate, goneOn });
    this.#queue = new MessageQueue<IncomingMessage>(
      { atOnce, longest: longestQueue, areSignalsOwn: this.#handler.areSignalsOwn },
      {
        handle: (incoming, signal) => this.#handle(incoming, signal),
        refuse: (incoming, why) => this.#fail(incoming, refusal(why)),
        changed: this.#line.changed,
      },
    );
  }

  /** Takes a message: it waits for its turn, or stops others. */
  take(incoming: IncomingMessage): void {
    try {
      const isMeant = this.#handler.cancelledBy(incoming.msg);
      if (!isMeant) return this.#queue.add(incoming);
      this.#queue.cancel(({ msg }) => isMeant(msg));
      this.#done(incoming);
    } catch (error) {
      this.#fail(incoming, failureOf(error));
      this.#line.changed();
    }
  }

  /** Ends what can be ended; returns when there is nothing left. */
  close(): Promise<void> {
    this.shared.handOver.end(this.node);
    this.#line.close();
    return this.#queue.close();
  }

  readonly #onProgress = (reached: Progress): void => {
    this.#step = reached;
    this.#line.changed();
  };

  #show(): void {
    const { underWay, waiting } = this.#queue;
    if (underWay === 0) this.#step = undefined;
    const load = { underWay, waiting, step: this.#step };
    this.node.status(underWay > 0 ? callingStatus(this.shared.translate, load) : this.#last);
  }

  async #handle(incoming: IncomingMessage, signal: AbortSignal): Promise<void> {
    const { msg } = incoming;
    const lost = () => this.#lose(incoming);
    const send = (each: NodeMessage) => this.#send(incoming, each, lost);
    const ended = (operation: Callable, outcome: CallResult) => {
      incoming.ended = { operation, outcome };
      incoming.isLogged = logOutcome(this.node, operation, outcome, this.#queue.isClosed);
    };
    try {
      this.#last = await this.#handler.handle({ msg, send, signal, onProgress: this.#onProgress, ended });
      this.#done(incoming);
    } catch (error) {
      this.#fail(incoming, failureOf(error));
    }
  }

  /** The receipt of a message belongs to the node that it was given to, and to no successor. */
  #receiptFor(now: Outlet, { receipt }: IncomingMessage): Receipt | undefined {
    return now === this.#outlet ? receipt : undefined;
  }

  #send(incoming: IncomingMessage, msg: NodeMessage, lost: () => void): void {
    this.shared.handOver.tell(this.node, (now) => now?.send(msg, this.#receiptFor(now, incoming)), lost);
  }

  /** Node-RED drops what it has not handed over when it stops the next nodes, and says nothing. */
  #lose({ ended }: IncomingMessage, failure?: Failure): void {
    const what = failure?.message ?? (ended ? outcomeLine(ended.operation, ended.outcome) : `${this.name}:`);
    this.node.warn(`${what} The flow was stopped as this left its node: the next nodes may not have it.`);
  }

  #done(incoming: IncomingMessage): void {
    this.shared.handOver.tell(this.node, (now) => now && this.#receiptFor(now, incoming)?.done());
  }

  #fail(incoming: IncomingMessage, failure: Failure): void {
    this.#last = failedStatus(failure);
    const tell = (now: Outlet | undefined) => {
      if (now) now.fail(incoming.msg, failure, this.#receiptFor(now, incoming));
      else if (!incoming.isLogged) this.node.warn(failure.message);
    };
    // Catch nodes have it at once.
    const lost = this.#outlet.hasErrorOutput ? () => this.#lose(incoming, failure) : undefined;
    this.shared.handOver.tell(this.node, tell, lost);
  }
}

/**
 * The runtime of nodes of operations: called with a name, of that operation; without, of the one that the form names. Every
 * failure reaches Catch nodes, or the output for errors, with the message that came.
 */
export function operationNodes(
  RED: NodeAPI,
  isStopping: () => boolean,
): (name?: string) => NodeConstructor<Node, OperationDef, object> {
  const shared: Shared = {
    RED,
    translate: translatorOf(RED),
    handOver: new HandOver<Outlet>(RED),
    goneOn: new GoneOn(RED),
  };
  return (name) =>
    function OperationNode(this: Node, config: OperationDef) {
      RED.nodes.createNode(this, config);
      const running = new RunningNode(shared, this, name ?? config.operation ?? "", config);
      this.on("input", (msg, send, done) => running.take({ msg, receipt: { send, done }, isLogged: false }));
      // A deploy does not wait: what has left goes on, and comes out of the node that is there then. When Node-RED itself
      // stops, it waits as long as it lets nodes take.
      const close = async (closed: () => void) => {
        const ended = running.close();
        if (isStopping()) await ended;
        closed();
      };
      this.on("close", (closed: () => void) => void close(closed));
    };
}
