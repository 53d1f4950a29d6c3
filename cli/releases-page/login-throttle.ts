/** Holds up who guesses at secrets: one is tried after the other, and after a few wrong ones a name has to wait. */

const [maxFailures, lockoutMs] = [5, 60_000] as const;
/** Each costs a tenth of a second and 64 MB: more do not queue. */
const maxQueued = 10;
/** The oldest is forgotten, beyond that. */
const maxNames = 1_000;

/** No secret is tried now. */
export class TooManyAttempts extends Error {
  override readonly name = "TooManyAttempts";
  constructor() {
    super("Too many secrets were tried. Nothing was decided: try again in a minute.");
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

  /** Tries the secret of a name; `isWrong` says whether a failure means that it was wrong. Throws TooManyGuesses. */
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
