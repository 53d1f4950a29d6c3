/** Moves of a store: complete or not at all, between all engines; afterwards the old store is unusable. */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { saveResourceId, listResourceIds } from "../../../core/store/resource-ids";
import { acquireLease } from "../../../core/store/lease";
import { moveOf, setMove } from "../../../core/store/move-state";
import { moveStore } from "../../../core/store/move";
import { openDatabase, openStore, type Store, withStore } from "../../../core/store/open";
import { createTables, tables } from "../../../core/store/schema";
import { createSealer } from "../../../core/store/sealer";
import type { StoreSettings } from "../../../core/store/settings";
import { loadTokens, saveTokens } from "../../../core/store/tokens";
import { type Journal, openJournal } from "../../../core/journal/journal";
import { done, intent, longMs, unknown } from "../journal/fixtures";
import { type Engine, engines } from "./engines";

const pair = (number: number) => ({
  accessToken: `access-${number}`,
  refreshToken: `refresh-${number}`,
  remainingMs: 3_600_000,
});

/** Names whose sort order may differ between engines. */
const families = (count: number) =>
  Array.from({ length: count }, (_, number) => `${"aBÄ_-"[number % 5]}${number}`);
const consents = { environment: "api https://api.example.com", client: "c-1", operation: "consents.create" };
const seventh = families(8)[7]!;

async function fill(store: Store, count = 8): Promise<void> {
  for (const [number, family] of families(count).entries()) await saveTokens(store, family, 0, pair(number));
}

async function withJournal<T>(settings: StoreSettings, work: (journal: Journal) => Promise<T>): Promise<T> {
  const journal = await openJournal(settings);
  try {
    return await work(journal);
  } finally {
    await journal.close();
  }
}

/** Journals one done call and one with an unknown outcome. */
const makeCalls = (settings: StoreSettings) =>
  withJournal(settings, async (journal) => {
    for (const [key, ending] of [
      ["made", done],
      ["lost", unknown],
    ] as const) {
      const { entry } = await journal.claim(intent({ key }), longMs);
      await journal.recordSent(entry);
      await journal.recordOutcome(entry, ending);
    }
  });

const byText = (one: string, other: string) => (one < other ? -1 : 1);

/** Returns every row of every moved table as text, without sealed values. */
async function contents({ database: { run } }: Store): Promise<string[]> {
  const all: string[] = [];
  for (const { name, isTransient, sealed = [] } of tables) {
    if (isTransient) continue;
    for (const row of await run(`SELECT * FROM ${name}`)) {
      const open = Object.entries(row).filter(
        ([column]) => !sealed.includes(column) && column !== "row_hash",
      );
      const values = open.map(([column, value]) => `${column}: ${String(value)}`);
      all.push(`${name} ${values.toSorted(byText).join(", ")}`);
    }
  }
  return all.toSorted(byText);
}

