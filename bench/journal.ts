/** Measures the journal writes of a money call on a file: intent, sent and outcome, each flushed to disk. */
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EntryOutcome, Intent } from "../core/journal/entry";
import { type Journal, openJournal } from "../core/journal/journal";
import { median, printRow, timed } from "./compare";

const calls = 1_000;

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

/** Makes the three writes of one call. */
async function recordCall(journal: Journal): Promise<void> {
  const { entry } = await journal.claim(intent(), 60_000);
  await journal.recordSent(entry);
  await journal.recordOutcome(entry, done());
}

async function measure(journal: Journal, inFlight: number): Promise<void> {
  const times: number[] = [];
  const cpu = process.cpuUsage();
  while (times.length < calls)
    times.push(
      ...(await Promise.all(Array.from({ length: inFlight }, () => timed(() => recordCall(journal))))),
    );
  const { user, system } = process.cpuUsage(cpu);
  const cpuMs = (user + system) / 1_000 / times.length;
  printRow(`${inFlight} at once`, median(times), "ms", `${cpuMs.toFixed(2)} ms of the processor for each`);
}

export async function benchJournal(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "fxdesk-bench-"));
  const journal = await openJournal({ location: join(folder, "store.db"), key: Buffer.alloc(32, 1) });
  try {
    console.log("The journal of a call that commits money, on a file");
    for (const inFlight of [1, 20]) await measure(journal, inFlight);
  } finally {
    await journal.close();
    await rm(folder, { recursive: true });
  }
}
