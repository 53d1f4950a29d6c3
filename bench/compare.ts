/** Side-by-side measurements: candidates alternate in one process, and only ratios are quoted. */

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

/** Returns medians of costs, and of the ratios to the first candidate in the same round. */
export async function compare(candidates: readonly Candidate[], { rounds, sliceMs, inFlight }: Comparison) {
  for (const candidate of candidates) await costOf(candidate, inFlight, sliceMs);
  const costs = candidates.map((): Cost[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, candidate] of candidates.entries())
      costs[index]!.push(await costOf(candidate, inFlight, sliceMs));
  }
  return candidates.map(({ name }, index) => ({
    name,
    perSecond: median(costs[index]!.map(({ perSecond }) => perSecond)),
    micros: median(costs[index]!.map(({ micros }) => micros)),
    rateRatio: median(costs[index]!.map(({ perSecond }, round) => perSecond / costs[0]![round]!.perSecond)),
    /** Units per CPU time, relative to the first candidate. */
    workRatio: median(costs[index]!.map(({ micros }, round) => costs[0]![round]!.micros / micros)),
  }));
}

export function print(title: string, rows: Awaited<ReturnType<typeof compare>>): void {
  console.log(title);
  console.log(`${" ".repeat(46)}rate          processor`);
  for (const { name, perSecond, micros, rateRatio, workRatio } of rows) {
    const rate = `${perSecond.toFixed(0).padStart(8)}/s  ${rateRatio.toFixed(2)}`;
    console.log(
      `  ${name.padEnd(34)} ${rate}   ${micros.toFixed(1).padStart(6)} µs  ${workRatio.toFixed(2)}`,
    );
  }
}
