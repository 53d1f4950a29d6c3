/** Which amounts add up to another one. */

/** Among more amounts than these no combination is looked for: too many add up by chance. */
export const maxAmounts = 12;
/** So many amounts make a combination at most. */
export const maxParts = 5;
/** A combination counts where chance would give one in fewer than one of so many cases. */
const chanceLimit = 100n;

/** The largest power of ten that all amounts are multiples of: how round they are. */
function commonStep(amounts: readonly bigint[]): bigint {
  let step = 1n;
  while (amounts.every((each) => each % (step * 10n) === 0n)) step *= 10n;
  return step;
}

/** How many ways there are to choose at least `min` and at most `max` of `count` things. */
function countCombinations(count: number, min: number, max: number): bigint {
  let [combinations, sum] = [1n, 0n];
  for (let chosen = 0; chosen <= Math.min(max, count); chosen += 1) {
    if (chosen >= min) sum += combinations;
    combinations = (combinations * BigInt(count - chosen)) / BigInt(chosen + 1);
  }
  return sum;
}

/**
 * `sum` is more than zero. Whether chance alone would seldom make any of the combinations be the sum that is looked for. Round amounts add up to each
 * other all the time, those with cents do not.
 */
export function isSignificantSum(
  amounts: readonly bigint[],
  sum: bigint,
  min: number,
  max = maxParts,
): boolean {
  const step = commonStep([...amounts, sum]);
  const largest = amounts
    .toSorted((one, other) => (one < other ? 1 : -1))
    .slice(0, max)
    .reduce((total, each) => total + each, 0n);
  return countCombinations(amounts.length, min, max) * chanceLimit <= largest / step;
}

/**
 * The combinations of at least `min` and at most `max` positive amounts that are exactly the sum, as their places; two
 * of them at most, since two are as good as none. Looks at `maxAmounts` amounts at most, and so at a few thousand
 * combinations. Throws a RangeError for more amounts.
 */
export function findCombinations(
  amounts: readonly bigint[],
  sum: bigint,
  min: number,
  max = maxParts,
): number[][] {
  if (amounts.length > maxAmounts) throw new RangeError(`More than ${maxAmounts} amounts.`);
  const found: number[][] = [];
  const chosen: number[] = [];
  const choose = (from: number, rest: bigint): void => {
    if (rest === 0n && chosen.length >= min) found.push([...chosen]);
    if (rest <= 0n || chosen.length === max) return;
    for (let index = from; index < amounts.length && found.length < 2; index += 1) {
      chosen.push(index);
      choose(index + 1, rest - amounts[index]!);
      chosen.pop();
    }
  };
  choose(0, sum);
  return found;
}
