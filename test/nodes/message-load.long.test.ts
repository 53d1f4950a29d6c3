/**
 * 50,000 messages at once, and a million entries of a list, each in a process of its own: each is answered, and memory stays
 * what it was. `npm run bench -- burst items` prints the figures.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Items } from "../../bench/items";
import type { Bursts } from "../../bench/burst";
import { root } from "./support/node-red";

let bursts: Bursts;
let items: Items;

async function runBenchmark<T>(script: string): Promise<T> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, "dist/bench", script)]);
  return JSON.parse(stdout) as T;
}

beforeAll(async () => {
  bursts = await runBenchmark("burst.js");
  items = await runBenchmark("items.js");
}, 400_000);

test("many requests at once are each answered, or refused as one too many", () => {
  for (const { ended } of [...bursts.fxdesk, ...bursts.yielding]) {
    expect(ended.answered! + ended.refused!).toBe(bursts.count);
    expect(ended.answered).toBeGreaterThanOrEqual(10_010);
  }
});

test("the heap stays flat", () => {
  expect(bursts.growthMB).toBeLessThan(5);
});

test("a million entries as messages do not accumulate in memory", () => {
  expect(items.growthMB).toBeLessThan(10);
  // Resident memory includes garbage: 6 to 209 MB in equal runs. The entries themselves would take more than 500.
  expect(items.peakMB).toBeLessThan(400);
});

test("a deploy stops them within a second", () => {
  expect(items.stoppedMs).toBeLessThan(1_000);
});
