export type TtlMapState<T> = Map<string, { readonly value: T; readonly expiresAt: Date }>;

/** Values by key, each with the same time to live. What has outlived it is not found, and goes when another is added. */
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

  /** The keys of the values that fit, in the order in which they were added. */
  keysOf(matches: (value: T) => boolean): string[] {
    return [...this.#entries].filter(([, { value }]) => matches(value)).map(([key]) => key);
  }

  /** Time only moves forward: what was added first expires first. */
  #removeExpired(now: Date): void {
    for (const [key, { expiresAt }] of this.#entries) {
      if (expiresAt > now) return;
      this.#entries.delete(key);
    }
  }
}
