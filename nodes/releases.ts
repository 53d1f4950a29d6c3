/** The nodes round releases, as Node-RED loads them; the types are literal for tools that read them without running the file. */
import type { NodeAPI } from "node-red";
import { lazily } from "./lazily";

export = (RED: NodeAPI): void => {
  const watched = (name: "releaseAsked" | "releaseDecided") =>
    lazily(() => {
      const { watchedNode } = require("./release/watched") as typeof import("./release/watched");
      const watches = require("../core/releases/watches") as typeof import("../core/releases/watches");
      return watchedNode(RED, watches[name]);
    });
  const release = lazily(() => {
    const { releaseNode } = require("./release/release") as typeof import("./release/release");
    return releaseNode(RED);
  });
  RED.nodes.registerType("fxdesk-release-asked", watched("releaseAsked"));
  RED.nodes.registerType("fxdesk-release-decided", watched("releaseDecided"));
  RED.nodes.registerType("fxdesk-release", release, { credentials: { secret: { type: "password" } } });
};
