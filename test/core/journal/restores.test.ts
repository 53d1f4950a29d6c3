/** A store that lacks what this machine has seen sends no money before a person confirms it. */
import { randomUUID } from "node:crypto";
import { copyFile, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { backUpStore, restoreStore } from "../../../core/client/backup";
import { Checkpoints } from "../../../core/journal/checkpoints";
import { listEvents } from "../../../core/journal/events";
import { openJournal } from "../../../core/journal/journal";
import { hashStoredEvent } from "../../../core/journal/hash-chain";
import { confirmRestore, recordRestored } from "../../../core/journal/restores";
import { verifyStore } from "../../../core/journal/verify-store";
import { withStore } from "../../../core/store/open";
import type { StoreSettings } from "../../../core/store/settings";
import { seededRandom } from "../../chaos/seeded-random";
import { respond } from "../../support/fault-server";
import { closeLater, runLater, tempFolder } from "../../support/resources";
import { createTestClient, failureOf, startFaultServer } from "../support/client-fixtures";
import { makeQuote } from "../../support/samples";
import { openClient, openSandbox } from "../../support/sandboxes";
import { engines } from "../store/engines";
import { intent, longMs, notSent } from "./fixtures";

const booked = respond(201, '{"trade_id":"t-1","bank_account":{},"maturity_date":"2026-01-05"}');

async function setUp(settings: StoreSettings) {
  const server = await startFaultServer(booked);
  const open = (location = settings.location) =>
    createTestClient({
      baseUrl: server.url,
      store: location,
      storeKey: settings.key!.toString("base64"),
      ...(settings.people && { people: settings.people }),
    });
  const book = async (quote: string, client = open()) => {
    await client.trades.book({ quote_id: quote, reason: "other" });
    await client.close();
  };
  /** Expects that booking is refused, and returns how many requests arrived. */
  const refused = async (quote: string, client = open()) => {
    const error = await failureOf(client.trades.book({ quote_id: quote, reason: "other" }));
    expect(error).toMatchObject({ code: "store_restored", outcome: "not-sent", retryable: false });
    return server.heads.length;
  };
  return { server, open, book, refused };
}

const confirm = (settings: StoreSettings, arePaymentsChecked = true) =>
  withStore(settings, (store) => confirmRestore(store, settings, { by: "anna", arePaymentsChecked }));

/** Uses another state folder, like another machine. */
async function useNewMachine() {
  const { XDG_STATE_HOME } = process.env;
  process.env.XDG_STATE_HOME = await tempFolder();
  runLater(() => (process.env.XDG_STATE_HOME = XDG_STATE_HOME));
}

describe.each(engines())("$name", ({ create }) => {
  let settings: StoreSettings;
  beforeEach(async () => (settings = await create()));

  /** Deletes everything after an event, as a restore to an earlier state does. */
  const rollBack = (seq: number) =>
    withStore(settings, ({ database }) =>
      database.transaction(async (run) => {
        await run("DELETE FROM fxdesk_journal_entries WHERE latest_seq > $1", [seq]);
        for (const table of ["fxdesk_journal_details", "fxdesk_journal_events"])
          await run(`DELETE FROM ${table} WHERE seq > $1`, [seq]);
      }),
    );

  test("stops money once the tables are those of an earlier state, until it is confirmed", async () => {
    const { book, open, refused, server } = await setUp(settings);
    await book("q-1");
    await book("q-2");
    await rollBack(3);
    for (const quote of ["q-2", "q-3"]) expect(await refused(quote)).toBe(2);
    const outcomes = () => open().orders.findOutcomes({ quote: "q-2" });
    expect(await outcomes()).toMatchObject({ complete: false, warning: expect.any(String) as string });
    expect(await confirm(settings)).toEqual(["confirmed", "checked"]);
    expect(await outcomes()).toEqual({
      outcomes: [expect.objectContaining({ state: "not-sent" })],
      complete: true,
    });
    await book("q-3");
    expect(server.heads).toHaveLength(3);
    const events = await withStore(settings, (store) => listEvents(store, "store"));
    expect(events).toMatchObject([
      {
        kind: "confirmed",
        content: { missing: [expect.stringMatching(/^5:/)] },
        details: { content: { by: "anna" } },
      },
      { kind: "checked" },
    ]);
    expect(await withStore(settings, (store) => verifyStore(store))).toMatchObject({ faultCount: 0 });
    expect(await confirm(settings)).toEqual([]);
  });

  test("stops money after a confirmation that was written without the store key", async () => {
    const { book, server } = await setUp(settings);
    await book("q-1");
    await withStore(settings, async (store) => {
      await recordRestored(store);
      const [restored] = await store.run("SELECT * FROM fxdesk_journal_events WHERE environment = 'store'");
      const event = { environment: "store", seq: 2, entry: "store", kind: "checked", content: "{}" };
      const at = Number(restored!.at);
      const hash = hashStoredEvent(String(restored!.hash), { ...event, at });
      await store.run(
        `INSERT INTO fxdesk_journal_events (environment, seq, entry, kind, content, at, hash, row_hash)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [...Object.values(event), at, hash, restored!.row_hash!],
      );
    });
    expect(await failureOf(book("q-2"))).toMatchObject({ outcome: "not-sent" });
    expect(server.heads).toHaveLength(1);
    expect(await withStore(settings, (store) => verifyStore(store))).toMatchObject({ faultCount: 1 });
  });

  test("stops money once the chain is another one of the same length", async () => {
    const { book, refused } = await setUp(settings);
    await book("q-1");
    await book("q-2");
    await rollBack(3);
    const journal = closeLater(await openJournal(settings));
    for (const key of ["other-1", "other-2"]) {
      const { entry } = await journal.claim(intent({ key }), longMs);
      await journal.recordOutcome(entry, notSent);
    }
    expect(await refused("q-2")).toBe(2);
  });

  test("stops money once the chain of another environment is deleted", async () => {
    const [first, second] = [await setUp(settings), await setUp(settings)];
    await first.book("q-1");
    await second.book("q-1");
    await withStore(settings, async ({ run }) => {
      for (const table of ["entries", "details", "events"])
        await run(`DELETE FROM fxdesk_journal_${table} WHERE environment = $1`, [`api ${first.server.url}`]);
    });
    expect(await second.refused("q-2")).toBe(1);
  });

  test("stops money of a client that is open", async () => {
    const { open, refused } = await setUp(settings);
    const client = open();
    await client.trades.book({ quote_id: "q-1", reason: "other" });
    await rollBack(0);
    expect(await refused("q-1", client)).toBe(1);
  });

  test("keeps a checkpoint of sent calls only, and none of a call that was not recorded as sent", async () => {
    const journal = closeLater(await openJournal(settings));
    const id = await withStore(settings, async (store) => store.id);
    const seen = () => new Checkpoints(settings).list(id).map(({ seq }) => seq);
    const { entry } = await journal.claim(intent({ key: randomUUID() }), longMs);
    await expect(
      journal.recordSent(entry, { guard: () => Promise.reject(new Error("stopped")) }),
    ).rejects.toThrow("stopped");
    expect(seen()).toEqual([]);
    await journal.recordSent(entry);
    expect(seen()).toEqual([2]);
    await journal.recordOutcome(entry, notSent);
    const { entry: next } = await journal.claim(intent({ key: randomUUID() }), longMs);
    await journal.recordSent(next);
    expect(seen()).toEqual([5]);
  });

  test("keeps the highest checkpoint of processes that write side by side", async () => {
    const id = await withStore(settings, async (store) => store.id);
    const chance = seededRandom(Number(process.env.FXDESK_SEED ?? 20_261_126));
    const writers = Array.from({ length: 4 }, () => new Checkpoints(settings));
    const highest = () => Math.max(0, ...writers[0]!.list(id).map(({ seq }) => seq));
    for (let round = 0; round < 25; round += 1) {
      const before = highest();
      const seqs = writers.map(() => before + chance.integer(1, 5) - 3).filter((seq) => seq > 0);
      const head = (seq: number) => ({ seq, hash: String(seq % 10).repeat(64) });
      await Promise.all(seqs.map((seq, index) => writers[index]!.note(id, "api", head(seq))));
      expect(highest()).toBe(Math.max(before, ...seqs));
    }
    expect(writers[0]!.list(id).length).toBeLessThanOrEqual(writers.length);
  });
});

describe("calls after a confirmed restore that is not checked", () => {
  const [{ create }] = engines() as [ReturnType<typeof engines>[number]];
  const payment = {
    "payment-service": "payments",
    "payment-product": "sepa-credit-transfers",
    debtorAccount: { iban: "DE89370400440532013000" },
    instructedAmount: { currency: "EUR", amount: "12.50" },
    creditorAccount: { iban: "FR6400000000000000012345697" },
    creditorName: "Ferme Duval SARL",
    "TPP-Redirect-URI": "https://app.example/done",
  } as const;

  test("are looked up first, and refused if that is impossible", async () => {
    const settings = await create();
    const sandbox = await openSandbox({ reusableQuotes: true });
    const storeKey = settings.key!.toString("base64");
    const client = openClient(sandbox, { store: settings.location, storeKey });
    const quotes = new Map<string, string>();
    const book = async (key: string, reference?: string) => {
      const quote_id = quotes.get(key) ?? (await makeQuote(openClient(sandbox)));
      quotes.set(key, quote_id);
      return client.trades.book.response(
        { quote_id, reason: "other", ...(reference && { reference }) },
        { key },
      );
    };
    await book("key-0", "INV-0");
    const backup = join(await tempFolder(), "backup.db");
    await backUpStore(settings, backup);
    const { body: first } = await book("key-1", "INV-1");
    const { body: unnamed } = await book("key-without-reference");
    await restoreStore(settings, backup);
    await confirm(settings, false);

    const repeated = await book("key-1", "INV-1");
    expect(repeated.journal).toMatchObject({ recovered: true });
    expect(repeated.body).toMatchObject({ trade_id: first.trade_id });
    const next = await book("key-2", "INV-2");
    expect(next.body.trade_id).not.toBe(first.trade_id);
    expect((await book("key-without-reference")).body).toMatchObject({ trade_id: unnamed.trade_id });
    const refused = { code: "store_restored", outcome: "not-sent" };
    expect(await failureOf(client.payments.initiate(payment, { key: "key-4" }))).toMatchObject(refused);
    const listed = await client.trades.list();
    const ours = listed.filter(({ reference }) => String(reference).startsWith("INV-"));
    expect(new Set(ours.map(({ reference }) => reference))).toEqual(new Set(["INV-0", "INV-1", "INV-2"]));
    expect(ours).toHaveLength(3);
    expect(await withStore(settings, (store) => verifyStore(store))).toMatchObject({ faultCount: 0 });

    expect(await confirm(settings)).toEqual(["checked"]);
    // The sandbox does not know the account, so the payment arrived there.
    const sent = client.payments.initiate(payment, { key: "key-4" });
    expect(await failureOf(sent)).toMatchObject({ outcome: "rejected" });
  });
});

describe("a store in a file", () => {
  const [{ create }] = engines() as [ReturnType<typeof engines>[number]];
  let settings: StoreSettings;
  beforeEach(async () => (settings = await create()));

  test.each<[name: string, replace: (backup: string) => Promise<unknown>]>([
    ["an old backup", (backup) => copyFile(backup, settings.location)],
    ["a new file", async () => undefined],
  ])("stops money once %s is in its place", async (_, replace) => {
    const { book, refused, open, server } = await setUp(settings);
    await book("q-1");
    const backup = join(await tempFolder(), "backup.db");
    await backUpStore(settings, backup);
    await book("q-2");
    for (const name of await readdir(dirname(settings.location)))
      await rm(join(dirname(settings.location), name), { force: true });
    await replace(backup);
    expect(await refused("q-2")).toBe(2);
    await confirm(settings);
    await open().trades.book({ quote_id: "q-3", reason: "other" });
    expect(server.heads).toHaveLength(3);
  });

  test("stops money from a copy without its log", async () => {
    const { open, refused } = await setUp(settings);
    await open().trades.book({ quote_id: "q-1", reason: "other" });
    const copy = join(await tempFolder(), "store.db");
    await copyFile(settings.location, copy);
    expect(await refused("q-1", open(copy))).toBe(1);
  });

  test("stops money after `restore` on every machine, also of an open client", async () => {
    const { book, open, refused, server } = await setUp(settings);
    await book("q-1");
    const backup = join(await tempFolder(), "backup.db");
    await backUpStore(settings, backup);
    const client = open();
    await client.trades.book({ quote_id: "q-2", reason: "other" });
    expect(await restoreStore(settings, backup)).toEqual({ store: settings.location, entries: 1 });
    for (const quote of ["q-2", "q-3"]) expect(await refused(quote, client)).toBe(2);
    await useNewMachine();
    for (const quote of ["q-2", "q-3"]) expect(await refused(quote)).toBe(2);
    expect(await confirm(settings)).toEqual(["confirmed", "checked"]);
    await book("q-3");
    expect(server.heads).toHaveLength(3);
  });

  test.each<[name: string, make: (path: string) => Promise<unknown>, message: string]>([
    [
      "another database",
      (path) => withStore({ ...settings, location: path, key: Buffer.alloc(32) }, async () => undefined),
      "another FXDESK_STORE_KEY",
    ],
    ["no database", (path) => copyFile(__filename, path), "not a database"],
  ])("restores nothing from %s", async (_, make, message) => {
    const { book, server } = await setUp(settings);
    await book("q-1");
    const path = join(await tempFolder(), "other.db");
    await make(path);
    await expect(restoreStore(settings, path)).rejects.toThrow(message);
    await book("q-2");
    expect(server.heads).toHaveLength(2);
    expect(await readdir(dirname(settings.location))).not.toContainEqual(
      expect.stringContaining("restoring"),
    );
  });

  test("keeps checkpoints beside the people file", async () => {
    const people = join(await tempFolder(), "people.json");
    const { book } = await setUp({ ...settings, people });
    await book("q-1");
    expect(await readdir(`${people}.checkpoints`)).toEqual([expect.stringMatching(/\.2\.[0-9a-f]{64}$/)]);
  });
});
