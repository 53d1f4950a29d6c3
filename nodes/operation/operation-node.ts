/** The runtime of every operation's node, and of the node that calls any operation. */
import type { Node, NodeAPI, NodeConstructor, NodeMessage, NodeStatus } from "node-red";
import type { Callable } from "../../core/declaration/operation";
import type { Progress } from "../../core/declaration/procedure";
import { findConnection } from "../connection/find-connection";
import { defaultCapacity } from "../connection/connection-node";
import { type Failure, toFailure } from "./failure";
import { Backpressure } from "./backpressure";
import { DeployHandover } from "./deploy-handover";
import { createHandler, type MessageHandler, type OperationDef } from "./message-handler";
import { formatOutcomeLine } from "../../core/client/outcome-line";
import { type CallOutcome, logOutcome } from "./outcome-log";
import { NodeOutput, type InputCallbacks } from "./node-output";
import { MessageQueue } from "./message-queue";
import { createRefusalFailures } from "./refusal-failures";
import {
  callingStatus,
  failedStatus,
  type StatusUpdater,
  createStatusUpdater,
  type Translate,
  createTranslator,
} from "./status";

/** A message that came. */
interface PendingMessage {
  readonly msg: NodeMessage;
  readonly callbacks: InputCallbacks;
  /** What became of its call. */
  callOutcome?: { readonly operation: Callable; readonly outcome: CallOutcome };
  /** Whether that is in the log. */
  isLogged: boolean;
}

/** What all nodes of a runtime share. */
interface RuntimeContext {
  readonly RED: NodeAPI;
  readonly translate: Translate;
  readonly handover: DeployHandover<NodeOutput>;
  readonly backpressure: Backpressure;
}

/** One node, from its deploy to its end. */
class RunningNode {
  readonly #output: NodeOutput;
  readonly #queue: MessageQueue<PendingMessage>;
  readonly #handler: MessageHandler;
  readonly #statusUpdater: StatusUpdater;
  /** How the last message ended, and how far a call has come. */
  #lastStatus: NodeStatus = {};
  #progress: Progress | undefined;

  constructor(
    private readonly shared: RuntimeContext,
    private readonly node: Node,
    private readonly name: string,
    config: OperationDef,
  ) {
    const { RED, translate, handover, backpressure } = shared;
    const chosen = findConnection(RED, config.connection);
    const capacity = "connection" in chosen ? chosen.connection.capacity : undefined;
    const { maxInFlight, maxQueued } = capacity ?? defaultCapacity;
    const refusalFor = createRefusalFailures(name, maxQueued);
    this.#output = new NodeOutput(node, config.outputs === 2);
    handover.register(node, this.#output);
    this.#statusUpdater = createStatusUpdater(() => this.#show());
    this.#handler = createHandler(name, { RED, node, config, chosen, translate, backpressure });
    this.#queue = new MessageQueue<PendingMessage>(
      { maxInFlight, maxWaiting: maxQueued, canReuseSignals: this.#handler.canReuseSignals },
      {
        handle: (incoming, signal) => this.#handle(incoming, signal),
        refuse: (incoming, reason) => this.#fail(incoming, refusalFor(reason)),
        onChanged: this.#statusUpdater.schedule,
      },
    );
  }

  /** Takes a message: it waits for its turn, or stops others. */
  accept(incoming: PendingMessage): void {
    try {
      const matches = this.#handler.cancelMatcherFor(incoming.msg);
      if (!matches) return this.#queue.add(incoming);
      this.#queue.cancel(({ msg }) => matches(msg));
      this.#complete(incoming);
    } catch (error) {
      this.#fail(incoming, toFailure(error));
      this.#statusUpdater.schedule();
    }
  }

  /** Ends what can be ended; returns when there is nothing left. */
  close(): Promise<void> {
    this.shared.handover.unregister(this.node);
    this.#statusUpdater.close();
    return this.#queue.close();
  }

  readonly #recordProgress = (reached: Progress): void => {
    this.#progress = reached;
    this.#statusUpdater.schedule();
  };

