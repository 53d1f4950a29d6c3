/** Measures the journal writes of a money call on a file: intent, sent and outcome, each flushed to disk. */
import { randomUUID } from "node:crypto";
import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EntryOutcome, Intent, Journal } from "../core/journal/entry";
import { openJournal } from "../core/journal/journal";
import { median } from "./compare";

const calls = 1_000;
const concurrencyLevels = [1, 20];

const intent = (): Intent => ({
  environment: "sandbox https://sandbox.example.com",
  client: "c-1",
  operation: "trades.book",
  key: randomUUID(),
  terms: "a".repeat(64),
  surface: "client",
  reference: "FX-2026-000123",
  details: { actor: "jane", call: { method: "POST", target: "/trades", body: { quote_id: randomUUID() } } },
});

const done = (): EntryOutcome => ({
  state: "done",
  by: "call",
  status: 200,
  identity: randomUUID(),
  details: { body: { trade_id: randomUUID(), status: "Awaiting Funds", buy_amount: 125_000.5 } },
});

/** Measures the three writes of one call, in milliseconds. */
async function timeCall(journal: Journal): Promise<number> {
  const startedAt = performance.now();
  const { entry } = await journal.claim(intent(), 60_000);
  await journal.recordSent(entry);
  await journal.recordOutcome(entry, done());
  return performance.now() - startedAt;
}

/** Measures a flush of 32 KB to disk, in milliseconds; the difference is the cost of fxdesk itself. */
async function measureDisk(file: FileHandle): Promise<number> {
  const startedAt = performance.now();
  await file.write(Buffer.alloc(32_768), 0, 32_768, 0);
  await file.sync();
  return performance.now() - startedAt;
}

async function measure(journal: Journal, disk: FileHandle, inFlight: number): Promise<string> {
  const [times, writes]: [number[], number[]] = [[], []];
  const cpu = process.cpuUsage();
  for (let count = 0; count < calls; count += inFlight) {
    times.push(...(await Promise.all(Array.from({ length: inFlight }, () => timeCall(journal)))));
    if (count % 100 === 0) writes.push(await measureDisk(disk));
  }
  const { user, system } = process.cpuUsage(cpu);
  return [
    `${median(times).toFixed(2)} ms at the median`,
    `${((user + system) / 1_000 / times.length).toFixed(2)} ms of the processor for each`,
    `one write takes this disk ${median(writes).toFixed(2)} ms`,
  ].join("; ");
}

export async function benchJournal(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "fxdesk-bench-"));
  const journal = await openJournal({ location: join(folder, "store.db"), key: Buffer.alloc(32, 1) });
  const disk = await open(join(folder, "disk"), "w");
  try {
    console.log("The journal of a call that commits money, on a file");
    await measure(journal, disk, 1);
    for (const inFlight of concurrencyLevels)
      console.log(`  ${String(inFlight).padStart(2)} at once: ${await measure(journal, disk, inFlight)}`);
  } finally {
    await disk.close();
    await journal.close();
    await rm(folder, { recursive: true });
  }
}
