/** Registers the release nodes. The types are literals because flow-library tools read them without running the file. */
import type { NodeAPI } from "node-red";
import { lazyNode } from "./lazy-nodes";

export = (RED: NodeAPI): void => {
  const releaseWatch = (state: "requested" | "decided") =>
    lazyNode(() => {
      const { releaseWatchNode } =
        require("./release/release-watch-node") as typeof import("./release/release-watch-node");
      return releaseWatchNode(RED, state);
    });
  const release = lazyNode(() => {
    const { releaseNode } = require("./release/release-node") as typeof import("./release/release-node");
    return releaseNode(RED);
  });
  RED.nodes.registerType("fxdesk-release-requested", releaseWatch("requested"));
  RED.nodes.registerType("fxdesk-release-decided", releaseWatch("decided"));
  RED.nodes.registerType("fxdesk-release", release, { credentials: { secret: { type: "password" } } });
};
