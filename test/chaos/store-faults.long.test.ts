/**
 * Bookings while the store is deleted, replaced by an old backup, restored or stopped. Afterwards, what callers received is
 * compared with the books of the sandbox. FXDESK_RUNS sets the number of bookings for each fault, FXDESK_SEED the seed.
 */
import { copyFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { FxdeskError, type FxdeskClient } from "@fxdesk/toolkit";
import { backUpStore, restoreStore } from "../../core/client/backup";
import { confirmRestore } from "../../core/journal/restores";
import { withStore } from "../../core/store/open";
import type { StoreSettings } from "../../core/store/settings";
import { engines, startPostgres } from "../core/store/engines";
import { eventually } from "../support/eventually";
import { closeLater, tempFolder } from "../support/resources";
import { makeQuote } from "../support/samples";
import { openClient, openSandbox } from "../support/sandboxes";
import { seededRandom } from "./seeded-random";

const bookings = Number(process.env.FXDESK_RUNS ?? 60);
const seed = Number(process.env.FXDESK_SEED ?? 20_261_126);
/** Clients that race on each key, as processes do. */
const racers = 3;

interface StoreFault {
  /** Prepares the fault when a third of the bookings are made. */
  readonly prepare?: () => Promise<unknown>;
  readonly apply: () => Promise<unknown>;
  /** Ends the fault. Until then, no money may be sent. */
  readonly end: () => Promise<unknown>;
}

async function runUnderFault(settings: StoreSettings, { prepare, apply, end }: StoreFault) {
  const chance = seededRandom(seed);
  const sandbox = await openSandbox({ reusableQuotes: true });
  const open = () =>
    openClient(sandbox, {
      store: settings.location,
      storeKey: settings.key!.toString("base64"),
      timeoutMs: 5_000,
      queueTimeoutMs: 5_000,
    });
  const reader = openClient(sandbox);
  const quotes = new Map<string, Promise<string>>();
  const tradesOf = async (): Promise<Map<string, string[]>> => {
    const found = new Map<string, string[]>();
    for await (const { reference, trade_id } of reader.trades.list.all())
      if (reference?.startsWith("INV-")) found.set(reference, [...(found.get(reference) ?? []), trade_id]);
    return found;
  };
  let clients = Array.from({ length: racers }, open);
  const problems: string[] = [];
  /** What callers received, by reference. */
  const received = new Map<string, Set<string>>();
  const ended = new Set<string>();
  const book = async (client: FxdeskClient, reference: string): Promise<boolean> => {
    const quote = quotes.get(reference) ?? makeQuote(reader);
    quotes.set(reference, quote);
    const quote_id = await quote;
    try {
      const { trade_id } = await client.trades.book(
        { quote_id, reason: "other", reference },
        { key: reference },
      );
      received.set(reference, (received.get(reference) ?? new Set()).add(trade_id));
      return true;
    } catch (error) {
      if (!(error instanceof FxdeskError)) throw error;
      if (!["not-sent", "unknown"].includes(error.outcome)) problems.push(`${reference}: ${error.message}`);
      return false;
    }
  };
  const race = async (reference: string) => {
    const results = await Promise.all(clients.map((client) => book(client, reference)));
    if (results.includes(true)) ended.add(reference);
  };
  const references = Array.from({ length: bookings }, (_, index) => `INV-${index}`);
  const [first, second] = [Math.floor(bookings / 3), Math.floor((2 * bookings) / 3)];
  await Promise.all(references.slice(0, first).map(race));
  await prepare?.();
  const underWay = Promise.all(references.slice(first, second).map(race));
  await pause(chance.integer(1, 200));
  await apply();
  await underWay;
  const before = await tradesOf();
  // Old keys and new ones, by clients that were open and by new ones.
  await Promise.all(references.map(race));
  clients = Array.from({ length: racers }, open);
  await Promise.all(references.map(race));
  const during = await tradesOf();
  await end();
  clients = Array.from({ length: racers }, open);
  await eventually(
    async () => {
      await Promise.all(references.filter((reference) => !ended.has(reference)).map(race));
      return references.every((reference) => ended.has(reference));
    },
    {
      withinMs: 60_000,
      what: () => `outcomes of ${references.filter((each) => !ended.has(each)).join(", ")}`,
    },
  );
  // Each key again: nothing is sent.
  await Promise.all(references.map(race));
  const books = await tradesOf();
  for (const reference of references) {
    const trades = books.get(reference) ?? [];
    if (trades.length !== 1) problems.push(`${reference} was booked ${trades.length} times`);
    const heard = [...(received.get(reference) ?? [])];
    if (heard.length !== 1 || heard[0] !== trades[0])
      problems.push(`${reference}: received ${heard.join()}, booked ${trades.join()}`);
  }
  return { problems, sentDuringFault: during.size - before.size };
}

const expected = { problems: [], sentDuringFault: 0 };

const confirm = (settings: StoreSettings) => () =>
  withStore(settings, (store) => confirmRestore(store, settings, { by: "anna", arePaymentsChecked: false }));

describe("SQLite", () => {
  const [{ create }] = engines() as [ReturnType<typeof engines>[number]];
  const removeFiles = ({ location }: StoreSettings) =>
    Promise.all(["", "-wal", "-shm"].map((suffix) => rm(location + suffix, { force: true })));

  test("deleted", async () => {
    const settings = await create();
    expect(
      await runUnderFault(settings, { apply: () => removeFiles(settings), end: confirm(settings) }),
    ).toEqual(expected);
  });

  test.each(["copied over the file", "restored by the command"])("an old backup %s", async (how) => {
    const settings = await create();
    const backup = join(await tempFolder(), "backup.db");
    const copyOver = async () => {
      await removeFiles(settings);
      await copyFile(backup, settings.location);
    };
    const apply = how === "restored by the command" ? () => restoreStore(settings, backup) : copyOver;
    expect(
      await runUnderFault(settings, {
        prepare: () => backUpStore(settings, backup),
        apply,
        end: confirm(settings),
      }),
    ).toEqual(expected);
  });
});

test("PostgreSQL stopped", async () => {
  const postgres = closeLater(await startPostgres());
  const settings = await postgres.create();
  const fault = { apply: () => postgres.stop(), end: () => postgres.start() };
  expect(await runUnderFault(settings, fault)).toEqual(expected);
});
