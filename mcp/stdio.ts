/** MCP over standard input and output. */
import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { Serving, Toolbox } from "./protocol";
import { serverOver } from "./server";

export interface StdioServer extends Serving {
  /** Resolves when nobody is there any more: the input has ended or the output is closed. The server closes itself. */
  readonly left: Promise<void>;
}

/** Resolves when the input has ended or the output is closed. Neither's error ends the process. */
function untilLeft({ stdin, stdout }: NodeJS.Process): Promise<void> {
  return new Promise((resolve) => {
    for (const end of ["end", "close", "error"]) stdin.on(end, () => resolve());
    stdout.on("error", () => resolve());
  });
}

/**
 * Serves a toolbox on standard input and output. Nothing else may write to standard output. When its input ends the SDK
 * drops all calls: it is given an input that ends after them.
 */
export function serveOnStdio(toolbox: Toolbox): StdioServer {
  const { stdin, stdout } = process;
  const input = new PassThrough();
  const server = serveStdio(() => serverOver(toolbox), {
    transport: new StdioServerTransport(input, stdout),
    onerror: (error) => console.error(error.message),
  });

  async function finish(): Promise<void> {
    stdin.unpipe(input).pause();
    await toolbox.close();
    // The results of the last calls are on their way through the SDK, which drops them when it is closed.
    await setImmediate();
    await server.close();
  }

  let closing: Promise<void> | undefined;
  const close = () => (closing ??= finish());
  const left = untilLeft(process);
  void left.then(close);
  stdin.pipe(input, { end: false });
  return { left, close, unfinished: () => toolbox.unfinished() };
}
