/** Measures memory that only a major collection frees. It should be close to zero, because these are expensive. */
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Runs a major collection. */
export function collect(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

const oldBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space")!.space_used_size;

const [count, inFlight] = [10_000, 10];

async function runMany(run: () => Promise<unknown>): Promise<void> {
  const worker = async () => {
    for (let done = 0; done < count / inFlight; done += 1) await run();
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
}

/** Returns bytes per unit that only a major collection frees. A first collection moves long-lived objects out of the way. */
export async function retainedBytes(run: () => Promise<unknown>): Promise<number> {
  await runMany(run);
  collect();
  const before = oldBytes();
  await runMany(run);
  return (oldBytes() - before) / count;
}
