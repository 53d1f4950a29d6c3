/** Whether Node-RED stops its flows for good, or to start others. */
import type { NodeAPI } from "node-red";

interface FlowsEvent {
  readonly config: unknown;
}

/**
 * Returns whether the flows that stop now are the last ones. A deploy stops flows after it has put the new ones in their
 * place: only at a real stop are those that stop the ones that were started.
 */
export function trackShutdown({ events }: NodeAPI): () => boolean {
  let startedConfig: unknown;
  let isShuttingDown = false;
  events.on("flows:started", ({ config }: FlowsEvent) => {
    startedConfig = config;
    isShuttingDown = false;
  });
  events.on("flows:stopping", ({ config }: FlowsEvent) => {
    isShuttingDown = config === startedConfig;
  });
  return () => isShuttingDown;
}
