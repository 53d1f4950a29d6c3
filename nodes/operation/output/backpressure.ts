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
export class TrackedMessages {
  #expected = 0;
  #done = 0;
  #isSilent = false;
  #onAllDone = () => {};

  constructor(
    private readonly next: ReadonlySet<string>,
    /** Ends the tracking. */
    readonly end: () => void,
  ) {}

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
  readonly #sentByMessageId = new Map<string, Set<TrackedMessages>>();

  constructor(private readonly RED: NodeAPI) {}

  /** Starts tracking the messages that a node sends for an input message. Call `end` to stop. */
  track(node: Node, { _msgid = "" }: NodeMessage): TrackedMessages {
    const { wires = [] } = node as Node & { readonly wires?: readonly (readonly string[])[] };
    const sent = new TrackedMessages(new Set(wires[0]), () => {
      all.delete(sent);
      if (all.size === 0) this.#sentByMessageId.delete(_msgid);
      if (this.#sentByMessageId.size === 0) this.RED.hooks.remove("onComplete.fxdesk");
    });
    if (this.#sentByMessageId.size === 0) this.RED.hooks.add("onComplete.fxdesk", this.#onComplete);
    const all = this.#sentByMessageId.get(_msgid) ?? new Set();
    this.#sentByMessageId.set(_msgid, all.add(sent));
    return sent;
  }

  readonly #onComplete = ({ msg, node }: CompletedEvent): void => {
    for (const sent of this.#sentByMessageId.get(msg._msgid ?? "") ?? []) sent.markDone(node.id);
  };
}
