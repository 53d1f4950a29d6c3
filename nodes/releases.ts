/** The nodes round releases, as Node-RED loads them; the types are literal for tools that read them without running the file. */
import type { NodeAPI } from "node-red";
import { releaseAsked, releaseDecided } from "../core/releases/watches";
import { releaseNode } from "./release/release";
import { watchedNode } from "./release/watched";

export = (RED: NodeAPI): void => {
  RED.nodes.registerType("fxdesk-release-asked", watchedNode(RED, releaseAsked));
  RED.nodes.registerType("fxdesk-release-decided", watchedNode(RED, releaseDecided));
  RED.nodes.registerType("fxdesk-release", releaseNode(RED), {
    credentials: { secret: { type: "password" } },
  });
};
