/** What a node does by itself for as long as its flows run. */
import type { Node, NodeAPI } from "node-red";

/** What begins when the flows of a runtime have started: one listener for all, since there may be many. */
const waiting = new WeakMap<NodeAPI["events"], Set<() => void>>();

/** Begins it once the flows have started, unless what is returned is called before. */
function whenStarted({ events }: NodeAPI, begin: () => void): () => void {
  let begins = waiting.get(events);
  if (!begins) {
    const all = (begins = new Set<() => void>());
    waiting.set(events, all);
    events.on("flows:started", () => {
      const started = [...all];
      all.clear();
      for (const each of started) each();
    });
  }
  const all = begins;
  all.add(begin);
  return () => void all.delete(begin);
}

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
  const forget = whenStarted(RED, begin);
  const close = async (done: () => void) => {
    forget();
    stop.abort();
    await ended;
    done();
  };
  node.on("close", (done: () => void) => void close(done));
}
