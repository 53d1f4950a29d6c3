/** Side-by-side measurements: slices of each candidate alternate in one process, and only ratios are quoted. */

export interface Candidate {
  readonly name: string;
  /** Does one unit of work. */
  run(): Promise<unknown>;
}

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
};

/** Units per second with `inFlight` of them under way at any time. */
async function rate(candidate: Candidate, inFlight: number, ms: number): Promise<number> {
  const start = performance.now();
  let done = 0;
  const worker = async () => {
    while (performance.now() - start < ms) {
      await candidate.run();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return (done * 1_000) / (performance.now() - start);
}

export interface Comparison {
  readonly rounds: number;
  readonly sliceMs: number;
  readonly inFlight: number;
}

/** Medians of each candidate's rate, and of its ratio to the first candidate of the same round. */
export async function compare(candidates: readonly Candidate[], { rounds, sliceMs, inFlight }: Comparison) {
  for (const candidate of candidates) await rate(candidate, inFlight, sliceMs);
  const rates = candidates.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, candidate] of candidates.entries())
      rates[index]!.push(await rate(candidate, inFlight, sliceMs));
  }
  return candidates.map(({ name }, index) => ({
    name,
    perSecond: median(rates[index]!),
    ratio: median(rates[index]!.map((value, round) => value / rates[0]![round]!)),
  }));
}

export function print(title: string, rows: Awaited<ReturnType<typeof compare>>): void {
  console.log(title);
  for (const { name, perSecond, ratio } of rows)
    console.log(`  ${name.padEnd(34)} ${perSecond.toFixed(0).padStart(8)}/s   ${ratio.toFixed(2)}`);
}
