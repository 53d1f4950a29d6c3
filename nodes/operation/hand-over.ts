/**
 * What is on its way when a deploy takes its node away comes out of the node that stands in its place then: what an ended
 * node sends or reports reaches nothing.
 */
import type { Node, NodeAPI } from "node-red";
import { Slice } from "./time-slice";

/** Stable over deploys, in subflows too, where ids are new each time. */
const pathOf = (node: Node): string => (node as Node & { readonly _path?: string })._path ?? node.id;

/** Nodes by where they stand, each with what its messages come out of. */
export class HandOver<T> {
  readonly #living = new Map<string, { readonly node: Node; readonly outlet: T }>();
  /** Nothing is delivered while a deploy has stopped nodes and not started them again. */
  #isStopped = false;
  readonly #held: (() => void)[] = [];
  /** What left in this turn, in order: Node-RED gives it to the next nodes at its end, if they still run then. */
  #leaving: (() => void)[] = [];

  constructor({ events }: NodeAPI) {
    events.on("flows:stopping", () => {
      this.#isStopped = true;
      for (const lost of this.#leaving) lost();
      this.#leaving = [];
    });
    events.on("flows:started", () => {
      this.#isStopped = false;
      void this.#tellHeld();
    });
  }

  begin(node: Node, outlet: T): void {
    this.#living.set(pathOf(node), { node, outlet });
  }

  end(node: Node): void {
    if (this.#living.get(pathOf(node))?.node === node) this.#living.delete(pathOf(node));
  }

  /**
   * Tells through a node, or through its successor, in order and as soon as it may be; undefined where there is none. `lost`
   * hears that a deploy stopped the flows before the next nodes can have had it.
   */
  tell(node: Node, through: (outlet: T | undefined) => void, lost?: () => void): void {
    const now = () => {
      through(this.#living.get(pathOf(node))?.outlet);
      if (lost) this.#leave(lost);
    };
    if (this.#isStopped || this.#held.length > 0) this.#held.push(now);
    else now();
  }

  #leave(lost: () => void): void {
    const leaving = this.#leaving;
    leaving.push(lost);
    // Node-RED hands over by setImmediate, too, and was asked first: when this runs, the next nodes have it.
    setImmediate(() => void leaving.shift());
  }

  async #tellHeld(): Promise<void> {
    const slice = new Slice();
    while (!this.#isStopped && this.#held.length > 0) {
      this.#held[0]!();
      this.#held.shift();
      if (slice.isOver) await slice.next();
    }
  }
}
