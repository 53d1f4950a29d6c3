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
  /** True if a call at the proven interval was refused since. */
  readonly slipped: boolean;
  /** Start of the current interval, and the count of accepted calls at that time. */
  readonly since: number;
  readonly takenThen: number;
  /** Time without refusals before the rate increases, and the factor of the increase. */
  readonly holdMs: number;
  readonly gain: number;
  /** Calls accepted in the second before the refusal that measured the limit, while calls were still in flight. */
  readonly counted?: number | undefined;
  /** Time of the last refusal, end of its pause, and the count of accepted calls at that time. */
  readonly refusedAt?: number;
  readonly quietUntil?: number;
  readonly takenBefore: number;
  /** Consecutive refusals without an accepted call in between. */
  readonly refusals: number;
}

/** Search phase: the rate grows by 25 %, then by 50 %, then doubles every second. */
const searchPhase = { holdMs: 1_500, gain: 0.25 } as const;
/** Steady phase: the rate grows slightly, less often after each refusal, because limits may change. */
const steadyPhase = { holdMs: 10_000, gain: 0.05 } as const;
const [laterHoldMs, maxHoldMs] = [20_000, 160_000];

/** Share of the measured limit that is used, to tolerate late timers. */
const safetyShare = 0.97;
/** Lower bound of a decreased rate, as a share of the previous rate. */
const minRetainedShare = 0.85;
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
  slipped: false,
  since: now,
  takenThen: 0,
  ...searchPhase,
  takenBefore: 0,
  refusals: -1,
});

const isSearching = ({ holdMs }: CallRate): boolean => holdMs === searchPhase.holdMs;

/** Returns an increased rate if calls were waiting and none was refused for long enough, otherwise the same object. */
export function increaseRate(rate: CallRate, now: number, taken: number): CallRate {
  const { intervalMs, leastMs, since, takenThen, holdMs, gain, counted } = rate;
  const heldMs = now - since;
  if (counted !== undefined && heldMs >= 0) return applyMeasurement(rate, counted, taken);
  if (intervalMs <= leastMs || heldMs < Math.max(holdMs, 4 * intervalMs)) return rate;
  // Demand below the rate says nothing about the limit.
  if ((taken - takenThen) * intervalMs < 0.8 * heldMs) return { ...rate, since: now, takenThen: taken };
  return {
    ...rate,
    intervalMs: Math.max(leastMs, intervalMs / (1 + gain)),
    provenMs: intervalMs,
    slipped: false,
    since: now,
    takenThen: taken,
    holdMs: Math.min(holdMs, laterHoldMs),
    gain: Math.min(1, 2 * gain),
  };
}

/** Adjusts the rate after the pause, when all calls in flight at the measurement have returned. */
function applyMeasurement(rate: CallRate, counted: number, taken: number): CallRate {
  const all = counted + taken - rate.takenBefore;
  const intervalMs = Math.max(rate.leastMs, Math.min(rate.intervalMs, 1_000 / (safetyShare * all)));
  return { ...rate, intervalMs, counted: undefined, takenBefore: taken, takenThen: taken };
}

/** A refused call (429) and its circumstances. */
export interface Refusal {
  readonly now: number;
  /** Time when the call was admitted. */
  readonly sentAt: number;
  readonly accepted: number;
  /** Calls accepted in the last second, counted from the previous refusal at the earliest. */
  readonly acceptedLastSecond: number;
  /** True if calls were admitted at the current rate for that whole second. */
  readonly isFullSecond: boolean;
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

function decreaseRate(
  rate: CallRate,
  { now, accepted, acceptedLastSecond, isFullSecond }: Refusal,
): Partial<CallRate> {
  const { intervalMs, leastMs, provenMs, slipped, refusedAt, takenBefore } = rate;
  const previousPerSecond = intervalMs > 0 ? 1_000 / intervalMs : Infinity;
  // Significantly fewer calls than the rate allows are a measurement, unless demand was low; a few may be in flight.
  const maxPerSecond =
    isFullSecond && acceptedLastSecond > previousPerSecond / 2 && acceptedLastSecond < 0.8 * previousPerSecond
      ? acceptedLastSecond
      : Infinity;
  const intervalFor = (perSecond: number) =>
    Math.max(
      leastMs,
      1_000 / Math.max(safetyShare * Math.min(previousPerSecond, perSecond, maxPerSecond), minPerSecond),
    );
  // Lower bound: the average since the last refusal, its pause included.
  const average = refusedAt === undefined ? 0 : ((accepted - takenBefore) * 1_000) / (now - refusedAt);
  if (provenMs === undefined)
    return {
      intervalMs: intervalFor(estimatePerSecond(average, acceptedLastSecond)),
      counted: acceptedLastSecond,
      ...searchPhase,
    };
  if (provenMs > 1.01 * intervalMs)
    return {
      intervalMs: Math.min(Math.max(provenMs, intervalFor(maxPerSecond)), intervalFor(average)),
      ...holdAfterRefusal(rate),
    };
  // A first refusal, or a burst above the rate, was a late timer. Otherwise the service had spare capacity for a while.
  if (!slipped || acceptedLastSecond > 1.03 * previousPerSecond)
    return {
      intervalMs: intervalFor(previousPerSecond),
      provenMs: intervalFor(previousPerSecond),
      slipped: true,
    };
  const lower = intervalFor(Math.max(average, minRetainedShare * previousPerSecond));
  return { intervalMs: lower, provenMs: lower, ...steadyPhase };
}

/** Estimates the limit. One call within a second is not significant unless it is all there is. */
const estimatePerSecond = (average: number, lastSecond: number): number =>
  average === 0 || lastSecond > 1 ? Math.max(1, average, lastSecond) : average;

/** Returns how the rate recovers after it was too high. */
function holdAfterRefusal(rate: CallRate): Pick<CallRate, "holdMs" | "gain"> {
  if (!isSearching(rate)) return { ...steadyPhase, holdMs: Math.min(maxHoldMs, 2 * rate.holdMs) };
  // Back to the steady phase if the first increase failed, otherwise search again from smaller steps.
  return rate.gain <= 2 * searchPhase.gain ? steadyPhase : searchPhase;
}
