/** Rows of releases, tokens and other tables that were changed in the store: `store check` finds each change. */
import { checkStore } from "../../../core/client/check-store";
import { openJournal } from "../../../core/journal/journal";
import { saveDecision, changeReleases, listReleases, readReleases } from "../../../core/releases/repository";
import { ReleaseService } from "../../../core/releases/release-service";
import type { Decision } from "../../../core/releases/release";
import type { Value } from "../../../core/store/database";
import { startHalt, findHalt } from "../../../core/store/halt";
import { openStore } from "../../../core/store/open";
import { listResourceIds, saveResourceId } from "../../../core/store/resource-ids";
import { findChangedRows } from "../../../core/store/rows";
import { otherTables } from "../../../core/store/schema";
import { StoreSession } from "../../../core/store/session";
import type { StoreSettings } from "../../../core/store/settings";
import { loadTokens, saveTokens } from "../../../core/store/tokens";
import { WatchRepository } from "../../../core/watches/repository";
import { canonicalJson } from "../../../core/values/json";
import { closeLater, runLater } from "../../support/resources";
import { done, intent, longMs } from "../journal/fixtures";
import { sampleRequest } from "../releases/sample-requests";
import { type Engine, engines } from "./engines";

/** Columns that need no hash. */
const harmless: Readonly<Record<string, string>> = {
  "fxdesk_leases.*": "who works on something: the transaction that writes the result decides",
  "fxdesk_rate_limits.*": "the pace of calls",
  "fxdesk_releases.fence": "who works on the release: the transaction that sends the call decides",
  "fxdesk_releases.lease_expires_at": "as fence",
  "fxdesk_watches.*": "the progress of a reader: deleting the row has the same effect",
  "fxdesk_watch_changes.found_at": "shown with a change, and decides nothing",
};

/** In plain text, also what a watch has seen: it sends nothing. */
const harmlessInPlain = new Set(["fxdesk_watch_states", "fxdesk_watch_changes"]);

const scope = { environment: "sandbox", client: "C-1", operation: "trades.book" };

/** Fills all tables, and returns the store. */
async function fill(settings: StoreSettings) {
  const session = new StoreSession(settings);
  runLater(() => session.close());
  const service = new ReleaseService(session);
  const { id, hash } = await service.request(sampleRequest("first"));
  const decision: Decision = {
    release: id,
    hash,
    person: "anna",
    decision: "release",
    at: 1,
    until: 2,
    factors: ["secret"],
    epoch: "1",
    mac: "ab",
    note: "fine",
  };
  await changeReleases(session, (access) => saveDecision(access, decision));
  const journal = closeLater(await openJournal(settings));
  const { entry } = await journal.claim(intent(), longMs);
  await journal.recordSent(entry);
  await journal.recordOutcome(entry, done);
  const store = await openStore(settings);
  runLater(() => store.database.close());
  await saveTokens(store, "family", 0, { accessToken: "one", refreshToken: "two", remainingMs: 60_000 });
  await saveResourceId(store, scope, "trade_id", { id: "T-1", given: {} });
  await startHalt(store, { environment: "api", by: "jane", reason: "wrong rates" });
  const watch = new WatchRepository(session, "transactions", "identity", {
    holdMs: longMs,
    minIntervalMs: 1,
    intervalMs: longMs,
  });
  await watch.acquireNextStep(0, 1);
  const found = { kind: "new", id: "1", entry: {} } as const;
  const updatedStates = new Map([["1", { state: { status: "a" }, day: "" }]]);
  await watch.saveRead(
    { version: 0, today: "2026-01-01", readDay: undefined },
    { changes: [found], updatedStates, removedIds: [], gaps: [] },
  );
  return { session, service, store, id };
}

/** Values that differ from a stored one, of the same type. */
const others = (value: Value): Value[] =>
  value === null
    ? ["1"]
    : /^\d+$/.test(String(value))
      ? [Number(value) + 1]
      : [`${String(value)}x`, "released", "{}"].filter((other) => other !== value);

const attempt = (reading: Promise<unknown>) =>
  reading.then(
    (value) => canonicalJson({ value }),
    () => "error",
  );

/** What readers hear of a row whose scope was changed, as of one that was deleted. */
const nothing = new Set(["{}", '{"value":[]}']);

describe.each(engines())("$name", ({ create }: Engine) => {
  test.each([
    ["with a key", true],
    ["in plain text", false],
  ])(
    "no change of a column is believed, %s",
    async (_name, isSealed) => {
      const created = await create();
      const settings = isSealed ? created : { ...created, key: undefined };
      const { session, service, store, id } = await fill(settings);
      const readings: readonly (() => Promise<unknown>)[] = [
        () =>
          service
            .get(id)
            .then(({ release, decisions }) => ({ release: { ...release, fence: 0 }, decisions })),
        () =>
          readReleases(session, (access) => listReleases(access, { limit: 9 })).then(({ releases }) =>
            releases.length === 0
              ? Promise.reject(new Error("omitted"))
              : releases.map((release) => ({ ...release, fence: 0 })),
          ),
        () => loadTokens(store, "family").then((tokens) => tokens && { ...tokens, remainingMs: 0 }),
        () => listResourceIds(store, scope),
        () => findHalt(store, "api"),
      ];
      const readAll = async () => {
        const heard: string[] = [];
        for (const read of readings) heard.push(await attempt(read()));
        return heard;
      };
      expect((await checkStore(settings)).faults).toEqual([]);
      const truth = await readAll();
      expect(truth).not.toContain("error");
      const unnoticed: string[] = [];
      let changes = 0;
      for (const table of otherTables) {
        const { name, key } = table;
        const [row] = await store.run(`SELECT * FROM ${name}`);
        for (const [column, value] of Object.entries(row ?? {}))
          for (const other of others(value)) {
            const at = (first: number) =>
              key.map((each, index) => `${each} = $${first + index}`).join(" AND ");
            const set = `UPDATE ${name} SET ${column} = $1 WHERE ${at(2)}`;
            const where = key.map((each) => row![each]!);
            await store.run(set, [other, ...where]);
            changes += 1;
            if ((await findChangedRows(store, table)).length === 0) unnoticed.push(`${name}.${column}`);
            const lies = (await readAll()).filter(
              (text, index) => text !== "error" && text !== truth[index] && !nothing.has(text),
            );
            // A row with another key is missing for its readers, as if it was deleted.
            if (!key.includes(column))
              expect({ column: `${name}.${column}`, lies }).toEqual({
                column: `${name}.${column}`,
                lies: [],
              });
            await store.run(set, [value, ...key.map((each) => (each === column ? other : row![each]!))]);
          }
      }
      expect(changes).toBeGreaterThan(50);
      const isHarmless = (name: string) =>
        name in harmless ||
        name.replace(/\..*/, ".*") in harmless ||
        (!isSealed && harmlessInPlain.has(name.split(".")[0]!));
      expect(unnoticed.filter((name) => !isHarmless(name))).toEqual([]);
      expect(await readAll()).toEqual(truth);
      await store.run("UPDATE fxdesk_releases SET state = 'released'");
      expect((await checkStore(settings)).faults).toEqual([expect.stringContaining(id)]);
    },
    60_000,
  );
});
