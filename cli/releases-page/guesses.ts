/** Holds up who guesses at secrets: one is tried after the other, and after a few wrong ones a name has to wait. */

const [mostWrong, waitMs] = [5, 60_000] as const;
/** Each costs a tenth of a second and 64 MB: more do not queue. */
const mostWaiting = 10;
/** The oldest is forgotten, beyond that. */
const mostNames = 1_000;

/** No secret is tried now. */
export class TooManyGuesses extends Error {
  override readonly name = "TooManyGuesses";
  constructor() {
    super("Too many secrets were tried. Nothing was decided: try again in a minute.");
  }
}

interface Wrong {
  readonly count: number;
  readonly at: number;
}

export class Guesses {
  readonly #wrong = new Map<string, Wrong>();
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** Tries the secret of a name; `isWrong` says whether a failure means that it was wrong. Throws TooManyGuesses. */
  async attempt<T>(name: string, work: () => Promise<T>, isWrong: (error: unknown) => boolean): Promise<T> {
    if (this.#waiting >= mostWaiting) throw new TooManyGuesses();
    this.#waiting += 1;
    const attempt = this.#last.then(() => this.#tried(name, work, isWrong));
    this.#last = attempt.catch(() => undefined);
    try {
      return await attempt;
    } finally {
      this.#waiting -= 1;
    }
  }

  async #tried<T>(name: string, work: () => Promise<T>, isWrong: (error: unknown) => boolean): Promise<T> {
    const before = this.#wrong.get(name);
    const isFresh = before !== undefined && Date.now() - before.at < waitMs;
    if (isFresh && before.count >= mostWrong) throw new TooManyGuesses();
    try {
      const result = await work();
      this.#wrong.delete(name);
      return result;
    } catch (error) {
      if (isWrong(error)) this.#count(name, isFresh ? before.count + 1 : 1);
      throw error;
    }
  }

  #count(name: string, count: number): void {
    this.#wrong.delete(name);
    this.#wrong.set(name, { count, at: Date.now() });
    const [oldest] = this.#wrong.keys();
    if (this.#wrong.size > mostNames) this.#wrong.delete(oldest!);
  }
}
