export type TtlMapState<T> = Map<string, { readonly value: T; readonly expiresAt: Date }>;

/**
 * A map whose values share one time to live. Expired values are not returned, and are removed when another is added.
 */
export class TtlMap<T> {
  readonly #entries: TtlMapState<T>;

  constructor(
    private readonly seconds: number,
    state: TtlMapState<T> = new Map(),
  ) {
    this.#entries = state;
  }

  get state(): TtlMapState<T> {
    return this.#entries;
  }

  set(key: string, value: T, now: Date): void {
    this.#removeExpired(now);
    this.#entries.set(key, { value, expiresAt: new Date(now.getTime() + this.seconds * 1_000) });
  }

  get(key: string, now: Date): T | undefined {
    const entry = this.#entries.get(key);
    return entry && entry.expiresAt > now ? entry.value : undefined;
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  /** Returns the keys of matching values in insertion order. */
  keysOf(matches: (value: T) => boolean): string[] {
    return [...this.#entries].filter(([, { value }]) => matches(value)).map(([key]) => key);
  }

  /** Time only moves forward, so that entries expire in insertion order. */
  #removeExpired(now: Date): void {
    for (const [key, { expiresAt }] of this.#entries) {
      if (expiresAt > now) return;
      this.#entries.delete(key);
    }
  }
}
