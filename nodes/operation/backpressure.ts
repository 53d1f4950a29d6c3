/**
 * Whether what a node has sent has gone on: its next nodes are done with it. So a long list is read no faster than its flow
 * handles it.
 */
import { setImmediate as turn } from "node:timers/promises";
import type { Node, NodeAPI, NodeMessage } from "node-red";

/** Some nodes are done with none of them before the last one came, as Join is, or never tell. */
const silenceTimeoutMs = 1_000;
/** How long those may take that are done with some of them. */
const stallTimeoutMs = 30_000;

interface CompletedEvent {
  readonly msg: NodeMessage;
  readonly node: { readonly id: string };
}

/** The messages that one node sends for one message. */
class SentMessages {
  #expected = 0;
  #done = 0;
  #isSilent = false;
  #onAllDone = () => {};

  constructor(private readonly next: ReadonlySet<string>) {}

  add(): void {
    this.#expected += this.next.size;
  }

  markDone(id: string): void {
    if (!this.next.has(id)) return;
    this.#done += 1;
    if (this.#done >= this.#expected) this.#onAllDone();
  }

  /** Returns when the next nodes are done with all of them, have been silent for too long, or at the signal. */
  async drained(signal: AbortSignal): Promise<void> {
    await turn();
    if (this.#isSilent || this.#done >= this.#expected || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const finish = () => {
        signal.removeEventListener("abort", finish);
        resolve();
      };
      this.#onAllDone = finish;
      signal.addEventListener("abort", finish);
      this.#watchForSilence(finish);
    });
  }

  /** Looks now and then whether the next nodes still are done with some. */
  #watchForSilence(onSilent: () => void): void {
    const previousDone = this.#done;
    const check = (): void => {
      if (this.#done >= this.#expected) return;
      if (this.#done > previousDone) return this.#watchForSilence(onSilent);
      this.#isSilent = true;
      onSilent();
    };
    setTimeout(check, previousDone === 0 ? silenceTimeoutMs : stallTimeoutMs).unref();
  }
}

/** What is sent for the messages of all nodes of a runtime, by the id of the message. */
export class Backpressure {
  readonly #sentByMessageId = new Map<string, Set<SentMessages>>();

  constructor(private readonly RED: NodeAPI) {}

  /** Counts what a node sends for a message, until the end that it returns. */
  track(node: Node, { _msgid = "" }: NodeMessage): { readonly sent: SentMessages; readonly end: () => void } {
    const { wires = [] } = node as Node & { readonly wires?: readonly (readonly string[])[] };
    const sent = new SentMessages(new Set(wires[0]));
    if (this.#sentByMessageId.size === 0) this.RED.hooks.add("onComplete.fxdesk", this.#onComplete);
    const tracked = this.#sentByMessageId.get(_msgid) ?? new Set();
    this.#sentByMessageId.set(_msgid, tracked.add(sent));
    const end = () => {
      tracked.delete(sent);
      if (tracked.size === 0) this.#sentByMessageId.delete(_msgid);
      if (this.#sentByMessageId.size === 0) this.RED.hooks.remove("onComplete.fxdesk");
    };
    return { sent, end };
  }

  readonly #onComplete = ({ msg, node }: CompletedEvent): void => {
    for (const sent of this.#sentByMessageId.get(msg._msgid ?? "") ?? []) sent.markDone(node.id);
  };
}
