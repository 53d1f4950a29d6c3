/** Which amounts add up to another one. */

/** Among more amounts than these no combination is looked for: too many add up by chance. */
export const mostAmounts = 12;
/** So many amounts make a combination at most. */
export const mostParts = 5;
/** A combination counts where chance would give one in fewer than one of so many cases. */
const rarity = 100n;

/** The largest power of ten that all amounts are multiples of: how round they are. */
function stepOf(amounts: readonly bigint[]): bigint {
  let step = 1n;
  while (amounts.every((each) => each % (step * 10n) === 0n)) step *= 10n;
  return step;
}

/** How many ways there are to choose at least `least` and at most `most` of `count` things. */
function waysToChoose(count: number, least: number, most: number): bigint {
  let [ways, sum] = [1n, 0n];
  for (let chosen = 0; chosen <= Math.min(most, count); chosen += 1) {
    if (chosen >= least) sum += ways;
    ways = (ways * BigInt(count - chosen)) / BigInt(chosen + 1);
  }
  return sum;
}

/**
 * `sum` is more than zero. Whether chance alone would seldom make any of the combinations be the sum that is looked for. Round amounts add up to each
 * other all the time, those with cents do not.
 */
export function isTellingSum(
  amounts: readonly bigint[],
  sum: bigint,
  least: number,
  most = mostParts,
): boolean {
  const step = stepOf([...amounts, sum]);
  const largest = amounts
    .toSorted((one, other) => (one < other ? 1 : -1))
    .slice(0, most)
    .reduce((total, each) => total + each, 0n);
  return waysToChoose(amounts.length, least, most) * rarity <= largest / step;
}

/**
 * The combinations of at least `least` and at most `most` positive amounts that are exactly the sum, as their places; two
 * of them at most, since two are as good as none. Looks at `mostAmounts` amounts at most, and so at a few thousand
 * combinations. Throws a RangeError for more amounts.
 */
export function combinationsOf(
  amounts: readonly bigint[],
  sum: bigint,
  least: number,
  most = mostParts,
): number[][] {
  if (amounts.length > mostAmounts) throw new RangeError(`More than ${mostAmounts} amounts.`);
  const found: number[][] = [];
  const chosen: number[] = [];
  const choose = (from: number, left: bigint): void => {
    if (left === 0n && chosen.length >= least) found.push([...chosen]);
    if (left <= 0n || chosen.length === most) return;
    for (let place = from; place < amounts.length && found.length < 2; place += 1) {
      chosen.push(place);
      choose(place + 1, left - amounts[place]!);
      chosen.pop();
    }
  };
  choose(0, sum);
  return found;
}
