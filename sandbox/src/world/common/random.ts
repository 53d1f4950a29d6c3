/** Pseudo-random numbers: the same seed gives the same world. */
import { createHash } from "node:crypto";

export class Random {
  #state: number;

  /** `state` resumes an earlier sequence. */
  constructor(
    private readonly seed: string,
    state?: number,
  ) {
    this.#state = state ?? createHash("sha256").update(seed).digest().readUInt32LE(0);
  }

  get state(): number {
    return this.#state;
  }

  /** Returns an independent stream, so that one part of the world does not shift the numbers of another. */
  fork(name: string, state?: number): Random {
    return new Random(`${this.seed}/${name}`, state);
  }

  /** Returns the next 32 bits (mulberry32). */
  #word(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  next(): number {
    return this.#word() / 2 ** 32;
  }

  /** Returns an integer between two bounds, both inclusive. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  pick<T>(choices: readonly [T, ...T[]] | readonly T[]): T {
    return choices[this.integer(0, choices.length - 1)]!;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  digits(length: number): string {
    return Array.from({ length }, () => this.integer(0, 9)).join("");
  }

  hex(length: number): string {
    let text = "";
    while (text.length < length) text += this.#word().toString(16).padStart(8, "0");
    return text.slice(0, length);
  }

  /** Returns a version 4 UUID. */
  uuid(): string {
    const digits = this.hex(32);
    const variant = "89ab".charAt(Number.parseInt(digits.charAt(16), 16) % 4);
    const [first, second] = [digits.slice(0, 8), digits.slice(8, 12)];
    return `${first}-${second}-4${digits.slice(13, 16)}-${variant}${digits.slice(17, 20)}-${digits.slice(20)}`;
  }
}
