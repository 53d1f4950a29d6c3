/** All that is written against the MCP SDK: shipped as one file with the SDK in it. */
export { unconnected } from "./server";
export { serveOnStdio } from "./stdio";

/** Loaded when it is first needed: most servers listen to their host only. */
export const overHttp = () => import("./http.js");
