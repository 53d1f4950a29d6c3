/** The longest wait a timer knows; more would mean no wait at all. */
const maxTimerMs = 2 ** 31 - 1;

/** What is wrong with a limit in milliseconds, or of a number of connections; undefined when it fits. */
export const limitViolation = (value: unknown): string | undefined =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= maxTimerMs
    ? undefined
    : `must be a whole number from 1 to ${maxTimerMs}, not ${String(value)}`;
