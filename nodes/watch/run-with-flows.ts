/** What a node does by itself for as long as its flows run. */
import type { Node, NodeAPI } from "node-red";

/** What begins when the flows of a runtime have started: one listener for all, since there may be many. */
const startListeners = new WeakMap<NodeAPI["events"], Set<() => void>>();

/** Begins it once the flows have started, unless what is returned is called before. */
function onFlowsStarted({ events }: NodeAPI, start: () => void): () => void {
  let listeners = startListeners.get(events);
  if (!listeners) {
    const all = (listeners = new Set<() => void>());
    startListeners.set(events, all);
    events.on("flows:started", () => {
      const due = [...all];
      all.clear();
      for (const each of due) each();
    });
  }
  const all = listeners;
  all.add(start);
  return () => void all.delete(start);
}

/**
 * Runs it when all flows have started. A deploy ends it by its signal, and waits until it has ended; `failed` is told of an
 * end that nobody asked for.
 */
export function runWithFlows(
  RED: NodeAPI,
  node: Node,
  run: (signal: AbortSignal) => Promise<void>,
  onFailed: (error: unknown) => void,
): void {
  const controller = new AbortController();
  let finished: Promise<void> = Promise.resolve();
  const start = () => {
    finished = run(controller.signal).catch((error: unknown) => {
      if (!controller.signal.aborted) onFailed(error);
    });
  };
  const cancelStart = onFlowsStarted(RED, start);
  const close = async (done: () => void) => {
    cancelStart();
    controller.abort();
    await finished;
    done();
  };
  node.on("close", (done: () => void) => void close(done));
}
