/** Runtime of the operation nodes, including the node that calls any operation. */
import type { Node, NodeAPI, NodeConstructor, NodeMessage, NodeStatus } from "node-red";
import type { Callable } from "../../core/spec/operation";
import type { Progress } from "../../core/spec/procedure";
import { findConnection } from "../connection/target";
import { defaultCapacity } from "../connection/connection-node";
import { type Failure, toFailure } from "../shared/errors";
import { Backpressure } from "./output/backpressure";
import { DeployHandover } from "./redeploy";
import { createHandler, type MessageHandler, type OperationDef } from "./controller";
import { formatOutcomeLine } from "../../core/call/outcome-line";
import { type CallOutcome, logOutcome } from "./outcome-log";
import { NodeOutput, type InputCallbacks } from "./reply";
import { MessageQueue } from "./queue";
import { createRefusalFailures } from "./refusal-failures";
import {
  callingStatus,
  failedStatus,
  type StatusUpdater,
  createStatusUpdater,
  type Translate,
  createTranslator,
} from "../shared/status";

/** Input message that is not finished yet. */
interface PendingMessage {
  readonly msg: NodeMessage;
  readonly callbacks: InputCallbacks;
  callOutcome?: { readonly operation: Callable; readonly outcome: CallOutcome };
  /** True if the outcome was logged. */
  isLogged: boolean;
}

/** Objects shared by all nodes of a runtime. */
interface RuntimeContext {
  readonly RED: NodeAPI;
  readonly translate: Translate;
  readonly handover: DeployHandover<NodeOutput>;
  readonly backpressure: Backpressure;
}

/** Node instance between two deploys. */
class RunningNode {
  readonly #output: NodeOutput;
  readonly #queue: MessageQueue<PendingMessage>;
  readonly #handler: MessageHandler;
  readonly #statusUpdater: StatusUpdater;
  /** Status after the last finished message, and progress of the current call. */
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

  /** Queues a message, or cancels others if it has `msg.cancel`. */
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

  /** Cancels waiting messages and reads. Resolves when all messages are finished. */
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
    const load = { inFlight, waiting, progress: this.#progress };
    this.node.status(inFlight > 0 ? callingStatus(this.shared.translate, load) : this.#lastStatus);
  }

  async #handle(incoming: PendingMessage, signal: AbortSignal): Promise<void> {
    const { msg } = incoming;
    const onLost = () => this.#warnLost(incoming);
    const send = (each: NodeMessage) => this.#send(incoming, each, onLost);
    const recordOutcome = (operation: Callable, outcome: CallOutcome) => {
      incoming.callOutcome = { operation, outcome };
      incoming.isLogged = logOutcome(this.node, operation, outcome, this.#queue.isClosed);
    };
    try {
      this.#lastStatus = await this.#handler.handle({
        msg,
        send,
        signal,
        onProgress: this.#recordProgress,
        onOutcome: recordOutcome,
      });
      this.#complete(incoming);
    } catch (error) {
      this.#fail(incoming, toFailure(error));
    }
  }

  /** The callbacks of a message belong to the node that received it, not to its successor after a deploy. */
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

  /** Node-RED silently drops messages that it has not handed over when it stops the next nodes. */
  #warnLost({ callOutcome }: PendingMessage, failure?: Failure): void {
    const subject =
      failure?.message ??
      (callOutcome ? formatOutcomeLine(callOutcome.operation, callOutcome.outcome) : `${this.name}:`);
    this.node.warn(
      `${subject} The flow was stopped while this message was sent: the next nodes may not have received it.`,
    );
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
    // Catch nodes receive errors synchronously, so only the error output can lose them.
    const onLost = this.#output.hasErrorOutput ? () => this.#warnLost(incoming, failure) : undefined;
    this.shared.handover.deliver(this.node, deliver, onLost);
  }
}

/**
 * Creates the constructors of operation nodes. Without a name, the form names the operation. Every failure goes to Catch
 * nodes or the error output, with the input message.
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
      // A deploy does not wait: sent calls continue and deliver through the redeployed node. A shutdown waits, up to the
      // close timeout of Node-RED.
      const close = async (done: () => void) => {
        const finished = running.close();
        if (isShuttingDown()) await finished;
        done();
      };
      this.on("close", (done: () => void) => void close(done));
    };
}
