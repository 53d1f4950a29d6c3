/** The nodes “Release asked” and “Release decided”: a new message for each release that somebody must know of. */
import type { Node, NodeAPI, NodeConstructor, NodeDef, NodeMessage } from "node-red";
import type { Watch } from "../../core/declaration/watch";
import type { ReleaseReport } from "../../core/releases/report";
import type { WatchStatus } from "../../core/watches/options";
import { findConnection } from "../connection/find-connection";
import { toFailure } from "../operation/failure";
import { failedStatus } from "../operation/status";
import { runWithFlows } from "../watch/run-with-flows";
import { requireClient } from "../operation/target";

export interface ReleaseWatchDef extends NodeDef {
  readonly connection: string;
}

/** Nothing of the message that asked is kept: it may have come from a browser that is long gone. */
const toReleaseMessage = ({ name }: Watch, report: ReleaseReport, repeated: boolean): NodeMessage => {
  const { release, state, correlation } = report;
  const fxdesk = { release, state, repeated, ...(correlation !== undefined && { correlation }) };
  return { topic: name, payload: report, fxdesk } as Partial<NodeMessage> as NodeMessage;
};

/** Begins when all flows have started, and ends with a deploy. */
export function watchedNode(RED: NodeAPI, watch: Watch): NodeConstructor<Node, ReleaseWatchDef, object> {
  return function WatchedNode(this: Node, config: ReleaseWatchDef) {
    RED.nodes.createNode(this, config);
    const onFailed = (error: unknown) => {
      const failure = toFailure(error);
      this.status(failedStatus(failure));
      this.error(failure, { topic: watch.name });
    };
    const onStatus = (status: WatchStatus) => {
      if (status.state === "failed") onFailed(status.error);
      if (status.state === "waiting") this.status({ fill: "green", shape: "dot" });
    };
    const sendReleases = async (signal: AbortSignal) => {
      const client = requireClient(watch.name, findConnection(RED, config.connection));
      const options = { consumer: this.id, signal, onStatus };
      for await (const { entry, repeated } of client.changes(watch, {}, options))
        if (entry !== undefined) this.send(toReleaseMessage(watch, entry as ReleaseReport, repeated));
    };
    runWithFlows(RED, this, sendReleases, onFailed);
  };
}
