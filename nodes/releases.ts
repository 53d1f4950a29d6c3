/** The nodes round releases, as Node-RED loads them; the types are literal for tools that read them without running the file. */
import type { NodeAPI } from "node-red";
import { lazyNode } from "./lazy-nodes";

export = (RED: NodeAPI): void => {
  const watched = (name: "releaseAsked" | "releaseDecided") =>
    lazyNode(() => {
      const { watchedNode } =
        require("./release/release-watch-node") as typeof import("./release/release-watch-node");
      const watches =
        require("../core/releases/release-watches") as typeof import("../core/releases/release-watches");
      return watchedNode(RED, watches[name]);
    });
  const release = lazyNode(() => {
    const { releaseNode } = require("./release/release-node") as typeof import("./release/release-node");
    return releaseNode(RED);
  });
  RED.nodes.registerType("fxdesk-release-asked", watched("releaseAsked"));
  RED.nodes.registerType("fxdesk-release-decided", watched("releaseDecided"));
  RED.nodes.registerType("fxdesk-release", release, { credentials: { secret: { type: "password" } } });
};
