/** Arithmetic on days as text, YYYY-MM-DD. */

const dayMs = 86_400_000;

/** Returns the day `days` days before another one. */
export const subtractDays = (day: string, days: number): string =>
  new Date(Date.parse(day) - days * dayMs).toISOString().slice(0, "YYYY-MM-DD".length);
