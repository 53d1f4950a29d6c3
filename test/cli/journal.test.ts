/** Tests fxdesk journal. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Entry } from "../../core/journal/entry";
import { openJournal } from "../../core/journal/journal";
import { withStore } from "../../core/store/open";
import { done, intent, longMs, unknown } from "../core/journal/fixtures";
import { runFxdesk } from "./run-command";

let folder: string;
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), "fxdesk-journal-"))));
afterAll(() => rm(folder, { recursive: true }));

const key = Buffer.alloc(32, 7);
let storePath: string;
let booked: Entry;
let lost: Entry;
let count = 0;

beforeEach(async () => {
  storePath = join(folder, `${(count += 1)}.db`);
  const journal = await openJournal({ location: storePath, key });
  const made = async (name: string, ending: typeof done) => {
    const { entry } = await journal.claim(intent({ key: name }), longMs);
    await journal.recordSent(entry);
    return journal.recordOutcome(entry, ending);
  };
  booked = await made("key-1", done);
  lost = await made("key-2", unknown);
  await journal.close();
});

const variables = () => ({
  FXDESK_STORE: storePath,
  FXDESK_STORE_KEY: key.toString("base64"),
  FXDESK_ACTOR: "treasurer",
});
const journal = (...words: string[]) => runFxdesk(["journal", ...words], { variables: variables() });
const json = async (...words: string[]) =>
  JSON.parse((await journal(...words, "--json")).stdout) as Record<string, unknown>;

/** Removes undefined members, as JSON does. */
const asJson = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;

test("list prints outcomes, newest first", async () => {
  const { code, stdout } = await journal("list");
  expect(code).toBe(0);
  const [heading, first, second, ...rest] = stdout.trimEnd().split("\n");
  expect(heading).toMatch(/^started +entry +operation +state +identity +reference +key +environment$/);
  for (const words of [lost.id, "unknown", "key-2"]) expect(first).toContain(words);
  for (const words of [booked.id, "done", "trade-1", "FX-1"]) expect(second).toContain(words);
  expect(rest).toEqual([]);
  expect(await json("list")).toEqual(asJson([lost, booked]));
  expect(await json("list", "--state", "done", "--state", "sent")).toEqual(asJson([booked]));
  expect(await json("list", "--limit", "1")).toEqual(asJson([lost]));
});

test("show prints all events of an entry", async () => {
  const { code, stdout } = await journal("show", booked.id);
  expect(code).toBe(0);
  for (const words of ["trades.book", "trade-1", "jane", "Ångström & Søn", '"status":200'])
    expect(stdout.replace(/\s+/g, " ")).toContain(words);
  expect(stdout).toMatch(/ intent [^]* sent[^]* ended /);
  expect(await json("show", booked.id)).toMatchObject({
    ...(asJson(booked) as object),
    events: [
      { seq: 1, kind: "intent" },
      { seq: 2, kind: "sent" },
      { seq: 3, kind: "ended" },
    ],
  });
});

test("resolve records the outcome and the person", async () => {
  const words = ["--outcome", "done", "--identity", "trade-2", "--note", "seen in the desk's list"];
  expect(await journal("resolve", lost.id, ...words)).toMatchObject({
    code: 0,
    stdout: `Entry ${lost.id} is done.\n`,
    stderr: "",
  });
  expect(await json("show", lost.id)).toMatchObject({
    ending: { state: "done", by: "person", identity: "trade-2" },
    endingDetails: { note: "seen in the desk's list", actor: "treasurer" },
  });
  const again = await journal("resolve", lost.id, ...words);
  expect(again.code).toBe(2);
  expect(again.stderr).toContain("only an unknown entry can be resolved");
});

test("resolve as not-sent warns that the key is free again", async () => {
  const { code, stderr } = await journal("resolve", lost.id, "--outcome", "not-sent", "--note", "not there");
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("Its key is free") as string });
});

