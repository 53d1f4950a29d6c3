/** Background work of a node: while its flows run, and in slices that do not block the event loop. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Node, NodeAPI } from "node-red";
import { type ErrorReport, reportError } from "./errors";

/** Callbacks for the start of the flows. One event listener serves all nodes, because there may be many. */
const startListeners = new WeakMap<NodeAPI["events"], Set<() => void>>();

/** Calls `start` when the flows have started. Returns a function that cancels it. */
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
 * Runs a function when all flows have started. A deploy aborts its signal and waits until it has finished. Errors for
 * another reason are reported.
 */
export function runWithFlows(
  RED: NodeAPI,
  node: Node,
  run: (signal: AbortSignal) => Promise<void>,
  report: ErrorReport,
): void {
  const controller = new AbortController();
  let finished: Promise<void> = Promise.resolve();
  const start = () => {
    finished = run(controller.signal).catch((error: unknown) => {
      if (!controller.signal.aborted) reportError(report, error);
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

/** Maximum time that a slice may block the event loop. */
const sliceMs = 10;

export class TimeSlice {
  #endsAt = performance.now() + sliceMs;

  get isOver(): boolean {
    return performance.now() >= this.#endsAt;
  }

  /** Starts the next slice after one turn of the event loop. */
  async next(): Promise<void> {
    await nextTurn();
    this.#endsAt = performance.now() + sliceMs;
  }
}
