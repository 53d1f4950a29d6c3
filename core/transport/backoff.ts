/** How long to wait before a call is sent again, and how often that may be. */

const maxBackoffMs = 20_000;

/** Full jitter: anywhere between nothing and the exponential bound. A throttled call starts from a longer base. */
export function backoffMs(attempt: number, status: number | undefined): number {
  const base = status === 429 ? 1_000 : 100;
  return Math.random() * Math.min(maxBackoffMs, base * 2 ** (attempt - 1));
}

/** Retry-After in seconds or as a date, as milliseconds from now; undefined when absent or absurd. */
export function retryAfterMs(header: string | string[] | undefined, now: number): number | undefined {
  const value = (Array.isArray(header) ? header[0] : header)?.trim();
  if (!value) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - now;
  return ms >= 0 && ms <= 86_400_000 ? ms : undefined;
}

const maxBudget = 500;
const retryCost = (status: number | undefined) => (status === 429 ? 5 : 14);

/** How much may be tried again: a service that fails everything is not asked three times as much. One for each server. */
export class RetryBudget {
  #remaining = maxBudget;

  /** Takes what one more attempt costs; false when there is not enough left. */
  spend(status: number | undefined): boolean {
    const cost = retryCost(status);
    if (this.#remaining < cost) return false;
    this.#remaining -= cost;
    return true;
  }

  /** A call succeeded. */
  refill(): void {
    if (this.#remaining < maxBudget) this.#remaining += 1;
  }
}
