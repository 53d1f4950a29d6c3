/** The runtime of every operation's node, and of the node that calls any operation. */
import type { Node, NodeAPI, NodeConstructor, NodeMessage, NodeStatus } from "node-red";
import type { Progress } from "../../core/declaration/procedure";
import { type ConnectionNode, usualCapacity } from "../connection/connection";
import { type Failure, failureOf } from "./failure";
import { GoneOn } from "./gone-on";
import { HandOver } from "./hand-over";
import { handlerOf, type OperationDef } from "./handler";
import { logOutcome } from "./outcome";
import { Outlet, type Receipt } from "./outlet";
import { MessageQueue } from "./queue";
import { refusalsOf } from "./refusal";
import { callingStatus, failedStatus, statusLine, translatorOf } from "./status";

/** A message that came. */
interface IncomingMessage {
  readonly msg: NodeMessage;
  readonly receipt: Receipt;
  /** Whether what became of its call is in the log. */
  isLogged: boolean;
}

/**
 * The runtime of nodes of operations: called with a name, of that operation; without, of the one that the form names. Every
 * failure reaches Catch nodes, or the output for errors, with the message that came.
 */
export function operationNodes(
  RED: NodeAPI,
  isStopping: () => boolean,
): (name?: string) => NodeConstructor<Node, OperationDef, object> {
  const translate = translatorOf(RED);
  const handOver = new HandOver<Outlet>(RED);
  const goneOn = new GoneOn(RED);
  return (name) =>
    function OperationNode(this: Node, config: OperationDef) {
      RED.nodes.createNode(this, config);
      const operationName = name ?? config.operation ?? "";
      const connection = RED.nodes.getNode(config.connection) as ConnectionNode | null;
      const { atOnce, longestQueue } = connection?.capacity ?? usualCapacity;
      const outlet = new Outlet(this, config.outputs === 2);
      handOver.begin(this, outlet);
      let last: NodeStatus = {};
      let step: Progress | undefined;

      const receiptFor = (now: Outlet, { receipt }: IncomingMessage) =>
        now === outlet ? receipt : undefined;
      const send = (incoming: IncomingMessage, msg: NodeMessage) =>
        handOver.tell(this, (now) => now?.send(msg, receiptFor(now, incoming)));
      const done = ({ receipt }: IncomingMessage) =>
        handOver.tell(this, (now) => {
          if (now === outlet) receipt.done();
        });
      const fail = (incoming: IncomingMessage, failure: Failure) => {
        last = failedStatus(failure);
        handOver.tell(this, (now) => {
          if (now) now.fail(incoming.msg, failure, receiptFor(now, incoming));
          else if (!incoming.isLogged) this.warn(failure.message);
        });
      };

      const refusal = refusalsOf(operationName, longestQueue);
      const queue = new MessageQueue<IncomingMessage>(
        { atOnce, longest: longestQueue },
        {
          handle: async (incoming, signal) => {
            try {
              last = await handler.handle({
                msg: incoming.msg,
                send: (msg) => send(incoming, msg),
                signal,
                onProgress(reached) {
                  step = reached;
                  line.changed();
                },
                ended: (operation, outcome) => {
                  incoming.isLogged = logOutcome(this, operation, outcome, queue.isClosed);
                },
              });
              done(incoming);
            } catch (error) {
              fail(incoming, failureOf(error));
            }
          },
          refuse: (incoming, why) => fail(incoming, refusal(why)),
          changed: () => line.changed(),
        },
      );
      const line = statusLine(() => {
        const { underWay, waiting } = queue;
        if (underWay === 0) step = undefined;
        this.status(underWay > 0 ? callingStatus(translate, { underWay, waiting, step }) : last);
      });
      const handler = handlerOf(operationName, { RED, node: this, config, connection, translate, goneOn });

      const take = (incoming: IncomingMessage) => {
        const isMeant = handler.cancelledBy(incoming.msg);
        if (!isMeant) return queue.add(incoming);
        queue.cancel(({ msg }) => isMeant(msg));
        done(incoming);
      };
      this.on("input", (msg, sendOne, doneWith) => {
        const incoming = { msg, receipt: { send: sendOne, done: doneWith }, isLogged: false };
        try {
          take(incoming);
        } catch (error) {
          fail(incoming, failureOf(error));
          line.changed();
        }
      });

      // A deploy does not wait: what has left goes on, and comes out of the node that is there then. When Node-RED itself
      // stops, it waits as long as it lets nodes take.
      const close = async (closed: () => void) => {
        handOver.end(this);
        const ended = queue.close();
        line.close();
        if (isStopping()) await ended;
        closed();
      };
      this.on("close", (closed: () => void) => void close(closed));
    };
}
