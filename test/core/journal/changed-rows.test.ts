/** Rows that were changed in the store: each change is an error when the row is read, and a fault of the verification. */
import { canonicalJson } from "../../../core/values/json";
import { type Journal, openJournal } from "../../../core/journal/journal";
import type { Entry } from "../../../core/journal/entry";
import { verifyStore } from "../../../core/journal/verify-store";
import type { Value } from "../../../core/store/database";
import { openStore, type Store } from "../../../core/store/open";
import type { StoreSettings } from "../../../core/store/settings";
import { closeLater, runLater } from "../../support/resources";
import { type Engine, engines } from "../store/engines";
import { done, intent, longMs, rejected, unknown } from "./fixtures";

const tables = ["fxdesk_journal_events", "fxdesk_journal_details", "fxdesk_journal_entries"];

/** Opens the journal and the store with an entry for each outcome. */
async function fill(settings: StoreSettings) {
  const journal = closeLater(await openJournal(settings));
  const entries: Entry[] = [];
  for (const ending of [done, rejected, unknown]) {
    const { entry } = await journal.claim(intent({ key: ending.state }), longMs);
    await journal.recordSent(entry);
    entries.push(await journal.recordOutcome(entry, ending));
  }
  const store = await openStore(settings);
  runLater(() => store.database.close());
  return { journal, store, entries };
}

/** Values that differ from a stored one, of the same type. */
const others = (value: Value): Value[] =>
  value === null
    ? ["1"]
    : /^\d+$/.test(String(value))
      ? [Number(value) + 1, 9_000_000_000_000_000]
      : [`${String(value)}x`, "not-sent"];

const attempt = (reading: Promise<unknown>) => reading.then(canonicalResult, () => "error");
const canonicalResult = (value: unknown): string => canonicalJson({ value });

/** What callers hear of the entries: by ID, by key and in the list. */
const readAll = async (journal: Journal, entries: readonly Entry[]): Promise<string[]> =>
  Promise.all([
    ...entries.map(({ id }) => attempt(journal.get(id))),
    ...entries.map(({ key }) => attempt(journal.claim(intent({ key }), longMs))),
    attempt(journal.list()),
  ]);

/** Runs a change, and undoes it after `check`. */
async function withChange(
  store: Store,
  table: string,
  change: () => Promise<unknown>,
  check: () => Promise<void>,
) {
  const before = await store.run(`SELECT * FROM ${table}`);
  await change();
  await check();
  await store.run(`DELETE FROM ${table}`);
  for (const row of before) {
    const columns = Object.keys(row);
    await store.run(
      `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map((_, index) => `$${index + 1}`).join(", ")})`,
      Object.values(row),
    );
  }
}

describe.each(engines())("$name", ({ create }: Engine) => {
  test.each([
    ["with a key", true],
    ["in plain text", false],
  ])(
    "no change of a column is believed, %s",
    async (_name, isSealed) => {
      const created = await create();
      const { journal, store, entries } = await fill(isSealed ? created : { ...created, key: undefined });
      const truth = await readAll(journal, entries);
      let changes = 0;
      for (const table of tables) {
        const rows = await store.run(`SELECT * FROM ${table}`);
        for (const [column, value] of Object.entries(rows[0]!))
          for (const other of others(value)) {
            const key = table === tables[2] ? ["id"] : ["environment", "seq"];
            const change = () =>
              store.run(
                `UPDATE ${table} SET ${column} = $1 WHERE ${key.map((name, index) => `${name} = $${index + 2}`).join(" AND ")}`,
                [other, ...key.map((name) => rows[0]![name]!)],
              );
            const isPossible = await store.database
              .transaction(async () => {
                await change();
                throw new Error("undone");
              })
              .catch((error: Error) => error.message === "undone");
            if (!isPossible) continue;
            changes += 1;
            await withChange(store, table, change, async () => {
              const what = `${table}.${column} = ${String(other)}`;
              expect({ what, faults: (await verifyStore(store)).faultCount }).not.toEqual({
                what,
                faults: 0,
              });
              const heard = await readAll(journal, entries);
              const lies = heard.filter((text, index) => text !== "error" && text !== truth[index]);
              expect({ what, lies }).toEqual({ what, lies: [] });
            });
          }
      }
      expect(changes).toBeGreaterThan(50);
      expect(await readAll(journal, entries)).toEqual(truth);
    },
    60_000,
  );
});
