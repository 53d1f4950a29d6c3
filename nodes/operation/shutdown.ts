/** Distinguishes a shutdown of Node-RED from a deploy. */
import type { NodeAPI } from "node-red";

interface FlowsEvent {
  readonly config: unknown;
}

/**
 * Returns a function that is true during a shutdown. A deploy replaces the configuration before it stops the flows, so the
 * configuration that stops is the started one only at a shutdown.
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
