/** The messages of one node: those under way, as many as its connection carries, and those that wait for them. */
import { getEventListeners } from "node:events";
import { Slice } from "./time-slice";

export interface QueueLimits {
  /** Messages under way at once. */
  readonly atOnce: number;
  /** Messages that wait at most. */
  readonly longest: number;
  /**
   * Whether the signals of messages stay with code that lets go of them with its message: those serve one message after another.
   * What somebody else's code derived of one cannot be seen, and would end with a later message.
   */
  readonly areSignalsOwn?: boolean;
}

/** Why a message is not handled: too many wait, somebody stopped it, or its node has ended. */
export type Refusal = "full" | "cancelled" | "closed";

/** What is done with messages. */
export interface QueueHandlers<T> {
  /** Handles one; must not throw. The signal ends what can be ended. */
  handle(item: T, signal: AbortSignal): Promise<void>;
  /** One that is not handled. */
  refuse(item: T, why: Refusal): void;
  /** More or fewer wait, or are under way. */
  changed(): void;
}

/** Whether it can serve another message: it ended none, and nobody still listens. */
const isUnused = ({ signal }: AbortController) =>
  !signal.aborted && getEventListeners(signal, "abort").length === 0;

/** A message under way, and what ends it. */
interface Place<T> {
  readonly item: T;
  readonly abort: AbortController;
}

export class MessageQueue<T extends object> {
  readonly #waiting = new Set<T>();
  /** They are few, and no map: the tables that it grows out of hold what they held until a major collection. */
  readonly #underWay: Place<T>[] = [];
  /** One is dear to make, which shows in how many messages a node handles in a second. */
  readonly #free: AbortController[] = [];
  readonly #refused = new Map<T, Refusal>();
  #refusing: Promise<void> | undefined;
  #closed = false;
  #ended = () => {};

  constructor(
    private readonly limits: QueueLimits,
    private readonly handlers: QueueHandlers<T>,
  ) {}

  get underWay(): number {
    return this.#underWay.length;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Handles a message as soon as there is a place for it, after those that came before. */
  add(item: T): void {
    if (this.#closed) this.#refuse(item, "closed");
    else if (this.#underWay.length < this.limits.atOnce) this.#start(item);
    else if (this.#waiting.size >= this.limits.longest) this.#refuse(item, "full");
    else this.#waiting.add(item);
    this.handlers.changed();
  }

  /** Refuses those that wait and ends those under way that a check names; returns how many there were. */
  cancel(isMeant: (item: T) => boolean): number {
    const waiting = [...this.#waiting].filter(isMeant);
    const underWay = this.#underWay.filter(({ item }) => isMeant(item));
    for (const item of waiting) this.#drop(item, "cancelled");
    for (const { abort } of underWay) abort.abort();
    return waiting.length + underWay.length;
  }

  /**
   * Ends what can be ended, which is all but the calls that commit money and have left, and refuses what waits. Returns
   * when there is nothing left.
   */
  async close(): Promise<void> {
    this.#closed = true;
    for (const item of this.#waiting) this.#drop(item, "closed");
    for (const { abort } of this.#underWay) abort.abort();
    if (this.#underWay.length > 0) await new Promise<void>((resolve) => (this.#ended = resolve));
    await this.#refusing;
  }

  #start(item: T): void {
    const place = { item, abort: this.#free.pop() ?? new AbortController() };
    this.#underWay.push(place);
    void this.#run(place);
  }

  async #run(place: Place<T>): Promise<void> {
    const { item, abort } = place;
    await this.handlers.handle(item, abort.signal);
    this.#underWay.splice(this.#underWay.indexOf(place), 1);
    if (this.limits.areSignalsOwn && isUnused(abort)) this.#free.push(abort);
    for (const next of this.#waiting) {
      this.#waiting.delete(next);
      this.#start(next);
      break;
    }
    this.handlers.changed();
    if (this.#underWay.length === 0) this.#ended();
  }

  #drop(item: T, why: Refusal): void {
    this.#waiting.delete(item);
    this.#refuse(item, why);
  }

  /** To tell of one takes longer than to send one on: a burst is refused in pieces. */
  #refuse(item: T, why: Refusal): void {
    this.#refused.set(item, why);
    this.#refusing ??= this.#refuseAll().finally(() => (this.#refusing = undefined));
  }

  async #refuseAll(): Promise<void> {
    const slice = new Slice();
    await slice.next();
    for (const [item, why] of this.#refused) {
      this.#refused.delete(item);
      this.handlers.refuse(item, why);
      if (slice.isOver) await slice.next();
    }
  }
}