/** Accesses the tables of a store in any state of a move. */
async function withDatabase<T>(
  settings: StoreSettings,
  work: (database: Store["database"]) => Promise<T>,
): Promise<T> {
  const database = await openDatabase(settings);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

const namesOf = (database: Store["database"]) =>
  database.run(
    database.description.startsWith("postgres")
      ? "SELECT tablename AS name FROM pg_tables WHERE tablename LIKE 'fxdesk%'"
      : "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'fxdesk%'",
  );

const all = engines();
const pairs = all.flatMap((from) => all.map((to) => [from.name, to.name, from, to] as const));
/** Pairs of different engines, or the single pair if there is only one engine. */
const differentEngines = pairs.filter(([from, to]) => from !== to || all.length === 1);
const otherKey = Buffer.alloc(32, 5);

const createStores = async (from: Engine, to: Engine): Promise<[StoreSettings, StoreSettings]> => [
  await from.create(),
  { ...(await to.create()), key: otherKey },
];

describe.each(all)("$name", ({ create }) => {
  test("declares every table with its key and sealed columns", async () => {
    await withStore(await create(), async ({ database }) => {
      const names = (await namesOf(database)).map(({ name }) => String(name));
      const own = ["fxdesk_meta", "fxdesk_moves"];
      expect(names.toSorted()).toEqual([...own, ...tables.map(({ name }) => name)].toSorted());
      for (const { name, key, sealed = [] } of tables)
        await database.run(`SELECT ${[...key, ...sealed].join(", ")} FROM ${name}`);
    });
  });
});

test.each(pairs)("moves everything from %s to %s and seals it again", async (_, __, fromEngine, toEngine) => {
  const [from, to] = await createStores(fromEngine, toEngine);
  await makeCalls(from);
  // More rows than one batch copies.
  const count = 450;
  const before = await withStore(from, async (store) => {
    await fill(store, count);
    await saveResourceId(store, consents, "consent_id", { id: "consent-1", given: {} });
    return contents(store);
  });
  const { rows } = await moveStore(from, to);
  expect(rows).toMatchObject({ fxdesk_tokens: count, fxdesk_resource_ids: 1, fxdesk_journal_events: 6 });
  await withStore(to, async (store) => {
    expect(await contents(store)).toEqual(before);
    for (const [number, family] of families(count).entries())
      expect(await loadTokens(store, family)).toMatchObject({ accessToken: `access-${number}`, version: 1 });
    expect(await saveTokens(store, seventh, 1, pair(8))).toBe(true);
    expect(await listResourceIds(store, consents)).toMatchObject([{ id: "consent-1" }]);
  });
  await withJournal(to, async (journal) => {
    expect(await journal.claim(intent({ key: "made" }), longMs)).toMatchObject({
      kind: "ended",
      entry: { state: "done", intent: { actor: "jane" }, endingDetails: done.details },
    });
    const { entry } = await journal.claim(intent({ key: "lost" }), longMs);
    expect(await journal.recordOutcome(entry, { ...done, by: "recovery" })).toMatchObject({ state: "done" });
  });
});

describe.each(differentEngines)("from %s to %s", (_, __, fromEngine: Engine, toEngine: Engine) => {
  let [from, to]: StoreSettings[] = [];
  let third: StoreSettings;
  beforeEach(async () => ([from, to] = await createStores(fromEngine, toEngine)));

  const load = (store: Store) => loadTokens(store, seventh);
  const isUntouched = async () => {
    expect(await withStore(from!, load)).toMatchObject({ accessToken: "access-7" });
  };

  test("names the new location in the old store, also to open connections, and refuses other moves", async () => {
    const open = await openStore(from!);
    await saveTokens(open, "family", 0, pair(1));
    const refusal = `moved to ${(await moveStore(from!, to!)).to}`;
    for (const attempt of [
      async () => withStore(from!, load),
      async () => moveStore(from!, await fromEngine.create()),
      async () => moveStore(await fromEngine.create(), from!),
      async () => loadTokens(open, "family"),
      async () => saveTokens(open, "family", 1, pair(2)),
      async () => acquireLease(open.database, "work", 1_000),
      async () => open.database.transaction((run) => run("UPDATE fxdesk_tokens SET version = 9")),
    ])
      await expect(attempt()).rejects.toThrow(refusal);
    await open.database.close();
  });

  const isBusy = (move: Promise<unknown>) => expect(move).rejects.toThrow("Nothing was moved. Try again");

  test("does not move while a process uses the store", async () => {
    await withStore(from!, async (store) => {
      await fill(store);
      const lease = await acquireLease(store.database, "tokens", 60_000);
      await isBusy(moveStore(from!, to!));
      await lease!.release();
    });
    await isUntouched();
    await moveStore(from!, to!);
  });

  test("does not move during a money call", async () => {
    await withStore(from!, (store) => fill(store));
    await withJournal(from!, async (journal) => {
      const { entry } = await journal.claim(intent(), longMs);
      await isBusy(moveStore(from!, to!));
      await journal.recordSent(entry);
      await isBusy(moveStore(from!, to!));
      await journal.recordOutcome(entry, done);
      await isUntouched();
      const { to: place } = await moveStore(from!, to!);
      const refusal = `The store moved to ${place}`;
      await expect(journal.claim(intent({ key: "another" }), longMs)).rejects.toThrow(refusal);
      await expect(journal.get(entry.id)).rejects.toThrow(refusal);
    });
  });

  test.each<[what: string, words: string, given: () => [StoreSettings, StoreSettings]]>([
    ["to a store with data", "target of a move must be empty. Nothing was moved", () => [from!, to!]],
    ["with a wrong key", "another FXDESK_STORE_KEY", () => [{ ...from!, key: Buffer.alloc(32) }, third]],
    ["onto itself", "is both the source and the target of the move", () => [from!, from!]],
  ])("does not move %s", async (_what, words, given) => {
    await withStore(from!, (store) => fill(store));
    await withStore(to!, (store) => saveTokens(store, "another", 0, pair(1)));
    third = { ...(await toEngine.create()), key: otherKey };
    await expect(moveStore(...given())).rejects.toThrow(words);
    await isUntouched();
    await withStore(to!, async ({ run }) => {
      expect(await run("SELECT family FROM fxdesk_tokens")).toEqual([{ family: "another" }]);
    });
    await moveStore(from!, third);
  });

  test("completes a move that was interrupted after the copy", async () => {
    await withStore(from!, (store) => fill(store));
    await moveStore(from!, to!);
    // Simulates a crash after the copy, before the old store was marked.
    await withDatabase(from!, async ({ run }) => {
      const { id } = (await moveOf(run))!;
      for (const { name } of tables) await run(`ALTER TABLE ${name}_left RENAME TO ${name}`);
      await setMove(run, { id, stage: "leaving", place: "" });
      await withDatabase(to!, (copy) => setMove(copy.run, { id, stage: "arriving", place: "the old place" }));
    });
    await isUntouched();
    await expect(withStore(to!, load)).rejects.toThrow(
      "The move from the old place to this store is incomplete",
    );
    third = await toEngine.create();
    await expect(moveStore(await fromEngine.create(), to!)).rejects.toThrow(
      "is already the target of another move, from the old place",
    );
    await expect(moveStore(to!, third)).rejects.toThrow("an incomplete copy");
    await withStore(from!, (store) => saveTokens(store, seventh, 1, pair(99)));
    await moveStore(from!, to!);
    expect(await withStore(to!, load)).toMatchObject({ accessToken: "access-99", version: 2 });
  });

  test("completes a move that was interrupted after the old store was marked", async () => {
    await withStore(from!, (store) => fill(store));
    const { rows } = await moveStore(from!, to!);
    const { id } = (await withDatabase(from!, ({ run }) => moveOf(run)))!;
    await withDatabase(to!, ({ run }) => setMove(run, { id, stage: "arriving", place: "the old place" }));
    await expect(withStore(to!, load)).rejects.toThrow("to this store is incomplete");
    expect((await moveStore(from!, to!)).rows).toEqual(rows);
    expect(await withStore(to!, load)).toMatchObject({ accessToken: "access-7" });
  });

  test("stops if a copied row differs", async () => {
    await makeCalls(from!);
    // An extra column with a default makes copied rows differ.
    await withDatabase(to!, (database) =>
      database.transaction(async (run) => {
        await createTables(run, database, createSealer(to!.key));
        await run("ALTER TABLE fxdesk_journal_details ADD COLUMN more BIGINT NOT NULL DEFAULT 1");
      }),
    );
    await expect(moveStore(from!, to!)).rejects.toThrow("differs from its source (4 of 4 rows)");
    expect((await withDatabase(from!, ({ run }) => moveOf(run)))?.stage).toBe("leaving");
  });
});

/** Script that writes token pairs until one is refused, then prints the last version and the reason. */
function writer(settings: StoreSettings, family: string): ChildProcess {
  const built = (name: string) => JSON.stringify(join(__dirname, `../../../dist/core/store/${name}.js`));
  const script = `
    const { withStore } = require(${built("open")});
    const { saveTokens } = require(${built("tokens")});
    const settings = { location: process.env.PLACE, key: Buffer.from(process.env.KEY, "base64") };
    const write = (version) => withStore(settings, (store) =>
      saveTokens(store, ${JSON.stringify(family)}, version - 1,
        { accessToken: "access-" + version, refreshToken: "refresh", remainingMs: 1000 }));
    (async () => {
      for (let version = 1; ; version += 1) {
        const refused = await write(version).then(() => undefined, ({ message }) => message);
        if (version === 1) console.log("begun");
        if (refused) return console.log(JSON.stringify({ version: version - 1, refused }));
      }
    })();`;
  const env = { ...process.env, PLACE: settings.location, KEY: settings.key!.toString("base64") };
  return spawn(process.execPath, ["-e", script], { env, stdio: ["ignore", "pipe", "inherit"] });
}

test.each(differentEngines)(
  "stores or refuses every concurrent write during a move from %s to %s",
  async (_, __, fromEngine, toEngine) => {
    const [from, to] = await createStores(fromEngine, toEngine);
    const writers = ["a", "b"].map((family) => {
      const lines = createInterface(writer(from, family).stdout!)[Symbol.asyncIterator]();
      return { family, next: async () => String((await lines.next()).value) };
    });
    for (const { next } of writers) expect(await next()).toBe("begun");
    const moved = await moveStore(from, to);
    for (const { family, next } of writers) {
      const { version, refused } = JSON.parse(await next()) as { version: number; refused: string };
      expect(refused).toContain(`The store moved to ${moved.to}`);
      const stored = await withStore(to, (store) => loadTokens(store, family));
      expect(stored).toMatchObject({ version, accessToken: `access-${version}` });
    }
  },
);
