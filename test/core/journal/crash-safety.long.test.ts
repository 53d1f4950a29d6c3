/**
 * Concurrent processes write the journal and are killed at random: no acknowledged write is lost, and the chain has no
 * fork. FXDESK_RUNS sets the number of kills on each engine, FXDESK_SEED their times.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import * as fc from "fast-check";
import { exportLines } from "../../../core/journal/events";
import { openJournal } from "../../../core/journal/journal";
import { withStore } from "../../../core/store/open";
import { verifyExport } from "../../../core/journal/verify-export";
import { verifyStore } from "../../../core/journal/verify-store";
import type { StoreSettings } from "../../../core/store/settings";
import { engines } from "../store/engines";
import { done, intent, longMs } from "./fixtures";

const kills = Number(process.env.FXDESK_RUNS ?? 10);
const writersAtOnce = 2;

/** Script that makes three calls at a time until it is killed, and prints each step once it is on disk. */
const writer = ({ location, key }: StoreSettings, name: string) => `
  const { openJournal } = require(${JSON.stringify(join(__dirname, "../../../dist/core/journal/journal.js"))});
  const say = (...words) => process.stdout.write(words.join(" ") + "\\n");
  async function calls(journal, line) {
    for (let number = 0; ; number += 1) {
      const intent = { ...${JSON.stringify(intent())}, key: [${JSON.stringify(name)}, line, number].join("-") };
      const { entry } = await journal.claim(intent, ${longMs});
      say(entry.id, "intent");
      await journal.recordSent(entry);
      say(entry.id, "sent");
      await journal.recordOutcome(entry, ${JSON.stringify(done)});
      say(entry.id, "ended");
    }
  }
  openJournal({ location: ${JSON.stringify(location)}, key: Buffer.from("${key!.toString("hex")}", "hex") })
    .then((journal) => Promise.all([0, 1, 2].map((line) => calls(journal, line))))
    .catch((error) => { console.error(error); process.exit(1); });`;

/** Runs a writer and kills it a given time after its first output. Returns its output. */
async function runUntilKilled(settings: StoreSettings, name: string, afterMs: number): Promise<string[]> {
  const child = spawn(process.execPath, ["-e", writer(settings, name)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const said: string[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on("line", (line) => said.push(line));
  const [exited, closed] = [once(child, "exit"), once(lines, "close")];
  await Promise.race([once(lines, "line"), exited]);
  await wait(afterMs);
  child.kill("SIGKILL");
  const [, signal] = (await exited) as [number | null, string | null];
  expect(signal).toBe("SIGKILL");
  await closed;
  return said;
}

describe.each(engines())("$name", ({ create }) => {
  test(
    `loses and forks nothing in ${kills} kills`,
    async () => {
      const settings = await create();
      await (await openJournal(settings)).close();
      const delays = fc.sample(fc.integer({ min: 0, max: 300 }), kills);
      const said: string[] = [];
      await Promise.all(
        Array.from({ length: writersAtOnce }, async (_, line) => {
          for (let run = line; run < kills; run += writersAtOnce)
            said.push(...(await runUntilKilled(settings, `writer-${run}`, delays[run]!)));
        }),
      );
      await withStore(settings, async (store) => {
        expect(await store.database.findFaults()).toEqual([]);
        const verified = await verifyStore(store);
        expect(verified.faults).toEqual([]);
        const exported: Buffer[] = [];
        for await (const line of exportLines(store)) exported.push(Buffer.from(line));
        expect(await verifyExport(Readable.from(exported), verified.heads)).toEqual(verified);
        const stored = new Set(
          exported.slice(0, -1).map((line) => {
            const { entry, kind } = JSON.parse(line.toString()) as { entry: string; kind: string };
            return `${entry} ${kind}`;
          }),
        );
        expect(said.filter((words) => !stored.has(words))).toEqual([]);
        expect(said.length).toBeGreaterThan(kills);
      });
    },
    60_000 + kills * 5_000,
  );
});
