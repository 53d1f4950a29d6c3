/** Combinations of amounts with a given sum. */

/** Maximum number of amounts to combine. With more, too many sums match by chance. */
export const maxAmounts = 12;
/** Maximum number of amounts in a combination. */
export const maxParts = 5;
/** A combination is significant if chance produces one in fewer than 1 of this many cases. */
const chanceLimit = 100n;

/** Returns the largest power of ten that divides all amounts. */
function commonStep(amounts: readonly bigint[]): bigint {
  let step = 1n;
  while (amounts.every((each) => each % (step * 10n) === 0n)) step *= 10n;
  return step;
}

/** Returns the number of ways to choose at least `min` and at most `max` of `count` items. */
function countCombinations(count: number, min: number, max: number): bigint {
  let [combinations, sum] = [1n, 0n];
  for (let chosen = 0; chosen <= Math.min(max, count); chosen += 1) {
    if (chosen >= min) sum += combinations;
    combinations = (combinations * BigInt(count - chosen)) / BigInt(chosen + 1);
  }
  return sum;
}

interface Amount {
  readonly units: bigint;
}

/**
 * True if a combination with this sum is unlikely to occur by chance. Round amounts match by chance often, amounts
 * with cents rarely. `sum` must be positive.
 */
export function isSignificantSum(all: readonly Amount[], sum: bigint, min: number, max = maxParts): boolean {
  const amounts = all.map(({ units }) => units).toSorted((one, other) => (one < other ? 1 : -1));
  const largest = amounts.slice(0, max).reduce((total, each) => total + each, 0n);
  const step = commonStep([...amounts, sum]);
  return countCombinations(amounts.length, min, max) * chanceLimit <= largest / step;
}

/**
 * Returns the combinations of `min` to `max` positive amounts with exactly this sum. Stops at two, because two are already
 * ambiguous. Throws a RangeError for more than `maxAmounts` amounts, which bounds the search to a few thousand
 * combinations.
 */
export function findCombinations<T extends Amount>(
  all: readonly T[],
  sum: bigint,
  min: number,
  max = maxParts,
): T[][] {
  if (all.length > maxAmounts) throw new RangeError(`More than ${maxAmounts} amounts.`);
  const found: T[][] = [];
  const choose = (chosen: readonly T[], from: number, rest: bigint): void => {
    if (rest === 0n && chosen.length >= min) found.push([...chosen]);
    if (rest <= 0n || chosen.length === max) return;
    for (let index = from; index < all.length && found.length < 2; index += 1)
      choose([...chosen, all[index]!], index + 1, rest - all[index]!.units);
  };
  choose([], 0, sum);
  return found;
}
