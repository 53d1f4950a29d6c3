/** All code that depends on the MCP SDK, bundled with it into one file. */
export { unconnected } from "./server";
export { serveOnStdio } from "./stdio";

/** Loaded on first use, because most servers run over standard input and output. */
export const overHttp = () => import("./http.js");
