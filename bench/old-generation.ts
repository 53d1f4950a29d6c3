/** What a unit of work leaves to the major collections, which cost the most: near nothing is what it should be. */
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** A major collection, now. */
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

/** Bytes of each unit that only a major collection gives back. One before it matters: what lives long is old from then on. */
export async function retainedBytes(run: () => Promise<unknown>): Promise<number> {
  await runMany(run);
  collect();
  const before = oldBytes();
  await runMany(run);
  return (oldBytes() - before) / count;
}
