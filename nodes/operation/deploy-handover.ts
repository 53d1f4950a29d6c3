/**
 * What is on its way when a deploy takes its node away comes out of the node that stands in its place then: what an ended
 * node sends or reports reaches nothing.
 */
import type { Node, NodeAPI } from "node-red";
import { TimeSlice } from "./time-slice";

/** Stable over deploys, in subflows too, where ids are new each time. */
const stablePathOf = (node: Node): string => (node as Node & { readonly _path?: string })._path ?? node.id;

/** Nodes by where they stand, each with what its messages come out of. */
export class DeployHandover<T> {
  readonly #runningNodes = new Map<string, { readonly node: Node; readonly outlet: T }>();
  /** Nothing is delivered while a deploy has stopped nodes and not started them again. */
  #isStopped = false;
  readonly #queued: (() => void)[] = [];
  /** What left in this turn, in order: Node-RED gives it to the next nodes at its end, if they still run then. */
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
    this.#runningNodes.set(stablePathOf(node), { node, outlet: output });
  }

  unregister(node: Node): void {
    if (this.#runningNodes.get(stablePathOf(node))?.node === node)
      this.#runningNodes.delete(stablePathOf(node));
  }

  /**
   * Tells through a node, or through its successor, in order and as soon as it may be; undefined where there is none. `lost`
   * hears that a deploy stopped the flows before the next nodes can have had it.
   */
  deliver(node: Node, send: (output: T | undefined) => void, onLost?: () => void): void {
    const deliverNow = () => {
      send(this.#runningNodes.get(stablePathOf(node))?.outlet);
      if (onLost) this.#watchForLoss(onLost);
    };
    if (this.#isStopped || this.#queued.length > 0) this.#queued.push(deliverNow);
    else deliverNow();
  }

  #watchForLoss(onLost: () => void): void {
    const callbacks = this.#lossCallbacks;
    callbacks.push(onLost);
    // Node-RED hands over by setImmediate, too, and was asked first: when this runs, the next nodes have it.
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
