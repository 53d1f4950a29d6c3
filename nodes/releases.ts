/** Registers the release nodes. The types are literals because flow-library tools read them without running the file. */
import type { NodeAPI } from "node-red";
import { lazyNode } from "./lazy-nodes";

export = (RED: NodeAPI): void => {
  const releaseWatch = (name: "releaseAsked" | "releaseDecided") =>
    lazyNode(() => {
      const { releaseWatchNode } =
        require("./release/release-watch-node") as typeof import("./release/release-watch-node");
      const watches = require("../core/watches/releases") as typeof import("../core/watches/releases");
      return releaseWatchNode(RED, watches[name]);
    });
  const release = lazyNode(() => {
    const { releaseNode } = require("./release/release-node") as typeof import("./release/release-node");
    return releaseNode(RED);
  });
  RED.nodes.registerType("fxdesk-release-asked", releaseWatch("releaseAsked"));
  RED.nodes.registerType("fxdesk-release-decided", releaseWatch("releaseDecided"));
  RED.nodes.registerType("fxdesk-release", release, { credentials: { secret: { type: "password" } } });
};