test("erase removes the details and the journal still verifies", async () => {
  const { code, stdout } = await journal("erase", booked.id);
  expect({ code, stdout }).toEqual({ code: 0, stdout: `The details of entry ${booked.id} are erased.\n` });
  const { stdout: shown } = await journal("show", booked.id);
  expect(shown).not.toContain("Ångström");
  expect(shown).toContain('{"details":"erased"}');
  expect((await journal("verify")).code).toBe(0);
  expect((await journal("export")).stdout.split("\n")[0]).not.toContain("Ångström");
  const early = await journal("erase", lost.id);
  expect(early.code).toBe(2);
  expect(early.stderr).toContain("its details are needed until its outcome is known");
});

test("verifies an export with the head of the store", async () => {
  const { head, ...rest } = await json("verify");
  expect(rest).toEqual({ events: 6, entries: 2, faults: [], faultCount: 0 });
  const { stdout } = await journal("export");
  const path = join(folder, "export.jsonl");
  await writeFile(path, stdout);
  const elsewhere = (...words: string[]) => runFxdesk(["journal", "verify", "--file", path, ...words]);
  const verified = await elsewhere("--head", String(head));
  expect(verified.code).toBe(0);
  for (const words of ["Events", "6", String(head)]) expect(verified.stdout).toContain(words);

  await writeFile(path, stdout.replace("trade-1", "trade-7"));
  const changed = await elsewhere();
  expect(changed.code).toBe(1);
  expect(changed.stdout).toMatch(/line 3 +its hash does not match/);

  const lines = stdout.split("\n").slice(0, 3);
  const { hash } = JSON.parse(lines[2]!) as { hash: string };
  await writeFile(path, [...lines, `{"count":3,"head":"${hash}"}\n`].join("\n"));
  expect((await elsewhere()).code).toBe(0);
  const cut = await elsewhere("--head", String(head), "--json");
  expect({ code: cut.code, ...(JSON.parse(cut.stdout) as object) }).toMatchObject({
    code: 1,
    head: `3:${hash}`,
    faults: [{ where: "end" }],
  });
});

test("verify and store check find changed events", async () => {
  await withStore({ location: storePath, key }, ({ database }) =>
    database.run("UPDATE fxdesk_journal_events SET at = at + 1 WHERE seq = 2"),
  );
  const { code, stdout } = await journal("verify");
  expect(code).toBe(1);
  expect(stdout).toMatch(/event 2 +its hash does not match/);
  const checked = await runFxdesk(["store", "check"], { variables: variables() });
  expect(checked.code).toBe(1);
  expect(checked.stdout).toContain("Journal, event 2: its hash does not match");
});

const id = "0d6f1f1e-8c5b-4b0a-9b58-1c1a7f2f9a11";
test.each<[words: string[], said: string]>([
  [[], "Name a command: fxdesk journal list, export, verify, show, resolve, erase or recover."],
  [["lst"], 'There is no command "lst"'],
  [["show"], "<id> is missing: fxdesk journal"],
  [["show", id], `Journal entry ${id} does not exist`],
  [["resolve", id, "--outcome", "done"], "--note <text> is required"],
  [["resolve", id, "--note", "x"], "--outcome <done|rejected|not-sent> is required"],
  [
    ["resolve", id, "--note", "x", "--outcome", "unknown"],
    "--outcome must be done, rejected or not-sent, not",
  ],
  [["list", "--state", "gone"], "--state must be intended, sent, done, rejected, not-sent or unknown, not"],
  [["list", "--limit", "0"], "--limit must be a whole number of at least 1"],
  [["verify", "--head", "12"], "--head must be a number, a colon and 64 hex digits"],
  [["verify", "--file", "/nowhere/export.jsonl"], "--file cannot be read: ENOENT"],
])("%j is a usage error", async (words, said) => {
  const { code, stderr } = await journal(...words);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(said) as string });
});

test.each([[], ["list"], ["export"], ["verify"], ["show"], ["resolve"], ["erase"], ["show", id]])(
  "journal %s %s has a help page",
  async (...words) => {
    const { code, stdout } = await journal(...words.filter(Boolean), "--help");
    expect(code).toBe(0);
    expect(stdout).toContain(`fxdesk journal ${words[0] ?? "<command>"}`);
    expect(stdout).toContain("FXDESK_STORE");
  },
);