  #show(): void {
    const { inFlight, waiting } = this.#queue;
    if (inFlight === 0) this.#progress = undefined;
    const load = { underWay: inFlight, waiting, progress: this.#progress };
    this.node.status(inFlight > 0 ? callingStatus(this.shared.translate, load) : this.#lastStatus);
  }

  async #handle(incoming: PendingMessage, signal: AbortSignal): Promise<void> {
    const { msg } = incoming;
    const onLost = () => this.#warnLost(incoming);
    const send = (each: NodeMessage) => this.#send(incoming, each, onLost);
    const onOutcome = (operation: Callable, outcome: CallOutcome) => {
      incoming.callOutcome = { operation, outcome };
      incoming.isLogged = logOutcome(this.node, operation, outcome, this.#queue.isClosed);
    };
    try {
      this.#lastStatus = await this.#handler.handle({
        msg,
        send,
        signal,
        onProgress: this.#recordProgress,
        onOutcome,
      });
      this.#complete(incoming);
    } catch (error) {
      this.#fail(incoming, toFailure(error));
    }
  }

  /** The receipt of a message belongs to the node that it was given to, and to no successor. */
  #callbacksFor(currentOutput: NodeOutput, { callbacks }: PendingMessage): InputCallbacks | undefined {
    return currentOutput === this.#output ? callbacks : undefined;
  }

  #send(incoming: PendingMessage, msg: NodeMessage, onLost: () => void): void {
    this.shared.handover.deliver(
      this.node,
      (currentOutput) => currentOutput?.send(msg, this.#callbacksFor(currentOutput, incoming)),
      onLost,
    );
  }

  /** Node-RED drops what it has not handed over when it stops the next nodes, and says nothing. */
  #warnLost({ callOutcome }: PendingMessage, failure?: Failure): void {
    const subject =
      failure?.message ??
      (callOutcome ? formatOutcomeLine(callOutcome.operation, callOutcome.outcome) : `${this.name}:`);
    this.node.warn(`${subject} The flow was stopped as this left its node: the next nodes may not have it.`);
  }

  #complete(incoming: PendingMessage): void {
    this.shared.handover.deliver(
      this.node,
      (currentOutput) => currentOutput && this.#callbacksFor(currentOutput, incoming)?.done(),
    );
  }

  #fail(incoming: PendingMessage, failure: Failure): void {
    this.#lastStatus = failedStatus(failure);
    const deliver = (currentOutput: NodeOutput | undefined) => {
      if (currentOutput)
        currentOutput.fail(incoming.msg, failure, this.#callbacksFor(currentOutput, incoming));
      else if (!incoming.isLogged) this.node.warn(failure.message);
    };
    // Catch nodes have it at once.
    const onLost = this.#output.hasErrorOutput ? () => this.#warnLost(incoming, failure) : undefined;
    this.shared.handover.deliver(this.node, deliver, onLost);
  }
}

/**
 * The runtime of nodes of operations: called with a name, of that operation; without, of the one that the form names. Every
 * failure reaches Catch nodes, or the output for errors, with the message that came.
 */
export function operationNodes(
  RED: NodeAPI,
  isShuttingDown: () => boolean,
): (name?: string) => NodeConstructor<Node, OperationDef, object> {
  const shared: RuntimeContext = {
    RED,
    translate: createTranslator(RED),
    handover: new DeployHandover<NodeOutput>(RED),
    backpressure: new Backpressure(RED),
  };
  return (name) =>
    function OperationNode(this: Node, config: OperationDef) {
      RED.nodes.createNode(this, config);
      const running = new RunningNode(shared, this, name ?? config.operation ?? "", config);
      this.on("input", (msg, send, done) =>
        running.accept({ msg, callbacks: { send, done }, isLogged: false }),
      );
      // A deploy does not wait: what has left goes on, and comes out of the node that is there then. When Node-RED itself
      // stops, it waits as long as it lets nodes take.
      const close = async (done: () => void) => {
        const finished = running.close();
        if (isShuttingDown()) await finished;
        done();
      };
      this.on("close", (done: () => void) => void close(done));
    };
}
