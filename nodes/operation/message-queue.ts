/** The messages of one node: those under way, as many as its connection carries, and those that wait for them. */
import { getEventListeners } from "node:events";
import { TimeSlice } from "./time-slice";

export interface QueueLimits {
  /** Messages under way at once. */
  readonly maxInFlight: number;
  /** Messages that wait at most. */
  readonly maxWaiting: number;
  /**
   * Whether the signals of messages stay with code that lets go of them with its message: those serve one message after another.
   * What somebody else's code derived of one cannot be seen, and would end with a later message.
   */
  readonly canReuseSignals?: boolean;
}

/** Why a message is not handled: too many wait, somebody stopped it, or its node has ended. */
export type RefusalReason = "full" | "cancelled" | "closed";

/** What is done with messages. */
export interface QueueHandlers<T> {
  /** Handles one; must not throw. The signal ends what can be ended. */
  handle(item: T, signal: AbortSignal): Promise<void>;
  /** One that is not handled. */
  refuse(item: T, reason: RefusalReason): void;
  /** More or fewer wait, or are under way. */
  onChanged(): void;
}

/** Whether it can serve another message: it ended none, and nobody still listens. */
const isReusable = ({ signal }: AbortController) =>
  !signal.aborted && getEventListeners(signal, "abort").length === 0;

/** A message under way, and what ends it. */
interface InFlightMessage<T> {
  readonly item: T;
  readonly controller: AbortController;
}

export class MessageQueue<T extends object> {
  readonly #waiting = new Set<T>();
  /** They are few, and no map: the tables that it grows out of hold what they held until a major collection. */
  readonly #inFlight: InFlightMessage<T>[] = [];
  /** One is dear to make, which shows in how many messages a node handles in a second. */
  readonly #reusableControllers: AbortController[] = [];
  readonly #pendingRefusals = new Map<T, RefusalReason>();
  #refusalRun: Promise<void> | undefined;
  #isClosed = false;
  #onIdle = () => {};

  constructor(
    private readonly limits: QueueLimits,
    private readonly handlers: QueueHandlers<T>,
  ) {}

  get inFlight(): number {
    return this.#inFlight.length;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Handles a message as soon as there is a place for it, after those that came before. */
  add(item: T): void {
    if (this.#isClosed) this.#refuse(item, "closed");
    else if (this.#inFlight.length < this.limits.maxInFlight) this.#start(item);
    else if (this.#waiting.size >= this.limits.maxWaiting) this.#refuse(item, "full");
    else this.#waiting.add(item);
    this.handlers.onChanged();
  }

  /** Refuses those that wait and ends those under way that a check names; returns how many there were. */
  cancel(matches: (item: T) => boolean): number {
    const waiting = [...this.#waiting].filter(matches);
    const inFlight = this.#inFlight.filter(({ item }) => matches(item));
    for (const item of waiting) this.#drop(item, "cancelled");
    for (const { controller } of inFlight) controller.abort();
    return waiting.length + inFlight.length;
  }

  /**
   * Ends what can be ended, which is all but the calls that commit money and have left, and refuses what waits. Returns
   * when there is nothing left.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const item of this.#waiting) this.#drop(item, "closed");
    for (const { controller } of this.#inFlight) controller.abort();
    if (this.#inFlight.length > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    await this.#refusalRun;
  }

  #start(item: T): void {
    const message = { item, controller: this.#reusableControllers.pop() ?? new AbortController() };
    this.#inFlight.push(message);
    void this.#run(message);
  }

  async #run(message: InFlightMessage<T>): Promise<void> {
    const { item, controller } = message;
    await this.handlers.handle(item, controller.signal);
    this.#inFlight.splice(this.#inFlight.indexOf(message), 1);
    if (this.limits.canReuseSignals && isReusable(controller)) this.#reusableControllers.push(controller);
    for (const next of this.#waiting) {
      this.#waiting.delete(next);
      this.#start(next);
      break;
    }
    this.handlers.onChanged();
    if (this.#inFlight.length === 0) this.#onIdle();
  }

  #drop(item: T, reason: RefusalReason): void {
    this.#waiting.delete(item);
    this.#refuse(item, reason);
  }

  /** To tell of one takes longer than to send one on: a burst is refused in pieces. */
  #refuse(item: T, reason: RefusalReason): void {
    this.#pendingRefusals.set(item, reason);
    this.#refusalRun ??= this.#refuseAll().finally(() => (this.#refusalRun = undefined));
  }

  async #refuseAll(): Promise<void> {
    const slice = new TimeSlice();
    await slice.next();
    for (const [item, reason] of this.#pendingRefusals) {
      this.#pendingRefusals.delete(item);
      this.handlers.refuse(item, reason);
      if (slice.isOver) await slice.next();
    }
  }
}
