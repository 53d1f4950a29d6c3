/** The nodes “Release requested” and “Release decided”: one message per pending or decided release. */
import type { Node, NodeAPI, NodeConstructor, NodeDef, NodeMessage, NodeStatus } from "node-red";
import type { Watch } from "../../core/spec/watch";
import { releaseRequested, releaseDecided } from "../../core/watches/releases";
import type { ReleaseReport } from "../../core/releases/report";
import type { WatchStatus } from "../../core/api/watch-options";
import { findConnection, requireClient } from "../connection/target";
import { type ErrorReport, reportError } from "../shared/errors";
import { releaseStatus } from "../shared/release-status";
import { Status, translateStatus } from "../shared/status";
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
  const translate = translateStatus(RED);
  return function ReleaseWatchNode(this: Node, config: ReleaseWatchDef) {
    RED.nodes.createNode(this, config);
    const status = new Status(this);
    let count = 0;
    let latest: NodeStatus = { fill: "green", shape: "dot", text: translate("watching") };
    // True after a failure, and until the first read.
    let isStale = true;
    const report: ErrorReport = {
      status,
      fail: (failure) => this.error(failure, { topic: watch.name }),
    };
    const onStatus = (watchStatus: WatchStatus) => {
      if (watchStatus.state === "waiting" && isStale) status.show(latest);
      if (watchStatus.state === "failed") reportError(report, watchStatus.error);
      isStale = watchStatus.state === "failed" || (isStale && watchStatus.state !== "waiting");
    };
    const sendReleases = async (signal: AbortSignal) => {
      const client = requireClient(watch.name, findConnection(RED, config.connection));
      const options = { consumer: this.id, signal, onStatus };
      for await (const { entry, kind, repeated } of client.changes(watch, {}, options)) {
        if (entry === undefined) continue;
        const release = entry as ReleaseReport;
        if (kind === "new") count += 1;
        const { text, ...look } = releaseStatus(translate, release);
        latest = { ...look, text: `${translate(state, count)}: ${text}` };
        status.show(latest);
        this.send(toReleaseMessage(watch, release, repeated));
      }
    };
    runWithFlows(RED, this, sendReleases, report);
  };
}
