/** Runtime of the operation nodes, including the node that calls any operation. */
import type { Node, NodeAPI, NodeConstructor } from "node-red";
import { ReleaseFollower } from "../shared/release-status";
import { translateStatus } from "../shared/status";
import { OperationController, type OperationDef } from "./controller";
import { Backpressure } from "./output/backpressure";
import { DeployHandover, trackShutdown } from "./redeploy";
import type { NodeOutput } from "./reply";

/**
 * Creates the constructors of operation nodes. Without a name, the form names the operation. Every failure goes to Catch
 * nodes or the error output, with the input message.
 */
export function operationNodes(RED: NodeAPI): (name?: string) => NodeConstructor<Node, OperationDef, object> {
  const isShuttingDown = trackShutdown(RED);
  const runtime = {
    RED,
    translate: translateStatus(RED),
    handover: new DeployHandover<NodeOutput>(RED),
    backpressure: new Backpressure(RED),
    releases: new ReleaseFollower(),
  };
  return (name) =>
    function OperationNode(this: Node, config: OperationDef) {
      RED.nodes.createNode(this, config);
      const controller = new OperationController(runtime, this, config, name ?? config.operation ?? "");
      this.on("input", (msg, send, done) => controller.receive(msg, { send, done }));
      // A deploy does not wait: sent calls continue and deliver through the redeployed node. A shutdown waits, up to the
      // close timeout of Node-RED.
      const close = async (isRemoved: boolean, done: () => void) => {
        const finished = controller.close({ isRemoved });
        if (isShuttingDown()) await finished;
        done();
      };
      this.on("close", (isRemoved: boolean, done: () => void) => void close(isRemoved, done));
    };
}
