/** Backpressure for long lists: the next page is read only after the following nodes have completed the sent messages. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Node, NodeAPI, NodeMessage } from "node-red";

/** Wait without any completion: some nodes complete nothing before the last message (Join), or never report completion. */
const silenceTimeoutMs = 1_000;
/** Wait for further completions after the first. */
const stallTimeoutMs = 30_000;

interface CompletedEvent {
  readonly msg: NodeMessage;
  readonly node: { readonly id: string };
}

/** Messages that a node sends in response to one input message. */
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

  /** Resolves when the next nodes have completed all messages, on a timeout without completions, or on abort. */
  async drained(signal: AbortSignal): Promise<void> {
    await nextTurn();
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

  /** Calls `onSilent` when a wait passes without a completion. */
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

/** Tracks sent messages of all nodes of a runtime by message ID. */
export class Backpressure {
  readonly #sentByMessageId = new Map<string, Set<SentMessages>>();

  constructor(private readonly RED: NodeAPI) {}

  /** Starts tracking the messages that a node sends for an input message. Call `end` to stop. */
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
