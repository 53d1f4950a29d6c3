/** All that is written against the MCP SDK: shipped as one file with the SDK in it. */
export { serveOverHttp } from "./http";
export { unconnected } from "./server";
export { serveOnStdio } from "./stdio";
