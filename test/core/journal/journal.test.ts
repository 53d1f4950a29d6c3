/** Guarantees of the journal on every engine. */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { promisify } from "node:util";
import * as fc from "fast-check";
import { parseEntryRow, writeEntryRow } from "../../../core/journal/entry-rows";
import { listEvents } from "../../../core/journal/events";
import { withStore } from "../../../core/store/open";
import { verifyStore } from "../../../core/journal/verify-store";
import type { Claim, EntryOutcome, Entry, Intent } from "../../../core/journal/entry";
import { type Journal, openJournal } from "../../../core/journal/journal";
import type { StoreSettings } from "../../../core/store/settings";
import { eventually } from "../../support/eventually";
import { closeLater } from "../../support/resources";
import { engines } from "../store/engines";
import { done, intent, longMs, notSent, rejected, unknown } from "./fixtures";
import { startDatabaseProxy } from "./database-proxy";

const never = new AbortController().signal;
const kinds = (claims: readonly Claim[]) => claims.map(({ kind }) => kind);

const runs = Number(process.env.FXDESK_RUNS ?? 25);

describe.each(engines())("$name", ({ name, create }) => {
  let settings: StoreSettings;
  beforeAll(async () => (settings = await create()));

  const open = async (where = settings) => closeLater(await openJournal(where));

  /** An intent under a key that no other test uses. */
  const fresh = (given: Partial<Intent> = {}) => intent({ key: randomBytes(8).toString("hex"), ...given });

  async function claimed(journal: Journal, wanted = fresh(), holdMs = longMs): Promise<Entry> {
    const claim = await journal.claim(wanted, holdMs);
    expect(claim.kind).toBe("mine");
    return claim.entry;
  }

  test("reads an intent back unchanged in every process", async () => {
    const wanted = fresh();
    const entry = await claimed(await open(), wanted);
    expect(entry).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      environment: wanted.environment,
      client: wanted.client,
      operation: wanted.operation,
      key: wanted.key,
      terms: wanted.terms,
      surface: wanted.surface,
      reference: "FX-1",
      state: "intended",
      begunAt: expect.any(Number) as number,
      changedAt: entry.begunAt,
      ending: undefined,
      intent: wanted.details,
      endingDetails: undefined,
    });
    expect(Math.abs(entry.begunAt - Date.now())).toBeLessThan(60_000);
    const other = await open();
    expect(await other.get(entry.id)).toEqual(entry);
    expect(await other.get("another")).toBeUndefined();
    for (const elsewhere of [
      { environment: "production" },
      { client: "c-2" },
      { operation: "payments.initiate" },
    ])
      await claimed(other, { ...wanted, ...elsewhere });
  });

  test("replaces only an unknown outcome, by any process", async () => {
    const [journal, other] = [await open(), await open()];
    const outcomes = [done, rejected, notSent, unknown];
    for (const first of outcomes)
      for (const { state } of outcomes) {
        const entry = await claimed(journal);
        await journal.recordSent(entry);
        const ended = await journal.recordOutcome(entry, first);
        expect(await other.recordOutcome(entry, first)).toEqual(ended);
        const replaced = other.recordOutcome(entry, { state, by: "person", details: { note: "seen" } });
        if (first === unknown) expect(await replaced).toMatchObject({ state, ending: { by: "person" } });
        else if (first === notSent && state === "not-sent") expect(await replaced).toEqual(ended);
        else await expect(replaced).rejects.toThrow(`already has the outcome ${first.state}`);
      }
  });

  test("refuses to send or end the call of another process", async () => {
    const entry = await claimed(await open());
    const other = await open();
    await expect(other.recordSent(entry)).rejects.toThrow("no longer holds the entry");
    await expect(other.recordOutcome(entry, done)).rejects.toThrow("another process claimed the call");
    expect((await other.get(entry.id))!.state).toBe("intended");
  });

  test("keeps an unknown outcome from the process of an older claim", async () => {
    const [older, newer] = [await open(), await open()];
    const given = fresh();
    const { entry } = await older.claim(given, longMs);
    await older.recordOutcome(entry, notSent);
    const { entry: again } = await newer.claim(given, longMs);
    await newer.recordSent(again);
    await newer.recordOutcome(again, unknown);
    await expect(older.recordOutcome(entry, { ...notSent, code: "timeout" })).rejects.toThrow(
      "another process claimed the call",
    );
    expect(await newer.get(entry.id)).toMatchObject({ state: "unknown" });
  });

  test("restarts the claim's lifetime when sent, and records sent once", async () => {
    const journal = await open();
    const entry = await claimed(journal);
    await withStore(settings, async ({ run, sealer }) => {
      const [row] = await run("SELECT * FROM fxdesk_journal_entries WHERE id = $1", [entry.id]);
      const { sql, values } = writeEntryRow(sealer, { ...parseEntryRow(row!), claim_expires_at: 0 });
      await run(sql, values);
    });
    await journal.recordSent(entry);
    await journal.recordSent(entry);
    const stopped = AbortSignal.timeout(50);
    await expect((await open()).waitForOutcome(entry.id, stopped)).rejects.toThrow("timeout");
    const kindsOfEvents = await withStore(settings, ({ database }) =>
      database.run("SELECT kind FROM fxdesk_journal_events WHERE entry = $1 ORDER BY seq", [entry.id]),
    );
    expect(kindsOfEvents.map(({ kind }) => kind)).toEqual(["intent", "sent"]);
  });

  test("serialises concurrent appends and loses none", async () => {
    const journal = await open(await create());
    const wanted = Array.from({ length: 50 }, () => fresh());
    const claims = await Promise.all([...wanted, ...wanted].map((each) => journal.claim(each, longMs)));
    expect(kinds(claims)).toEqual([...wanted.map(() => "mine"), ...wanted.map(() => "theirs")]);
    expect(await journal.list()).toHaveLength(50);
  });

  test("fails one append without failing the others of its batch", async () => {
    const journal = await open();
    const entry = await claimed(journal);
    const stranger = { ...entry, id: "another" };
    const outcomes = await Promise.allSettled([
      journal.recordSent(stranger),
      journal.recordSent(entry),
      journal.recordOutcome(stranger, done),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "rejected"]);
    expect((await journal.get(entry.id))!.state).toBe("sent");
  });

  test("keeps two claims of one process apart", async () => {
    const [journal, wanted] = [await open(), fresh()];
    const first = await claimed(journal, wanted, 1);
    await (await open()).waitForOutcome(first.id, never);
    const second = await claimed(journal, wanted);
    // The first call goes on late, although it counts as not sent.
    await expect(journal.recordSent(first)).rejects.toThrow("no longer holds");
    await journal.recordSent(second);
    await expect(journal.recordSent(first)).rejects.toThrow("no longer holds");
    await expect(journal.recordOutcome(first, notSent)).rejects.toThrow("another process");
    expect((await journal.get(second.id))!.state).toBe("sent");
    await journal.recordOutcome(second, done);
  });

  test("encrypts details if a key is set", async () => {
    const journal = await open();
    const entry = await claimed(journal);
    await journal.recordOutcome(entry, done);
    const rows = await withStore(settings, async ({ database: { run } }) => [
      await run("SELECT * FROM fxdesk_journal_events"),
      await run("SELECT * FROM fxdesk_journal_details"),
      await run("SELECT * FROM fxdesk_journal_entries"),
    ]);
    // Base64 can contain a short name by chance, but not with another character on both sides.
    for (const words of ["jane", "Ångström", "FX-1", "1\\.090868"])
      expect(JSON.stringify(rows)).not.toMatch(new RegExp(`(?<![\\w+/])${words}(?![\\w+/])`));
    expect(JSON.stringify(rows)).toContain("trade-1");
    await expect(
      openJournal({ ...settings, key: undefined }).then((other) => other.get(entry.id)),
    ).rejects.toThrow("FXDESK_STORE_KEY");
  });

  test("finishes queued work on close and refuses later work", async () => {
    const journal = await openJournal(settings);
    const wanted = fresh();
    const claim = journal.claim(wanted, longMs);
    await journal.close();
    const { kind, entry } = await claim;
    expect(kind).toBe("mine");
    await expect(journal.get(entry.id)).rejects.toThrow("closed");
    await expect(journal.claim(wanted, longMs)).rejects.toThrow("closed");
  });

  test("does not keep the process alive while idle", async () => {
    const script = `
      const { openJournal } = require(${JSON.stringify(join(__dirname, "../../../dist/core/journal/journal.js"))});
      const settings = { location: ${JSON.stringify(settings.location)}, key: Buffer.from("${settings.key!.toString("hex")}", "hex") };
      openJournal(settings)
        .then((journal) => journal.claim(${JSON.stringify(fresh())}, 1000))
        .then(({ kind }) => console.log(kind));`;
    const { stdout } = await promisify(execFile)(process.execPath, ["-e", script], { timeout: 20_000 });
    expect(stdout).toBe("mine\n");
  });

  const inStore = <T>(work: Parameters<typeof withStore<T>>[1]) => withStore(settings, work);
  const kindsIn = (id: string) =>
    inStore(async (store) => (await listEvents(store, id)).map(({ kind }) => kind));

  const second = "event 2 of sandbox https://sandbox.example.com";
  const changes: readonly (readonly [change: string, words: string])[] = [
    ["UPDATE fxdesk_journal_events SET at = at + 1 WHERE seq = 2", `${second}: its hash does not match`],
    ["UPDATE fxdesk_journal_events SET content = '{' WHERE seq = 2", `${second}: is malformed`],
    ["DELETE FROM fxdesk_journal_events WHERE seq = 2", ": event 3 follows event 1"],
    ["DELETE FROM fxdesk_journal_events WHERE seq = 3", "end: no chain contains the given head 3:"],
    ["DELETE FROM fxdesk_journal_events WHERE seq = 3", ": is missing, although it has details"],
    ["DELETE FROM fxdesk_journal_details WHERE seq = 1", ": its details are missing, and no event"],
    ["UPDATE fxdesk_journal_details SET seq = 2 WHERE seq = 1", `${second}: its details cannot be read`],
    ["DELETE FROM fxdesk_journal_entries", "is missing, although it has events"],
    ["UPDATE fxdesk_journal_entries SET id = 'x'", "entry x: has no event"],
    ["UPDATE fxdesk_journal_entries SET environment = 'x'", ": has no event"],
  ];

  test("detects changes in the store", async () => {
    const own = await create();
    const journal = await open(own);
    const entry = await claimed(journal);
    await journal.recordSent(entry);
    await journal.recordOutcome(entry, done);
    await withStore(own, async (store) => {
      const { heads, faults } = await verifyStore(store);
      expect(faults).toEqual([]);
      for (const [change, words] of changes) {
        const undone = new Error("undone");
        const found = store.database.transaction(async (run) => {
          await run(change);
          const verified = await verifyStore(store, { heads });
          const said = verified.faults.map(({ where, message }) => `${where}: ${message}`).join("\n");
          expect({ change, said }).toEqual({ change, said: expect.stringContaining(words) as string });
          throw undone;
        });
        await expect(found).rejects.toBe(undone);
      }
    });
  });

  describe("processes that compete for keys", () => {
    const fates = ["done", "rejected", "unknown", "not-sent", "dies before", "dies after"] as const;
    type Fate = (typeof fates)[number];
    const endings: Readonly<Record<string, EntryOutcome>> = { done, rejected, unknown, "not-sent": notSent };

    /** Makes a call like a client. Returns undefined if the simulated process dies. */
    async function make(journal: Journal, wanted: Intent, nextFate: () => Fate, sent: string[]) {
      for (;;) {
        const fate = nextFate();
        const { kind, entry } = await journal.claim(wanted, fate.startsWith("dies") ? 1 : longMs);
        if (kind === "mine") {
          if (fate === "dies before") return undefined;
          const isOver = await journal.recordSent(entry).then(
            () => false,
            () => true,
          );
          // The claim is short, so another process may have taken it over.
          if (isOver && fate === "dies after") return undefined;
          expect(isOver).toBe(false);
          sent.push(fate);
          if (fate === "dies after") return undefined;
          return journal.recordOutcome(entry, endings[fate]!);
        }
        const ended = kind === "theirs" ? await journal.waitForOutcome(entry.id, never) : entry;
        if (ended.state !== "not-sent") return ended;
      }
    }

    test("sends once and returns the outcome to all others", async () => {
      const shared = await Promise.all([open(), open(), open(), open()]);
      const racing = fc.record({
        count: fc.integer({ min: 2, max: 4 }),
        fates: fc.array(fc.constantFrom(...fates), { minLength: 1, maxLength: 8 }),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(racing, { minLength: 1, maxLength: 3 }), async (races) => {
          await Promise.all(
            races.map(async ({ count, fates: given }) => {
              const [wanted, sent, left] = [fresh(), [] as string[], [...given]];
              const nextFate = () => left.shift() ?? "done";
              const makers = shared.slice(0, count).map((journal) => make(journal, wanted, nextFate, sent));
              const outcomes = await Promise.all(makers);
              expect(sent.filter((fate) => fate !== "not-sent").length).toBeLessThanOrEqual(1);
              const final = (await shared[0]!.list()).find(({ key }) => key === wanted.key)!;
              for (const outcome of outcomes)
                if (outcome && outcome.state !== "not-sent") expect(outcome).toEqual(final);
            }),
          );
        }),
        { numRuns: runs },
      );
      expect((await inStore((store) => verifyStore(store))).faults).toEqual([]);
    });
  });

  if (name === "PostgreSQL") {
    test("closes an idle connection and reopens it on use", async () => {
      const own = await create();
      const database = new URL(own.location).pathname.slice(1);
      const connections = () =>
        inStore(async ({ database: { run } }) => {
          const [row] = await run("SELECT count(*) AS count FROM pg_stat_activity WHERE datname = $1", [
            database,
          ]);
          return Number(row!.count);
        });
      jest.useFakeTimers({
        doNotFake: ["nextTick", "setImmediate", "setInterval", "performance", "Date", "queueMicrotask"],
      });
      const journal = await open(own);
      const entry = await claimed(journal);
      await journal.recordSent(entry);
      expect(await connections()).toBe(1);
      jest.advanceTimersByTime(61_000);
      jest.useRealTimers();
      await eventually(async () => (await connections()) === 0, { withinMs: 5_000, what: "no connection" });
      expect((await journal.recordOutcome(entry, done)).state).toBe("done");
      expect(await connections()).toBe(1);
    });

    test("detects its own commit if the response was lost", async () => {
      const cut = await startDatabaseProxy(settings);
      const journal = await open(cut.settings);
      cut.dropNextCommitResponse();
      const entry = await claimed(journal);
      cut.dropNextCommitResponse();
      await journal.recordSent(entry);
      cut.dropNextCommitResponse();
      expect((await journal.recordOutcome(entry, done)).state).toBe("done");
      expect(await kindsIn(entry.id)).toEqual(["intent", "sent", "ended"]);
    });

    test("claims and sends nothing while the database is down, then continues", async () => {
      const cut = await startDatabaseProxy(settings);
      const journal = await open(cut.settings);
      const entry = await claimed(journal);
      await cut.disconnect();
      await expect(journal.recordSent(entry)).rejects.toThrow("ECONNREFUSED");
      await expect(journal.get(entry.id)).rejects.toThrow("ECONNREFUSED");
      const many = await Promise.allSettled([1, 2, 3].map(() => journal.claim(fresh(), longMs)));
      expect(many.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
      await expect(openJournal(cut.settings)).rejects.toThrow("ECONNREFUSED");
      await cut.reconnect();
      await journal.recordSent(entry);
      await journal.recordOutcome(entry, done);
      expect(await kindsIn(entry.id)).toEqual(["intent", "sent", "ended"]);
    });
  }
});
