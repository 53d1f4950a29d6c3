/** Keeps values for a limited time, for whoever holds their key: what was read and did not fit in a result. */
import { randomUUID } from "node:crypto";

/** How long it is kept. */
export const retentionMs = 15 * 60_000;

/** The same, as models are told. */
export const retentionText = `${retentionMs / 60_000} minutes`;

/** Characters of JSON that are kept at once, of all results together. */
const maxStoredLength = 32 * 1024 * 1024;

interface Entry<T> {
  readonly value: T;
  readonly size: number;
  readonly expiresAt: number;
}

/** Belongs to one client of the service. What has been kept longest makes room for what is new. */
export class ExpiringStore<T> {
  readonly #entries = new Map<string, Entry<T>>();
  #size = 0;

  constructor(private readonly now: () => number = Date.now) {}

  /** Keeps a value under a key that nobody can guess. Undefined when it is too large to be kept at all. */
  add(value: T, size: number): string | undefined {
    if (size > maxStoredLength) return undefined;
    this.#evictUntil(maxStoredLength - size);
    const key = randomUUID();
    this.#entries.set(key, { value, size, expiresAt: this.now() + retentionMs });
    this.#size += size;
    return key;
  }

  /** Undefined when it was never here, or too long ago. */
  get(key: string): T | undefined {
    this.#evictUntil(maxStoredLength);
    return this.#entries.get(key)?.value;
  }

  /** The entries are in the order in which they came, and so in that in which they end. */
  #evictUntil(maxLength: number): void {
    const now = this.now();
    for (const [key, { size, expiresAt }] of this.#entries) {
      if (expiresAt > now && this.#size <= maxLength) return;
      this.#entries.delete(key);
      this.#size -= size;
    }
  }
}
