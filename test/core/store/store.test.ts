/** Guarantees of the store on every engine: transactions, leases, tokens and IDs of created resources. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { checkStore } from "../../../core/client/check-store";
import type { CallScope } from "../../../core/store/call-scope";
import { acquireLease } from "../../../core/store/lease";
import { openDatabase, type Store, withStore } from "../../../core/store/open";
import { readMeta, schemaVersion, tables, writeMeta } from "../../../core/store/schema";
import {
  removeResourceId,
  forgetResourceIds,
  saveResourceId,
  listResourceIds,
  maxResourceIds,
} from "../../../core/store/resource-ids";
import type { StoreSettings } from "../../../core/store/settings";
import { expireTokens, loadTokens, saveTokens } from "../../../core/store/tokens";
import { forgeRows } from "../../support/forged-rows";
import { engines } from "./engines";

const pair = (number: number) => ({
  accessToken: `access-${number}`,
  refreshToken: `refresh-${number}`,
  remainingMs: 3_600_000,
});

/** Runs work concurrently on separate connections, like processes. */
const atOnce = <T>(count: number, settings: StoreSettings, work: (store: Store) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, () => withStore(settings, work)));

const storeId = async ({ run }: Store) => (await readMeta(run, "store_id"))!;

const scope: CallScope = {
  environment: "sandbox https://sandbox.example.com",
  client: "anna@example.com",
  operation: "consents.create",
};
const name = "consent_id";
const given = { validUntil: "2027-01-31" };

