/**
 * How fast calls may follow each other. Nobody tells: it is found out from what the service takes and what it refuses. Plain
 * data and pure functions, so that one process keeps it in memory and several keep it in their store. Times are milliseconds
 * of one clock; `taken` counts the calls that the service did not refuse.
 */

export interface CallRate {
  /** From one call to the next; 0 where no limit is known. */
  readonly intervalMs: number;
  /** No faster than this, whatever the service takes; 0 without such a limit. */
  readonly leastMs: number;
  /** The shortest interval with which all went well for a while; undefined where none did. */
  readonly provenMs?: number | undefined;
  /** Whether that interval was refused since. */
  readonly slipped: boolean;
  /** Since when the interval is what it is, and how many calls had been taken then. */
  readonly since: number;
  readonly takenThen: number;
  /** How long all must go well before calls become faster, and by how much then. */
  readonly holdMs: number;
  readonly gain: number;
  /** What was taken in the second before a refusal that measured the limit, as long as calls were on their way still. */
  readonly counted?: number | undefined;
  /** When the service last refused a call, until when none goes for that, and how many had been taken then. */
  readonly refusedAt?: number;
  readonly quietUntil?: number;
  readonly takenBefore: number;
  /** Refusals that followed another one, without a call that was taken in between. */
  readonly refusals: number;
}

/** While the limit is searched for: a quarter faster after a second, then by half, then twice as fast each second. */
const searchPhase = { holdMs: 1_500, gain: 0.25 } as const;
/** Once it is known: a little faster soon, and each time that this is too much, twice as late; for limits change. */
const steadyPhase = { holdMs: 10_000, gain: 0.05 } as const;
const [laterHoldMs, maxHoldMs] = [20_000, 160_000];

/** Of what the service took, so that a timer that is a little late does not make it refuse. */
const safetyShare = 0.97;
/** The least that is left of a rate that was refused. */
const minRetainedShare = 0.85;
/** Calls a second: slower is a pause. */
const minPerSecond = 0.01;

/** Without a word of the service: as long as most count, or a little longer than the next call would have waited. */
const rateWindowMs = 1_000;
const minPauseMs = 500;
const maxPauseMs = 10_000;

/** Begins with an interval, 0 for no limit; it gets no shorter than `leastMs`. */
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

/** The rate after a time in which calls waited and all went well; the same object where it is not time yet. */
export function increaseRate(rate: CallRate, now: number, taken: number): CallRate {
  const { intervalMs, leastMs, since, takenThen, holdMs, gain, counted } = rate;
  const heldMs = now - since;
  if (counted !== undefined && heldMs >= 0) return applyMeasurement(rate, counted, taken);
  if (intervalMs <= leastMs || heldMs < Math.max(holdMs, 4 * intervalMs)) return rate;
  // Who asks for less than may go learns nothing about the limit.
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

/** After the pause all are back that were on their way when the limit was measured. */
function applyMeasurement(rate: CallRate, counted: number, taken: number): CallRate {
  const all = counted + taken - rate.takenBefore;
  const intervalMs = Math.max(rate.leastMs, Math.min(rate.intervalMs, 1_000 / (safetyShare * all)));
  return { ...rate, intervalMs, counted: undefined, takenBefore: taken, takenThen: taken };
}

/** A call that the service refused. */
export interface Refusal {
  readonly now: number;
  /** When it was let go. */
  readonly sentAt: number;
  readonly accepted: number;
  /** Calls that were taken in the last second, and since the refusal before this one. */
  readonly acceptedLastSecond: number;
  /** Whether calls might go, as fast as by now, for all of that second. */
  readonly isFullSecond: boolean;
  /** What the service asks for, in milliseconds. */
  readonly retryAfterMs: number | undefined;
}

/** The rate after a refusal, and for how long no call goes. */
export function applyRefusal(
  rate: CallRate,
  refusal: Refusal,
): { readonly rate: CallRate; readonly pauseMs: number } {
  const { now, sentAt, accepted, retryAfterMs } = refusal;
  const { intervalMs, provenMs, quietUntil = -Infinity, takenBefore } = rate;
  // It left before anybody knew of the last one, and says nothing new.
  if (sentAt < quietUntil) return { rate, pauseMs: retryAfterMs ?? 0 };
  // Just after a pause, what went too fast before it may count still; the next time it is the rate.
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
  // A service that takes no call at all does not say how many it would take.
  return { rate: { ...rate, ...(isClosed ? {} : decreaseRate(rate, refusal)), ...observed }, pauseMs };
}

function decreaseRate(
  rate: CallRate,
  { now, accepted, acceptedLastSecond, isFullSecond }: Refusal,
): Partial<CallRate> {
  const { intervalMs, leastMs, provenMs, slipped, refusedAt, takenBefore } = rate;
  const previousPerSecond = intervalMs > 0 ? 1_000 / intervalMs : Infinity;
  // Far fewer than might go says something, unless hardly anybody asked; a few less may be on their way.
  const maxPerSecond =
    isFullSecond && acceptedLastSecond > previousPerSecond / 2 && acceptedLastSecond < 0.8 * previousPerSecond
      ? acceptedLastSecond
      : Infinity;
  const intervalFor = (perSecond: number) =>
    Math.max(
      leastMs,
      1_000 / Math.max(safetyShare * Math.min(previousPerSecond, perSecond, maxPerSecond), minPerSecond),
    );
  // At least so many it takes: over the whole time since the last refusal, its pause included.
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
  // Once, or where more went within a second than should have, a timer was late; else it went well for a while because the
  // service had something left over.
  if (!slipped || acceptedLastSecond > 1.03 * previousPerSecond)
    return {
      intervalMs: intervalFor(previousPerSecond),
      provenMs: intervalFor(previousPerSecond),
      slipped: true,
    };
  const lower = intervalFor(Math.max(average, minRetainedShare * previousPerSecond));
  return { intervalMs: lower, provenMs: lower, ...steadyPhase };
}

/** One call within a second says little, unless it is all there is. */
const estimatePerSecond = (average: number, lastSecond: number): number =>
  average === 0 || lastSecond > 1 ? Math.max(1, average, lastSecond) : average;

/** How calls become faster again after they became too fast. */
function holdAfterRefusal(rate: CallRate): Pick<CallRate, "holdMs" | "gain"> {
  if (!isSearching(rate)) return { ...steadyPhase, holdMs: Math.min(maxHoldMs, 2 * rate.holdMs) };
  // The first step was too much, or one of those that came after it.
  return rate.gain <= 2 * searchPhase.gain ? steadyPhase : searchPhase;
}
