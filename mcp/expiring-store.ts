/** Keeps values for a limited time, for whoever holds their key: what was read and did not fit in a result. */
import { randomUUID } from "node:crypto";

/** How long it is kept. */
export const keptMs = 15 * 60_000;

/** The same, as models are told. */
export const keptFor = `${keptMs / 60_000} minutes`;

/** Characters of JSON that are kept at once, of all results together. */
const mostKept = 32 * 1024 * 1024;

interface Entry<T> {
  readonly value: T;
  readonly size: number;
  readonly until: number;
}

/** Belongs to one client of the service. What has been kept longest makes room for what is new. */
export class ExpiringStore<T> {
  readonly #entries = new Map<string, Entry<T>>();
  #size = 0;

  constructor(private readonly now: () => number = Date.now) {}

  /** Keeps a value under a key that nobody can guess. Undefined when it is too large to be kept at all. */
  keep(value: T, size: number): string | undefined {
    if (size > mostKept) return undefined;
    this.#forgetUntil(mostKept - size);
    const key = randomUUID();
    this.#entries.set(key, { value, size, until: this.now() + keptMs });
    this.#size += size;
    return key;
  }

  /** Undefined when it was never here, or too long ago. */
  get(key: string): T | undefined {
    this.#forgetUntil(mostKept);
    return this.#entries.get(key)?.value;
  }

  /** The entries are in the order in which they came, and so in that in which they end. */
  #forgetUntil(most: number): void {
    const now = this.now();
    for (const [key, { size, until }] of this.#entries) {
      if (until > now && this.#size <= most) return;
      this.#entries.delete(key);
      this.#size -= size;
    }
  }
}
