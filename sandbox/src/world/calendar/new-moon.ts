/**
 * New moon times, accurate to about a minute, from 1950 to 2100. Meeus, Astronomical Algorithms, chapter 49.
 */

const dayMs = 86_400_000;
/** Julian day of 1970-01-01. */
const epoch = 2_440_587.5;
/** Julian day of the first new moon of 2000, and the mean length of a lunation. */
const [firstMoon, month] = [2_451_550.09766, 29.530588861];

const sine = (degrees: number) => Math.sin((degrees * Math.PI) / 180);

/** Difference between dynamical and universal time in days: about 70 seconds. */
const deltaT = 70 / 86_400;

/** Returns the new moon nearest to a time, in milliseconds since 1970. */
export function newMoonNear(time: number): number {
  const k = Math.round((time / dayMs + epoch - firstMoon) / month);
  const centuries = k / 1236.85;
  const e = 1 - 0.002516 * centuries;
  const sun = 2.5534 + 29.1053567 * k;
  const moon = 201.5643 + 385.81693528 * k + 0.0107582 * centuries ** 2;
  const node = 160.7108 + 390.67050284 * k;
  const terms: readonly (readonly [days: number, degrees: number])[] = [
    [-0.4072, moon],
    [0.17241 * e, sun],
    [0.01608, 2 * moon],
    [0.01039, 2 * node],
    [0.00739 * e, moon - sun],
    [-0.00514 * e, moon + sun],
    [0.00208 * e * e, 2 * sun],
    [-0.00111, moon - 2 * node],
    [-0.00057, moon + 2 * node],
    [0.00056 * e, 2 * moon + sun],
    [-0.00042, 3 * moon],
    [0.00042 * e, sun + 2 * node],
    [0.00038 * e, sun - 2 * node],
    [-0.00024 * e, 2 * moon - sun],
    [-0.00017, 124.7746 - 1.56375588 * k],
    [0.000325, 299.77 + 0.107408 * k],
    [0.000165, 251.88 + 0.016321 * k],
    [0.000164, 251.83 + 26.651886 * k],
    [0.000126, 349.42 + 36.412478 * k],
    [0.00011, 84.66 + 18.206239 * k],
  ];
  const day = terms.reduce(
    (sum, [days, degrees]) => sum + days * sine(degrees),
    firstMoon + month * k + 0.00015437 * centuries ** 2,
  );
  return (day - deltaT - epoch) * dayMs;
}
