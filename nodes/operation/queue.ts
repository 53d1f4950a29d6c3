/** Message queue of one node: a limited number of messages in progress, and a bounded waiting line. */
import { type ErrorCode, FxdeskError } from "../../core/spec/errors";
import { TimeSlice } from "../shared/background-work";

export interface QueueLimits {
  /** Maximum number of messages in progress. */
  readonly maxInFlight: number;
  /** Maximum number of waiting messages. */
  readonly maxWaiting: number;
}

/** Reason why a message is not handled: queue full, cancelled, or node closed. */
export type RefusalReason = "full" | "cancelled" | "closed";

const codeByReason: Readonly<Record<RefusalReason, ErrorCode>> = {
  full: "rate_limited",
  cancelled: "aborted",
  closed: "aborted",
};

function refusalMessage(reason: RefusalReason, maxQueued: number): string {
  switch (reason) {
    case "full":
      return `The queue is full: ${maxQueued} messages are waiting. Send messages more slowly, or set a longer queue in the connection.`;
    case "cancelled":
      return "The message was cancelled while it was waiting.";
    case "closed":
      return "A deploy closed the node while the message was waiting.";
  }
}

export const refusalError = (operation: string, reason: RefusalReason, maxQueued: number): FxdeskError =>
  new FxdeskError(`${operation}: ${refusalMessage(reason, maxQueued)} Nothing was sent.`, {
    operation,
    code: codeByReason[reason],
    outcome: "not-sent",
    retryable: reason === "full",
  });

/** Cancels a message. Node.js creates the signal when it is first read, so a message that is refused earlier has none. */
export type Cancellation = Pick<AbortController, "signal">;

/** Callbacks of the queue. */
export interface QueueHandlers<T> {
  /** Handles a message. Must not throw. */
  handle(item: T, cancellation: Cancellation): Promise<void>;
  /** Reports a message that is not handled. */
  refuse(item: T, reason: RefusalReason): void;
  /** Called when the number of waiting or in-progress messages changes. */
  onChanged(): void;
}

/** Message in progress. */
interface InFlightMessage<T> {
  readonly item: T;
  readonly controller: AbortController;
}

export class MessageQueue<T extends object> {
  readonly #waiting = new Set<T>();
  readonly #inFlight = new Set<InFlightMessage<T>>();
  readonly #pendingRefusals = new Map<T, RefusalReason>();
  #refusalRun: Promise<void> | undefined;
  #isClosed = false;
  #onIdle = () => {};

  constructor(
    private readonly limits: QueueLimits,
    private readonly handlers: QueueHandlers<T>,
  ) {}

  get inFlight(): number {
    return this.#inFlight.size;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Adds a message. Messages are handled in order of arrival. */
  add(item: T): void {
    if (this.#isClosed) this.#refuse(item, "closed");
    else if (this.#inFlight.size < this.limits.maxInFlight) this.#start(item);
    else if (this.#waiting.size >= this.limits.maxWaiting) this.#refuse(item, "full");
    else this.#waiting.add(item);
    this.handlers.onChanged();
  }

  /** Cancels matching messages, waiting and in progress. */
  cancel(matches: (item: T) => boolean): void {
    for (const item of this.#waiting) if (matches(item)) this.#drop(item, "cancelled");
    for (const { item, controller } of this.#inFlight) if (matches(item)) controller.abort();
    this.handlers.onChanged();
  }

  /**
   * Refuses waiting messages and aborts those in progress. Calls that commit money and were sent finish regardless. Resolves
   * when no message is left.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const item of this.#waiting) this.#drop(item, "closed");
    for (const { controller } of this.#inFlight) controller.abort();
    if (this.#inFlight.size > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    await this.#refusalRun;
  }

  #start(item: T): void {
    const message = { item, controller: new AbortController() };
    this.#inFlight.add(message);
    void this.handlers.handle(item, message.controller).then(() => this.#finish(message));
  }

  #finish(message: InFlightMessage<T>): void {
    this.#inFlight.delete(message);
    const [next] = this.#waiting;
    if (next) {
      this.#waiting.delete(next);
      this.#start(next);
    }
    this.handlers.onChanged();
    if (this.#inFlight.size === 0) this.#onIdle();
  }

  #drop(item: T, reason: RefusalReason): void {
    this.#waiting.delete(item);
    this.#refuse(item, reason);
  }

  /** Queues a refusal. Refusals are processed in time slices because reporting a burst would block the event loop. */
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
