/** SQLite only: money stops when the files of an open store are lost, and a closed store is complete in its one file. */
import { copyFile, mkdir, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { eraseDetails } from "../../../core/journal/operator-actions";
import { openJournal } from "../../../core/journal/journal";
import { withStore } from "../../../core/store/open";
import { backUpStore } from "../../../core/client/backup";
import { respond } from "../../support/fault-server";
import { closeLater, tempFolder } from "../../support/resources";
import { done, intent, longMs } from "../journal/fixtures";
import { failureOf, startClientAndServer, tradeInput } from "../support/client-fixtures";

const booked = respond(201, '{"trade_id":"t-1","bank_account":{},"maturity_date":"2026-01-05"}');
const other = { quote_id: "q-2", reason: "other" } as const;

let folder: string;
let location: string;
beforeEach(async () => {
  folder = await tempFolder();
  location = join(folder, "store.db");
});

const removeAll = (...suffixes: string[]) =>
  Promise.all(suffixes.map((suffix) => rm(location + suffix, { force: true })));

async function replaceByCopy() {
  await copyFile(location, join(folder, "copy"));
  await rename(join(folder, "copy"), location);
}

test.each<[name: string, damage: () => Promise<unknown>]>([
  ["deleted with its log", () => removeAll("", "-wal", "-shm")],
  ["deleted", () => removeAll("")],
  ["moved", () => rename(location, join(folder, "elsewhere"))],
  ["replaced by its copy", replaceByCopy],
  ["left without its log", () => removeAll("-wal", "-shm")],
  ["left without the index of its log", () => removeAll("-shm")],
])("sends no money once the open file is %s", async (_, damage) => {
  const { server, client } = await startClientAndServer(booked, { store: location });
  await client.trades.book(tradeInput);
  await damage();
  for (const input of [tradeInput, other]) {
    const refused = await failureOf(client.trades.book(input));
    expect(refused).toMatchObject({ code: "unavailable", outcome: "not-sent" });
    expect(refused.message).toContain(`${location} was deleted, moved or replaced`);
  }
  expect(server.heads).toHaveLength(1);
});

test("continues when the moved file is back", async () => {
  const { server, client } = await startClientAndServer(booked, { store: location });
  await client.trades.book(tradeInput);
  await rename(location, join(folder, "elsewhere"));
  await failureOf(client.trades.book(other));
  await rename(join(folder, "elsewhere"), location);
  await client.trades.book(other);
  expect(server.heads).toHaveLength(2);
});

test("reports the true outcome of a call whose store was deleted after it was sent", async () => {
  const { client } = await startClientAndServer(
    (socket, number) => void removeAll("", "-wal", "-shm").then(() => booked(socket, number)),
    { store: location },
  );
  expect(await client.trades.book(tradeInput)).toMatchObject({ trade_id: "t-1" });
});

/** Returns the entries in a copy of the main file alone. */
async function entriesInCopy(): Promise<number> {
  const copy = join(folder, "copy", "store.db");
  await mkdir(join(folder, "copy"), { recursive: true });
  await copyFile(location, copy);
  const journal = await openJournal({ location: copy, key: undefined });
  const { length } = await journal.list();
  await journal.close();
  return length;
}

test("writes everything back into the main file when it closes, also beside another open client", async () => {
  const [{ client }, { client: another }] = [
    await startClientAndServer(booked, { store: location }),
    await startClientAndServer(booked, { store: location }),
  ];
  await another.trades.book(other);
  await client.trades.book(tradeInput);
  await client.close();
  expect((await stat(`${location}-wal`)).size).toBe(0);
  expect(await entriesInCopy()).toBe(2);
});

test("leaves erased details in no file of the store", async () => {
  const journal = closeLater(await openJournal({ location, key: undefined }));
  const { entry } = await journal.claim(intent({ reference: "ERASEME" }), longMs);
  await journal.recordSent(entry);
  await journal.recordOutcome(entry, { ...done, details: { body: { note: "ERASEME" } } });
  const filesWithText = async () => {
    const names = await readdir(folder);
    const contents = await Promise.all(names.map((name) => readFile(join(folder, name))));
    return names.filter((_, index) => contents[index]!.includes("ERASEME"));
  };
  expect(await filesWithText()).not.toEqual([]);
  await withStore({ location, key: undefined }, (store) => eraseDetails(store, entry.id));
  expect(await filesWithText()).toEqual([]);
});

test("a backup has everything, is private, and never replaces a file", async () => {
  const settings = { location, key: undefined };
  const journal = closeLater(await openJournal(settings));
  for (const key of ["a", "b"]) await journal.claim(intent({ key }), longMs);
  const path = join(folder, "backup.db");
  expect(await backUpStore(settings, path)).toEqual({ store: location, entries: 2 });
  expect((await stat(path)).mode & 0o077).toBe(0);
  const before = await readFile(path);
  await expect(backUpStore(settings, path)).rejects.toMatchObject({ code: "EEXIST" });
  expect(await readFile(path)).toEqual(before);
  const copied = closeLater(await openJournal({ ...settings, location: path }));
  expect(await copied.list()).toEqual(await journal.list());
});
