/** Days as texts, YYYY-MM-DD. */

const dayMs = 86_400_000;

/** The day so many days before another one. */
export const subtractDays = (day: string, days: number): string =>
  new Date(Date.parse(day) - days * dayMs).toISOString().slice(0, "YYYY-MM-DD".length);
