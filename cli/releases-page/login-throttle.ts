/** Slows down guessing of secrets: attempts run one at a time, and a name is locked after several failures. */

const [maxFailures, lockoutMs] = [5, 60_000] as const;
/** Upper bound, because each attempt costs 0.1 seconds and 64 MB. */
const maxQueued = 10;
/** Upper bound of remembered names; the oldest is dropped. */
const maxNames = 1_000;

/** Thrown if a name is locked or the queue is full. No secret was checked. */
export class TooManyAttempts extends Error {
  override readonly name = "TooManyAttempts";
  constructor() {
    super("Too many failed attempts. Try again in one minute; no decision was recorded.");
  }
}

interface FailedAttempts {
  readonly count: number;
  readonly at: number;
}

export class LoginThrottle {
  readonly #failures = new Map<string, FailedAttempts>();
  #queueTail: Promise<unknown> = Promise.resolve();
  #queuedCount = 0;

  /** Runs `work`, which checks the secret of a name. Errors for which `isWrong` is true count as failures. Throws TooManyAttempts. */
  async attempt<T>(name: string, work: () => Promise<T>, isWrong: (error: unknown) => boolean): Promise<T> {
    if (this.#queuedCount >= maxQueued) throw new TooManyAttempts();
    this.#queuedCount += 1;
    const attempt = this.#queueTail.then(() => this.#runAttempt(name, work, isWrong));
    this.#queueTail = attempt.catch(() => undefined);
    try {
      return await attempt;
    } finally {
      this.#queuedCount -= 1;
    }
  }

  async #runAttempt<T>(
    name: string,
    work: () => Promise<T>,
    isWrong: (error: unknown) => boolean,
  ): Promise<T> {
    const before = this.#failures.get(name);
    const isFresh = before !== undefined && Date.now() - before.at < lockoutMs;
    if (isFresh && before.count >= maxFailures) throw new TooManyAttempts();
    try {
      const result = await work();
      this.#failures.delete(name);
      return result;
    } catch (error) {
      if (isWrong(error)) this.#recordFailure(name, isFresh ? before.count + 1 : 1);
      throw error;
    }
  }

  #recordFailure(name: string, count: number): void {
    this.#failures.delete(name);
    this.#failures.set(name, { count, at: Date.now() });
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > maxNames) this.#failures.delete(oldest!);
  }
}
