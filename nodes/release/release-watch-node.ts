/** The nodes “Release requested” and “Release decided”: one message per pending or decided release. */
import type { Node, NodeAPI, NodeConstructor, NodeDef, NodeMessage } from "node-red";
import type { Watch } from "../../core/spec/watch";
import { releaseRequested, releaseDecided } from "../../core/watches/releases";
import type { ReleaseReport } from "../../core/releases/report";
import type { WatchStatus } from "../../core/api/watch-options";
import { findConnection, requireClient } from "../connection/target";
import { type ErrorReport, reportError } from "../shared/errors";
import { Status } from "../shared/status";
import { runWithFlows } from "../shared/background-work";

export interface ReleaseWatchDef extends NodeDef {
  readonly connection: string;
}

/** Creates a new message: the requesting message is not stored, its browser connection may be closed long since. */
const toReleaseMessage = ({ name }: Watch, report: ReleaseReport, repeated: boolean): NodeMessage => {
  const { release, state, correlation } = report;
  const fxdesk = { release, state, repeated, ...(correlation !== undefined && { correlation }) };
  return { topic: name, payload: report, fxdesk } as Partial<NodeMessage> as NodeMessage;
};

/** Constructor of a release watch node. It runs from the start of all flows until the next deploy. */
export function releaseWatchNode(
  RED: NodeAPI,
  state: "requested" | "decided",
): NodeConstructor<Node, ReleaseWatchDef, object> {
  const watch = state === "requested" ? releaseRequested : releaseDecided;
  return function ReleaseWatchNode(this: Node, config: ReleaseWatchDef) {
    RED.nodes.createNode(this, config);
    const status = new Status(this);
    const report: ErrorReport = {
      status,
      fail: (failure) => this.error(failure, { topic: watch.name }),
    };
    const onStatus = (watchStatus: WatchStatus) => {
      if (watchStatus.state === "failed") reportError(report, watchStatus.error);
      if (watchStatus.state === "waiting") status.setSuccess();
    };
    const sendReleases = async (signal: AbortSignal) => {
      const client = requireClient(watch.name, findConnection(RED, config.connection));
      const options = { consumer: this.id, signal, onStatus };
      for await (const { entry, repeated } of client.changes(watch, {}, options))
        if (entry !== undefined) this.send(toReleaseMessage(watch, entry as ReleaseReport, repeated));
    };
    runWithFlows(RED, this, sendReleases, report);
  };
}
