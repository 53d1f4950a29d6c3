/**
 * Adaptive rate of calls to one server, learned from the calls it accepts and refuses. Plain data and pure functions: one
 * process keeps the rate in memory, several keep it in their store. Times are milliseconds of one clock; `taken` counts
 * accepted calls.
 */

export interface CallRate {
  /** Time between two calls; 0 if no limit is known. */
  readonly intervalMs: number;
  /** Lower bound of `intervalMs`, from a configured limit; 0 without one. */
  readonly leastMs: number;
  /** Shortest interval that worked for a while; undefined if none did. */
  readonly provenMs?: number | undefined;
  /** Start of the current interval, and the count of accepted calls at that time. */
  readonly since: number;
  readonly takenThen: number;
  /** Time without refusals before the rate increases, and the factor of the increase. */
  readonly holdMs: number;
  readonly gain: number;
  /** Time of the last refusal, end of its pause, and the count of accepted calls at that time. */
  readonly refusedAt?: number;
  readonly quietUntil?: number;
  readonly takenBefore: number;
  /** Consecutive refusals without an accepted call in between. */
  readonly refusals: number;
}

/** Search phase: the rate grows by 25 %, then by 50 %, then doubles every second. */
const searchPhase = { holdMs: 1_500, gain: 0.25 } as const;
/** Afterwards the rate grows slightly, less often after each refusal, because limits may change. */
const [steadyGain, steadyHoldMs, laterHoldMs, maxHoldMs] = [0.05, 10_000, 20_000, 160_000];

/** Share of the measured limit that is used, to tolerate late timers. */
const safetyShare = 0.97;
/** Share of a rate that worked before and was refused now. */
const retainedShare = 0.9;
/** Lowest rate in calls per second. Anything slower is a pause. */
const minPerSecond = 0.01;

/** Pauses without Retry-After: the usual window of rate limits, or slightly longer than one interval. */
const rateWindowMs = 1_000;
const minPauseMs = 500;
const maxPauseMs = 10_000;

/** Returns an initial rate; an interval of 0 means no limit. The interval never drops below `leastMs`. */
export const createCallRate = (intervalMs: number, leastMs: number, now: number): CallRate => ({
  intervalMs,
  leastMs,
  since: now,
  takenThen: 0,
  ...searchPhase,
  takenBefore: 0,
  refusals: -1,
});

/** Returns an increased rate if calls were waiting and none was refused for long enough, otherwise the same object. */
export function increaseRate(rate: CallRate, now: number, taken: number): CallRate {
  const { intervalMs, leastMs, since, takenThen, holdMs, gain } = rate;
  const heldMs = now - since;
  if (intervalMs <= leastMs || heldMs < Math.max(holdMs, 4 * intervalMs)) return rate;
  // Demand below the rate says nothing about the limit.
  if ((taken - takenThen) * intervalMs < 0.8 * heldMs) return { ...rate, since: now, takenThen: taken };
  return {
    ...rate,
    intervalMs: Math.max(leastMs, intervalMs / (1 + gain)),
    provenMs: intervalMs,
    since: now,
    takenThen: taken,
    holdMs: Math.min(holdMs, laterHoldMs),
    gain: Math.min(1, 2 * gain),
  };
}

/** A refused call (429) and its circumstances. */
export interface Refusal {
  readonly now: number;
  /** Time when the call was admitted. */
  readonly sentAt: number;
  readonly accepted: number;
  /** Calls accepted in the last second, counted from the previous refusal at the earliest. */
  readonly acceptedLastSecond: number;
  /** Pause requested by the service. */
  readonly retryAfterMs: number | undefined;
}

/** Returns the rate and the pause after a refusal. */
export function applyRefusal(
  rate: CallRate,
  refusal: Refusal,
): { readonly rate: CallRate; readonly pauseMs: number } {
  const { now, sentAt, accepted, retryAfterMs } = refusal;
  const { intervalMs, provenMs, quietUntil = -Infinity, takenBefore } = rate;
  // Sent before the previous refusal was known, so it carries no new information.
  if (sentAt < quietUntil) return { rate, pauseMs: retryAfterMs ?? 0 };
  // Shortly after a pause, the service may still count calls made before it. A second refusal is about the rate.
  const settlingMs = provenMs !== undefined && rate.refusals <= 0 ? rateWindowMs / 2 : intervalMs / 2;
  const isClosed = accepted === takenBefore || sentAt < quietUntil + settlingMs;
  const refusals = isClosed ? rate.refusals + 1 : 0;
  const firstMs = provenMs === undefined ? rateWindowMs : Math.max(minPauseMs, 4 * intervalMs);
  const pauseMs = retryAfterMs ?? Math.min(maxPauseMs, firstMs * 2 ** refusals);
  const pausedUntil = now + pauseMs;
  const observed = {
    refusedAt: now,
    quietUntil: pausedUntil,
    takenBefore: accepted,
    refusals,
    since: pausedUntil,
    takenThen: accepted,
  };
  // A service that accepts no call at all gives no measure of its limit.
  return { rate: { ...rate, ...(isClosed ? {} : decreaseRate(rate, refusal)), ...observed }, pauseMs };
}

/** Returns the changes of a rate that was too high. */
function decreaseRate(
  { intervalMs, leastMs, provenMs, refusedAt, takenBefore, holdMs }: CallRate,
  { now, accepted, acceptedLastSecond }: Refusal,
): Partial<CallRate> {
  const previous = intervalMs > 0 ? 1_000 / intervalMs : Infinity;
  const intervalFor = (perSecond: number) =>
    Math.max(leastMs, 1_000 / Math.max(safetyShare * Math.min(previous, perSecond), minPerSecond));
  // Lower bound: the average since the last refusal, its pause included.
  const average = refusedAt === undefined ? 0 : ((accepted - takenBefore) * 1_000) / (now - refusedAt);
  if (provenMs === undefined)
    return { intervalMs: intervalFor(estimatePerSecond(average, acceptedLastSecond)), ...searchPhase };
  const slower = { gain: steadyGain, holdMs: Math.min(maxHoldMs, Math.max(steadyHoldMs, 2 * holdMs)) };
  // An increase that failed is taken back.
  if (provenMs > 1.01 * intervalMs)
    return { ...slower, intervalMs: Math.min(provenMs, intervalFor(average)) };
  const lower = intervalFor(Math.max(average, retainedShare * previous));
  return { ...slower, intervalMs: lower, provenMs: lower };
}

/** Estimates the limit. One call within a second is not significant unless it is all there is. */
const estimatePerSecond = (average: number, lastSecond: number): number =>
  average === 0 || lastSecond > 1 ? Math.max(1, (average || lastSecond) / 2 + lastSecond / 2) : average;
