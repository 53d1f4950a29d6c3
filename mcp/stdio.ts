/** MCP over standard input and output. */
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Toolbox } from "./protocol";
import { serverOver } from "./server";

export interface StdioServer {
  close(): Promise<void>;
}

/** Serves a toolbox on standard input and output until the input ends. Nothing else may write to standard output. */
export const serveOnStdio = (toolbox: Toolbox): StdioServer =>
  serveStdio(() => serverOver(toolbox), { onerror: (error) => console.error(error.message) });
