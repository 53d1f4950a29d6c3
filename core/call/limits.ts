/** Longest delay of a Node.js timer. Longer ones would fire at once. */
const maxTimerMs = 2 ** 31 - 1;

/** Returns the problem with a numeric limit, or undefined if it is valid. */
export const limitViolation = (value: unknown): string | undefined =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= maxTimerMs
    ? undefined
    : `must be a whole number from 1 to ${maxTimerMs}, not ${String(value)}`;
