/** Calendar days as YYYY-MM-DD in UTC. */

export const dayMs = 86_400_000;

export const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

/** Midnight at the beginning of a day. */
export const startOf = (day: string): Date => new Date(`${day}T00:00:00.000Z`);

export const addDays = (day: string, days: number): string =>
  dayOf(new Date(startOf(day).getTime() + days * dayMs));

/** From 0, Sunday, to 6. */
export const weekdayOf = (day: string): number => startOf(day).getUTCDay();

/** A whole hour of a day. */
export const hourOf = (day: string, hour: number): Date =>
  new Date(startOf(day).getTime() + hour * 3_600_000);
