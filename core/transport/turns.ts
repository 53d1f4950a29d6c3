/** Who waits for a turn. Users go in turn, and each one's calls in the order in which they came. */
export class Turns<T> {
  /** Those who had their turn, and need another one for the same call. */
  readonly #again = new Set<T>();
  readonly #users = new Map<string, Set<T>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(waiting: T, user: string, again: boolean): void {
    this.#size += 1;
    const own = this.#users.get(user);
    if (again) this.#again.add(waiting);
    else if (own) own.add(waiting);
    else this.#users.set(user, new Set([waiting]));
  }

  remove(waiting: T, user: string): void {
    const own = this.#users.get(user);
    if (!this.#again.delete(waiting) && !own?.delete(waiting)) return;
    this.#size -= 1;
    if (own?.size === 0) this.#users.delete(user);
  }

  /** Whoever is next, who waits no longer; undefined where nobody waits. */
  take(): T | undefined {
    for (const again of this.#again) {
      this.#again.delete(again);
      this.#size -= 1;
      return again;
    }
    for (const [user, own] of this.#users) {
      const [first] = own;
      own.delete(first!);
      this.#size -= 1;
      this.#users.delete(user);
      if (own.size > 0) this.#users.set(user, own);
      return first;
    }
    return undefined;
  }

  *[Symbol.iterator](): Iterator<T> {
    yield* this.#again;
    for (const own of this.#users.values()) yield* own;
  }
}
