/** Registers the release nodes. The types are literals because flow-library tools read them without running the file. */
import type { NodeAPI } from "node-red";
import { lazyNode } from "./lazy-nodes";

export = (RED: NodeAPI): void => {
  const releaseWatch = (isDecided: boolean) =>
    lazyNode(() => {
      const { releaseWatchNode } =
        require("./release/release-watch-node") as typeof import("./release/release-watch-node");
      const { releaseAsked, releaseDecided } =
        require("../core/watches/releases") as typeof import("../core/watches/releases");
      return releaseWatchNode(RED, isDecided ? releaseDecided : releaseAsked);
    });
  const release = lazyNode(() => {
    const { releaseNode } = require("./release/release-node") as typeof import("./release/release-node");
    return releaseNode(RED);
  });
  RED.nodes.registerType("fxdesk-release-asked", releaseWatch(false));
  RED.nodes.registerType("fxdesk-release-decided", releaseWatch(true));
  RED.nodes.registerType("fxdesk-release", release, { credentials: { secret: { type: "password" } } });
};
