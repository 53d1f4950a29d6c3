/**
 * Whether what a node has sent has gone on: its next nodes are done with it. So a long list is read no faster than its flow
 * handles it.
 */
import { setImmediate as turn } from "node:timers/promises";
import type { Node, NodeAPI, NodeMessage } from "node-red";

/** Some nodes are done with none of them before the last one came, as Join is, or never tell. */
const silentMs = 1_000;
/** How long those may take that are done with some of them. */
const stalledMs = 30_000;

interface CompletedEvent {
  readonly msg: NodeMessage;
  readonly node: { readonly id: string };
}

/** The messages that one node sends for one message. */
class Sent {
  #expected = 0;
  #done = 0;
  #isSilent = false;
  #heard = () => {};

  constructor(private readonly next: ReadonlySet<string>) {}

  add(): void {
    this.#expected += this.next.size;
  }

  completed(id: string): void {
    if (!this.next.has(id)) return;
    this.#done += 1;
    if (this.#done >= this.#expected) this.#heard();
  }

  /** Returns when the next nodes are done with all of them, have been silent for too long, or at the signal. */
  async gone(signal: AbortSignal): Promise<void> {
    await turn();
    if (this.#isSilent || this.#done >= this.#expected || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const end = () => {
        signal.removeEventListener("abort", end);
        resolve();
      };
      this.#heard = end;
      signal.addEventListener("abort", end);
      this.#untilSilent(end);
    });
  }

  /** Looks now and then whether the next nodes still are done with some. */
  #untilSilent(silent: () => void): void {
    const before = this.#done;
    const look = (): void => {
      if (this.#done >= this.#expected) return;
      if (this.#done > before) return this.#untilSilent(silent);
      this.#isSilent = true;
      silent();
    };
    setTimeout(look, before === 0 ? silentMs : stalledMs).unref();
  }
}

/** What is sent for the messages of all nodes of a runtime, by the id of the message. */
export class GoneOn {
  readonly #sent = new Map<string, Set<Sent>>();

  constructor(private readonly RED: NodeAPI) {}

  /** Counts what a node sends for a message, until the end that it returns. */
  follow(node: Node, { _msgid = "" }: NodeMessage): { readonly sent: Sent; readonly end: () => void } {
    const { wires = [] } = node as Node & { readonly wires?: readonly (readonly string[])[] };
    const sent = new Sent(new Set(wires[0]));
    if (this.#sent.size === 0) this.RED.hooks.add("onComplete.fxdesk", this.#completed);
    const followed = this.#sent.get(_msgid) ?? new Set();
    this.#sent.set(_msgid, followed.add(sent));
    const end = () => {
      followed.delete(sent);
      if (followed.size === 0) this.#sent.delete(_msgid);
      if (this.#sent.size === 0) this.RED.hooks.remove("onComplete.fxdesk");
    };
    return { sent, end };
  }

  readonly #completed = ({ msg, node }: CompletedEvent): void => {
    for (const sent of this.#sent.get(msg._msgid ?? "") ?? []) sent.completed(node.id);
  };
}
