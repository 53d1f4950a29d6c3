/** Stores the part of a response that did not fit in a result, for a limited time and under an unguessable key. */
import { randomUUID } from "node:crypto";

export const retentionMs = 15 * 60_000;

/** The retention time as it appears in results. */
export const retentionText = `${retentionMs / 60_000} minutes`;

/** Total size of all entries, in characters of JSON. */
const maxStoredLength = 32 * 1024 * 1024;

interface Entry<T> {
  readonly value: T;
  readonly size: number;
  readonly expiresAt: number;
}

/** Belongs to one client of the service. The oldest entries are evicted first. */
export class ExpiringStore<T> {
  readonly #entries = new Map<string, Entry<T>>();
  #size = 0;

  constructor(private readonly now: () => number = Date.now) {}

  /** Stores a value and returns its key; undefined if the value exceeds the total size. */
  add(value: T, size: number): string | undefined {
    if (size > maxStoredLength) return undefined;
    this.#evictUntil(maxStoredLength - size);
    const key = randomUUID();
    this.#entries.set(key, { value, size, expiresAt: this.now() + retentionMs });
    this.#size += size;
    return key;
  }

  /** Returns the value; undefined if the key is unknown or has expired. */
  get(key: string): T | undefined {
    this.#evictUntil(maxStoredLength);
    return this.#entries.get(key)?.value;
  }

  // All entries have the same lifetime, so insertion order is also expiry order.
  #evictUntil(maxLength: number): void {
    const now = this.now();
    for (const [key, { size, expiresAt }] of this.#entries) {
      if (expiresAt > now && this.#size <= maxLength) return;
      this.#entries.delete(key);
      this.#size -= size;
    }
  }
}
