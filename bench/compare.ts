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

/** Prints medians of costs, and of the ratios to the first candidate in the same round. */
export async function compare(
  title: string,
  candidates: readonly Candidate[],
  {
    rounds,
    sliceMs,
    inFlight,
  }: { readonly rounds: number; readonly sliceMs: number; readonly inFlight: number },
): Promise<void> {
  const measurements = candidates.map((candidate) => () => costOf(candidate, inFlight, sliceMs));
  await inTurn(measurements, 1);
  const costs = await inTurn(measurements, rounds);
  const ratio = (own: readonly Cost[], field: keyof Cost) =>
    median(own.map((cost, round) => cost[field] / costs[0]![round]![field])).toFixed(2);
  const rows = costs.map((own, index) => ({
    [title]: candidates[index]!.name,
    "per second": Math.round(median(own.map(({ perSecond }) => perSecond))),
    ratio: ratio(own, "perSecond"),
    "processor µs": Math.round(median(own.map(({ micros }) => micros))),
    "processor ratio": ratio(own, "micros"),
  }));
  console.table(rows);
}
