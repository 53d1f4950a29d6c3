/** What a node does by itself for as long as its flows run. */
import type { Node, NodeAPI } from "node-red";

/**
 * Runs it when all flows have started. A deploy ends it by its signal, and waits until it has ended; `failed` is told of an
 * end that nobody asked for.
 */
export function runWithFlows(
  RED: NodeAPI,
  node: Node,
  run: (signal: AbortSignal) => Promise<void>,
  failed: (error: unknown) => void,
): void {
  const stop = new AbortController();
  let ended: Promise<void> = Promise.resolve();
  const begin = () => {
    ended = run(stop.signal).catch((error: unknown) => {
      if (!stop.signal.aborted) failed(error);
    });
  };
  RED.events.once("flows:started", begin);
  const close = async (done: () => void) => {
    RED.events.removeListener("flows:started", begin);
    stop.abort();
    await ended;
    done();
  };
  node.on("close", (done: () => void) => void close(done));
}
