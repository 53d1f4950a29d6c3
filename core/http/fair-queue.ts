/** Queue that serves users round-robin, and the calls of each user in order. Retries go first. */
export class FairQueue<T> {
  /** Calls that are sent again. */
  readonly #retries = new Set<T>();
  readonly #byUser = new Map<string, Set<T>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  enqueue(waiting: T, user: string, isRetry: boolean): void {
    this.#size += 1;
    const userCalls = this.#byUser.get(user);
    if (isRetry) this.#retries.add(waiting);
    else if (userCalls) userCalls.add(waiting);
    else this.#byUser.set(user, new Set([waiting]));
  }

  remove(waiting: T, user: string): void {
    const userCalls = this.#byUser.get(user);
    if (!this.#retries.delete(waiting) && !userCalls?.delete(waiting)) return;
    this.#size -= 1;
    if (userCalls?.size === 0) this.#byUser.delete(user);
  }

  /** Removes and returns the next call, or undefined if the queue is empty. */
  dequeue(): T | undefined {
    for (const retry of this.#retries) {
      this.#retries.delete(retry);
      this.#size -= 1;
      return retry;
    }
    for (const [user, userCalls] of this.#byUser) {
      const [first] = userCalls;
      userCalls.delete(first!);
      this.#size -= 1;
      this.#byUser.delete(user);
      if (userCalls.size > 0) this.#byUser.set(user, userCalls);
      return first;
    }
    return undefined;
  }

  *[Symbol.iterator](): Iterator<T> {
    yield* this.#retries;
    for (const own of this.#byUser.values()) yield* own;
  }
}
