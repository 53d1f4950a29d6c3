/** Retry delays and budgets. */

const maxBackoffMs = 20_000;

/** Returns an exponential delay with full jitter. Throttled calls start from a longer base. */
export function backoffMs(attempt: number, status: number | undefined): number {
  const base = status === 429 ? 1_000 : 100;
  return Math.random() * Math.min(maxBackoffMs, base * 2 ** (attempt - 1));
}

/** Parses Retry-After (seconds or a date) to milliseconds from now. Undefined if absent, or longer than a day. */
export function retryAfterMs(header: string | string[] | undefined, now: number): number | undefined {
  const value = (Array.isArray(header) ? header[0] : header)?.trim();
  if (!value) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - now;
  return ms >= 0 && ms <= 86_400_000 ? ms : undefined;
}

const maxBudget = 500;
const retryCost = (status: number | undefined) => (status === 429 ? 5 : 14);

/** Retry budget of one server. It prevents retries from tripling the load of a failing service. */
export class RetryBudget {
  #remaining = maxBudget;

  /** Deducts the cost of one retry. Returns false if the budget is too low. */
  spend(status: number | undefined): boolean {
    const cost = retryCost(status);
    if (this.#remaining < cost) return false;
    this.#remaining -= cost;
    return true;
  }

  /** Restores budget after a success. */
  refill(): void {
    if (this.#remaining < maxBudget) this.#remaining += 1;
  }
}