describe.each(engines())("$name", ({ create }) => {
  let settings: StoreSettings;
  beforeEach(async () => (settings = await create()));

  test("creates the tables once with concurrent processes", async () => {
    const seen = await atOnce(6, settings, storeId);
    expect(new Set(seen)).toEqual(new Set([expect.stringMatching(/^[0-9a-f-]{36}$/)]));
  });

  test("refuses a newer schema", async () => {
    await withStore(settings, ({ run }) => writeMeta(run, "schema_version", String(schemaVersion + 1)));
    await expect(withStore(settings, storeId)).rejects.toThrow(`has schema version ${schemaVersion + 1}`);
  });

  test("refuses a store of an earlier version, unchanged, and says how to export it", async () => {
    const database = await openDatabase(settings);
    await database.run(
      "CREATE TABLE fxdesk_migrations (version BIGINT PRIMARY KEY, applied_at BIGINT NOT NULL)",
    );
    for (const sealed of [settings, { ...settings, key: undefined }])
      await expect(withStore(sealed, storeId)).rejects.toThrow("fxdesk journal export");
    const names = (await database.run(database.tablesQuery)).map(({ name: table }) => String(table));
    expect(names.filter((table) => table.startsWith("fxdesk")).toSorted()).toEqual(["fxdesk_migrations"]);
    await database.close();
  });

  /** Returns all rows of all tables. */
  const contentsOf = async () => {
    const database = await openDatabase(settings);
    const found: Record<string, unknown> = {};
    for (const { name: table } of tables) found[table] = await database.run(`SELECT * FROM ${table}`);
    found.meta = await database.run("SELECT * FROM fxdesk_meta");
    await database.close();
    return found;
  };

  test.each<[given: string, key: Buffer | undefined, words: string]>([
    ["another key", Buffer.alloc(32), "another FXDESK_STORE_KEY"],
    ["no key", undefined, "set FXDESK_STORE_KEY"],
  ])("refuses an encrypted store with %s before anything is written", async (_given, wrong, words) => {
    await withStore(settings, storeId);
    const before = await contentsOf();
    const write = (store: Store) => saveTokens(store, "family", 0, pair(1));
    await expect(withStore({ ...settings, key: wrong }, write)).rejects.toThrow(words);
    await expect(checkStore({ ...settings, key: wrong })).rejects.toThrow(words);
    expect(await contentsOf()).toEqual(before);
  });

  test("refuses a store in plain text with a key before anything is written", async () => {
    await withStore({ ...settings, key: undefined }, (store) => saveTokens(store, "family", 0, pair(1)));
    const before = await contentsOf();
    const write = (store: Store) => saveTokens(store, "family", 1, pair(2));
    await expect(withStore(settings, write)).rejects.toThrow("fxdesk store move");
    expect(await contentsOf()).toEqual(before);
  });

  test("rejects every statement on a lost connection, without warnings", async () => {
    const script = `
      const { openStore } = require(${JSON.stringify(join(__dirname, "../../../dist/core/store/open.js"))});
      const settings = { location: ${JSON.stringify(settings.location)}, key: Buffer.from("${settings.key!.toString("hex")}", "hex") };
      openStore(settings).then(async ({ database }) => {
        await database.close();
        let refused = 0;
        for (let time = 0; time < 20; time += 1) await database.run("SELECT 1").catch(() => (refused += 1));
        console.log(refused);
      });`;
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ["-e", script]);
    expect({ refused: Number(stdout), stderr }).toEqual({ refused: 20, stderr: "" });
  });

  test("runs a transaction completely or not at all", async () => {
    const failing = withStore(settings, ({ database }) =>
      database.transaction(async (run) => {
        await run("INSERT INTO fxdesk_leases (name, fence, expires_at) VALUES ('a', 1, 0)");
        throw new Error("in between");
      }),
    );
    await expect(failing).rejects.toThrow("in between");
    expect(await withStore(settings, ({ run }) => run("SELECT * FROM fxdesk_leases"))).toEqual([]);
  });

  test("loses no update of concurrent transactions", async () => {
    await withStore(settings, ({ run }) =>
      run("INSERT INTO fxdesk_leases (name, fence, expires_at) VALUES ('count', 0, 0)"),
    );
    await atOnce(4, settings, async ({ database }) => {
      for (let count = 0; count < 50; count += 1)
        await database.run("UPDATE fxdesk_leases SET fence = fence + 1 WHERE name = $1", ["count"]);
    });
    const [row] = await withStore(settings, ({ run }) => run("SELECT fence FROM fxdesk_leases"));
    expect(Number(row!.fence)).toBe(200);
  });

  test("grants a lease to one of many, and to the next after release", async () => {
    const outcomes = await atOnce(8, settings, async ({ database }) => {
      const lease = await acquireLease(database, "work", 60_000);
      return lease !== undefined;
    });
    expect(outcomes.filter(Boolean)).toHaveLength(1);
    await withStore(settings, async ({ database }) => {
      expect(await acquireLease(database, "work", 60_000)).toBeUndefined();
      const other = await acquireLease(database, "other work", 60_000);
      await other!.release();
      expect(await acquireLease(database, "other work", 60_000)).toBeDefined();
    });
  });

  test("refuses to extend an expired lease", async () => {
    await withStore(settings, async ({ database }) => {
      const lease = await acquireLease(database, "work", 60_000);
      expect(await lease!.extend()).toBe(true);
      await database.run("UPDATE fxdesk_leases SET expires_at = 0");
      const next = await acquireLease(database, "work", 60_000);
      expect(next).toBeDefined();
      expect(await lease!.extend()).toBe(false);
      await lease!.release();
      expect(await next!.extend()).toBe(true);
      await next!.release();
      expect(await acquireLease(database, "work", 60_000)).toBeDefined();
    });
  });

  test("loads stored tokens with their remaining lifetime", async () => {
    await withStore(settings, async (store) => {
      expect(await loadTokens(store, "family")).toBeUndefined();
      expect(await saveTokens(store, "family", 0, pair(1))).toBe(true);
    });
    const stored = (await withStore(settings, (store) => loadTokens(store, "family")))!;
    expect(stored).toMatchObject({ accessToken: "access-1", refreshToken: "refresh-1", version: 1 });
    // PostgreSQL reads its clock for each value.
    expect(stored.lifetimeMs).toBeGreaterThanOrEqual(3_600_000);
    expect(stored.lifetimeMs).toBeLessThan(3_601_000);
    expect(stored.remainingMs).toBeLessThanOrEqual(3_600_000);
    expect(stored.remainingMs).toBeGreaterThan(3_540_000);
  });

  test("stores the first of two pairs that follow the same version", async () => {
    const saved = await atOnce(5, settings, (store) => saveTokens(store, "family", 0, pair(1)));
    expect(saved.filter(Boolean)).toHaveLength(1);
    await withStore(settings, async (store) => {
      expect(await saveTokens(store, "family", 1, pair(2))).toBe(true);
      expect(await saveTokens(store, "family", 1, pair(3))).toBe(false);
      expect(await loadTokens(store, "family")).toMatchObject({ accessToken: "access-2", version: 2 });
    });
  });

  test("expires a refused access token, but not a newer one", async () => {
    await withStore(settings, async (store) => {
      await saveTokens(store, "family", 0, pair(1));
      await saveTokens(store, "family", 1, pair(2));
      await expireTokens(store, "family", 1);
      expect((await loadTokens(store, "family"))!.remainingMs).toBeGreaterThan(0);
      await expireTokens(store, "family", 2);
      expect((await loadTokens(store, "family"))!.remainingMs).toBeLessThanOrEqual(0);
    });
  });

  test("encrypts tokens for their row and column, and refuses plain text in their place", async () => {
    await withStore(settings, async (store) => {
      await saveTokens(store, "family", 0, pair(1));
      const [row] = await store.run("SELECT content FROM fxdesk_tokens");
      expect(row!.content).not.toContain("access-1");
      await store.run("UPDATE fxdesk_tokens SET family = 'another'");
      await expect(loadTokens(store, "another")).rejects.toThrow("was changed or is incomplete");
      await store.run("UPDATE fxdesk_tokens SET family = 'family'");
      expect(await loadTokens(store, "family")).toMatchObject({ accessToken: "access-1" });
      await store.run("UPDATE fxdesk_tokens SET content = $1", [JSON.stringify(pair(2))]);
      await expect(loadTokens(store, "family")).rejects.toThrow("is not encrypted");
    });
  });

  const keep = (store: Store, id: string, where: Partial<CallScope> = {}) =>
    saveResourceId(store, { ...scope, ...where }, name, { id, given });
  const idsOf = async (store: Store, where: Partial<CallScope> = {}) =>
    (await listResourceIds(store, { ...scope, ...where })).map(({ id }) => id);
  /** Makes the stored IDs older. */
  const age = (store: Store) =>
    forgeRows(store, "UPDATE fxdesk_resource_ids SET created_at = created_at - 1000");

  const other = { client: "bert@example.com" };
  const elsewhere = { environment: "api https://api.example.com" };

  test("lists sealed IDs newest first by scope, and renews a repeated one", async () => {
    await withStore(settings, async (store) => {
      const before = Date.now();
      await keep(store, "c-1");
      await keep(store, "of-another", other);
      await keep(store, "elsewhere", elsewhere);
      await keep(store, "of-another-kind", { operation: "widgets.create" });
      await age(store);
      await keep(store, "c-2");

      const [newest, ...older] = await listResourceIds(store, scope);
      expect([newest, ...older]).toMatchObject([
        { id: "c-2", given },
        { id: "c-1", given },
      ]);
      expect(Math.abs(newest!.at - before)).toBeLessThan(60_000);
      const rows = await store.run("SELECT * FROM fxdesk_resource_ids");
      expect(JSON.stringify(rows)).not.toMatch(/of-another-kind|2027-01-31/);
      await age(store);
      await keep(store, "c-1");
      expect(await idsOf(store)).toEqual(["c-1", "c-2"]);
    });
  });

  test("removes an ended ID, or all of a client, but not those elsewhere", async () => {
    await withStore(settings, async (store) => {
      for (const id of ["c-1", "c-2", "c-3"]) await keep(store, id);
      await keep(store, "c-1", elsewhere);
      await keep(store, "of-another", other);
      await removeResourceId(store, scope.environment, "payment_id", "c-1");
      expect(await idsOf(store)).toHaveLength(3);
      await removeResourceId(store, scope.environment, name, "c-1");
      expect([await idsOf(store), await idsOf(store, elsewhere)]).toMatchObject([{ length: 2 }, ["c-1"]]);
      expect(await forgetResourceIds(store, scope.client)).toBe(3);
      expect([await idsOf(store), await idsOf(store, other)]).toEqual([[], ["of-another"]]);
    });
  });

  test("stores only the newest IDs of each scope", async () => {
    await withStore(settings, async (store) => {
      await keep(store, "of-another", other);
      await keep(store, "oldest");
      await age(store);
      for (let count = 0; count < maxResourceIds; count += 1) await keep(store, `c-${count}`);
      const ids = await idsOf(store);
      expect(ids).toHaveLength(maxResourceIds);
      expect(ids).not.toContain("oldest");
      expect(await store.run("SELECT id FROM fxdesk_resource_ids")).toHaveLength(maxResourceIds + 1);
    });
  });

  test("reports a tampered ID as a fault", async () => {
    await withStore(settings, async (store) => {
      for (const id of ["c-1", "c-2"]) await keep(store, id);
      await store.run(
        "UPDATE fxdesk_resource_ids SET content = (SELECT max(content) FROM fxdesk_resource_ids)",
      );
    });
    expect((await checkStore(settings)).faults).toEqual([expect.stringContaining("fxdesk_resource_ids")]);
  });
});
