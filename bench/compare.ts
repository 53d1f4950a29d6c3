/** Side-by-side measurements: candidates alternate, and only ratios are quoted. */

export interface Candidate {
  readonly name: string;
  /** Runs one unit of work. */
  run(): Promise<unknown>;
}

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
};

/** Returns the milliseconds until work is done. */
export async function timed(work: () => unknown): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

/** Returns the results of several measurements, which alternate, by measurement and round. */
export async function inTurn<T>(
  measurements: readonly (() => Promise<T>)[],
  rounds: number,
): Promise<readonly (readonly T[])[]> {
  const results = measurements.map((): T[] => []);
  for (let round = 0; round < rounds; round += 1)
    for (const [index, measure] of measurements.entries()) results[index]!.push(await measure());
  return results;
}

/** Cost of one unit of work. */
interface Cost {
  /** Units per second, with `inFlight` concurrent units. */
  readonly perSecond: number;
  /** CPU time of this process in microseconds, without the server and other processes. */
  readonly micros: number;
}

async function costOf(candidate: Candidate, inFlight: number, ms: number): Promise<Cost> {
  const start = performance.now();
  const used = process.cpuUsage();
  let done = 0;
  const worker = async () => {
    while (performance.now() - start < ms) {
      await candidate.run();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  const { user, system } = process.cpuUsage(used);
  return { perSecond: (done * 1_000) / (performance.now() - start), micros: (user + system) / done };
}

export interface Comparison {
  readonly rounds: number;
  readonly sliceMs: number;
  readonly inFlight: number;
}

/** Prints medians of costs, and of the ratios to the first candidate in the same round. */
export async function compare(
  title: string,
  candidates: readonly Candidate[],
  { rounds, sliceMs, inFlight }: Comparison,
): Promise<void> {
  const measurements = candidates.map((candidate) => () => costOf(candidate, inFlight, sliceMs));
  await inTurn(measurements, 1);
  const costs = await inTurn(measurements, rounds);
  console.log(`${title}\n${" ".repeat(46)}rate          processor`);
  for (const [index, { name }] of candidates.entries()) {
    const own = costs[index]!;
    const perSecond = median(own.map((cost) => cost.perSecond));
    const micros = median(own.map((cost) => cost.micros));
    const rateRatio = median(own.map((cost, round) => cost.perSecond / costs[0]![round]!.perSecond));
    const workRatio = median(own.map((cost, round) => costs[0]![round]!.micros / cost.micros));
    const rate = `${perSecond.toFixed(0).padStart(8)}/s  ${rateRatio.toFixed(2)}`;
    console.log(
      `  ${name.padEnd(34)} ${rate}   ${micros.toFixed(1).padStart(6)} µs  ${workRatio.toFixed(2)}`,
    );
  }
}

/** Prints one figure with its unit. */
export const printRow = (name: string, value: number, unit: string, note = ""): void =>
  console.log(`  ${name.padEnd(38)} ${value.toFixed(1).padStart(8)} ${unit}${note && `  ${note}`}`);
