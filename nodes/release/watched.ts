/** The nodes “Release asked” and “Release decided”: a new message for each release that somebody must know of. */
import type { Node, NodeAPI, NodeConstructor, NodeDef, NodeMessage } from "node-red";
import type { Watch } from "../../core/declaration/watch";
import type { ReleaseReport } from "../../core/releases/report";
import type { WatchStatus } from "../../core/watches/options";
import { chosenConnection } from "../connection/chosen";
import { failureOf } from "../operation/failure";
import { failedStatus } from "../operation/status";
import { runWithFlows } from "../watch/with-flows";
import { clientOf } from "../operation/target";

export interface WatchedDef extends NodeDef {
  readonly connection: string;
}

/** Nothing of the message that asked is kept: it may have come from a browser that is long gone. */
const messageOf = ({ name }: Watch, report: ReleaseReport, repeated: boolean): NodeMessage => {
  const { release, state, correlation } = report;
  const fxdesk = { release, state, repeated, ...(correlation !== undefined && { correlation }) };
  return { topic: name, payload: report, fxdesk } as Partial<NodeMessage> as NodeMessage;
};

/** Begins when all flows have started, and ends with a deploy. */
export function watchedNode(RED: NodeAPI, watch: Watch): NodeConstructor<Node, WatchedDef, object> {
  return function WatchedNode(this: Node, config: WatchedDef) {
    RED.nodes.createNode(this, config);
    const failed = (error: unknown) => {
      const failure = failureOf(error);
      this.status(failedStatus(failure));
      this.error(failure, { topic: watch.name });
    };
    const onStatus = (status: WatchStatus) => {
      if (status.state === "failed") failed(status.error);
      if (status.state === "waiting") this.status({ fill: "green", shape: "dot" });
    };
    const tell = async (signal: AbortSignal) => {
      const client = clientOf(watch.name, chosenConnection(RED, config.connection));
      const options = { consumer: this.id, signal, onStatus };
      for await (const { entry, repeated } of client.changes(watch, {}, options))
        if (entry !== undefined) this.send(messageOf(watch, entry as ReleaseReport, repeated));
    };
    runWithFlows(RED, this, tell, failed);
  };
}
