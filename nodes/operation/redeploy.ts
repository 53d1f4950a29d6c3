/**
 * Deploys: delivers the results of calls in progress through the redeployed node, because Node-RED drops everything that a
 * closed node sends or reports.
 */
import type { Node, NodeAPI } from "node-red";
import { TimeSlice } from "../shared/background-work";

/** Identifies a node across deploys. Node IDs inside subflows change with each deploy; their paths do not. */
export const stablePathOf = (node: Node): string =>
  (node as Node & { readonly _path?: string })._path ?? node.id;

/** Registry of running nodes and their outputs, by stable path. */
export class DeployHandover<T> {
  readonly #runningNodes = new Map<string, { readonly node: Node; readonly output: T }>();
  /** True between the stop and the start of the flows in a deploy. Deliveries are queued meanwhile. */
  #isStopped = false;
  readonly #queued: (() => void)[] = [];
  /** Callbacks of messages sent in this turn. Node-RED passes them to the next nodes at its end, if those still run. */
  #lossCallbacks: (() => void)[] = [];

  constructor({ events }: NodeAPI) {
    events.on("flows:stopping", () => {
      this.#isStopped = true;
      for (const onLost of this.#lossCallbacks) onLost();
      this.#lossCallbacks = [];
    });
    events.on("flows:started", () => {
      this.#isStopped = false;
      void this.#deliverQueued();
    });
  }

  register(node: Node, output: T): void {
    this.#runningNodes.set(stablePathOf(node), { node, output });
  }

  unregister(node: Node): void {
    if (this.#runningNodes.get(stablePathOf(node))?.node === node)
      this.#runningNodes.delete(stablePathOf(node));
  }

  /**
   * Calls `send` with the output of a node or its successor, in order and once the flows run; with undefined if the node was
   * removed. `onLost` is called if a deploy stops the flows before the next nodes received the message.
   */
  deliver(node: Node, send: (output: T | undefined) => void, onLost?: () => void): void {
    const deliverNow = () => {
      send(this.#runningNodes.get(stablePathOf(node))?.output);
      if (onLost) this.#watchForLoss(onLost);
    };
    if (this.#isStopped || this.#queued.length > 0) this.#queued.push(deliverNow);
    else deliverNow();
  }

  #watchForLoss(onLost: () => void): void {
    const callbacks = this.#lossCallbacks;
    callbacks.push(onLost);
    // Node-RED also hands over with setImmediate, scheduled earlier: when this runs, the next nodes have the message.
    setImmediate(() => void callbacks.shift());
  }

  async #deliverQueued(): Promise<void> {
    const slice = new TimeSlice();
    while (!this.#isStopped && this.#queued.length > 0) {
      this.#queued[0]!();
      this.#queued.shift();
      if (slice.isOver) await slice.next();
    }
  }
}

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
